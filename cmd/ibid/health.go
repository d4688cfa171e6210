package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/disk"
	"ibid/internal/document"
	"ibid/internal/ingest"
	"ibid/internal/server/api"
	"ibid/web"
)

// statusReport is GET /v1/status.
type statusReport struct {
	Version   string         `json:"version"`
	Ready     bool           `json:"ready"`
	Model     modelReport    `json:"model"`
	Models    []string       `json:"models"` // that a question may ask for, the default first
	Embedder  embedderReport `json:"embedder"`
	Queue     ingest.Queue   `json:"queue"` // documents that are being taken in
	Entities  entitiesReport `json:"entities"`
	Documents int            `json:"documents"`
	Chunks    int            `json:"chunks"`
	Threads   int            `json:"threads"`
	Runs      int            `json:"runs"`  // being answered now
	Tools     []string       `json:"tools"` // that an answer may use, and a question may force
	Backup    backupReport   `json:"backup"`
	Scrub     scrubReport    `json:"scrub"`
}

type modelReport struct {
	Name         string            `json:"name"`
	BuiltIn      bool              `json:"built_in"`
	Reachable    bool              `json:"reachable"`
	Capabilities ibid.Capabilities `json:"capabilities"`
	Error        string            `json:"error,omitempty"`
	Hint         string            `json:"hint,omitempty"`
}

type embedderReport struct {
	Name    string `json:"name"`
	BuiltIn bool   `json:"built_in"`
	ingest.Embedding
	Error string `json:"error,omitempty"` // why chunks wait for it
}

// entitiesReport says how far it is known what the passages name.
type entitiesReport struct {
	ingest.NamingProgress
	Error string `json:"error,omitempty"` // why passages wait for the model
}

// probeTime bounds how long status and doctor wait for a model server.
const probeTime = 3 * time.Second

func (a *app) ready(ctx context.Context) error {
	if !a.open.Load() {
		return errors.New("the index is being brought up to date")
	}
	return a.db.Check(ctx)
}

func (a *app) status(ctx context.Context) any {
	s := statusReport{Version: a.cfg.Version, Ready: a.open.Load(), Runs: a.runner.Active(),
		Embedder: embedderReport{Name: a.cfg.Embedder, BuiltIn: a.embedder == nil}}
	s.Embedder.Embedding = a.pipeline.Embedding()
	if queue, err := a.pipeline.Queue(ctx, access.System("the state of the server")); err == nil {
		s.Queue = queue
	}
	s.Backup, s.Scrub = a.upkeep.backupReport(ctx), a.upkeep.scrubReport(ctx)
	if naming, err := a.pipeline.Naming(ctx); err == nil {
		s.Entities.NamingProgress = naming
		if naming.Err != nil {
			s.Entities.Error = reason(naming.Err)
		}
	}
	if err := s.Embedder.Err; err != nil {
		s.Embedder.Error = reason(err)
	}
	for _, t := range a.tools(a.choices[0]) {
		s.Tools = append(s.Tools, t.Spec().Name)
	}
	if documents, chunks, threads, err := a.db.Counts(ctx, access.System("the state of the server")); err == nil {
		s.Documents, s.Chunks, s.Threads = documents, chunks, threads
	}
	for _, c := range a.choices {
		s.Models = append(s.Models, c.model.Name())
	}
	s.Model = modelReport{Name: a.model.Name(), BuiltIn: a.cfg.Model == builtInModel, Reachable: true}
	capabilities, err := probe(ctx, a.model)
	s.Model.Capabilities = capabilities
	if err != nil {
		s.Model.Reachable, s.Model.Error = false, err.Error()
		var known *ibid.Error
		if errors.As(err, &known) {
			s.Model.Error, s.Model.Hint = known.Message, known.Hint
		}
	}
	return s
}

func probe(ctx context.Context, m ibid.Model) (ibid.Capabilities, error) {
	prober, ok := m.(ibid.Prober)
	if !ok {
		return ibid.Capabilities{Tools: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return prober.Probe(ctx)
}

// doctor checks what can only be seen from inside.
func (a *app) doctor(ctx context.Context) []api.Check {
	return []api.Check{a.checkDatabase(ctx), a.checkOriginals(ctx), a.checkUnknown(ctx), a.upkeep.checkScrub(ctx), a.upkeep.checkBackup(ctx), a.checkIndex(ctx), a.checkModel(ctx), a.checkEmbedder(ctx), a.checkEntities(ctx), a.checkScans(ctx), a.checkReranker(ctx), a.checkWeb(ctx), a.checkPainter(ctx), a.checkDisk(), checkPage()}
}

func good(name, format string, args ...any) api.Check {
	return api.Check{Name: name, OK: true, Level: api.LevelOK, Message: fmt.Sprintf(format, args...)}
}

func bad(name, level string, err error, hint string) api.Check {
	c := api.Check{Name: name, OK: level != api.LevelFail, Level: level, Message: err.Error(), Hint: hint}
	var known *ibid.Error
	if errors.As(err, &known) {
		c.Message = known.Message
		if known.Hint != "" {
			c.Hint = known.Hint
		}
	}
	return c
}

func (a *app) checkDatabase(ctx context.Context) api.Check {
	if err := a.db.Verify(ctx); err != nil {
		return bad("database", api.LevelFail, err, "restore the data directory from a backup")
	}
	return good("database", "sound")
}

// checkOriginals looks for the file behind every document that is searched. It
// goes by their sizes: reading them all could take hours.
func (a *app) checkOriginals(ctx context.Context) api.Check {
	var lost []ibid.Document
	docs := 0
	err := a.eachDocument(ctx, ibid.DocumentQuery{}, func(d ibid.Document) {
		docs++
		if d.Status == ibid.DocumentReady && !a.originalThere(ctx, d) {
			lost = append(lost, d)
		}
	})
	if err != nil {
		return bad("originals", api.LevelFail, err, "")
	}
	if len(lost) == 0 {
		return good("originals", "all of %s are there", count(docs, "document"))
	}
	source, _, _ := strings.Cut(lost[0].Source, "!/") // of a file in an archive: the archive
	hint := "add them again, for example: ibid add " + shellQuote(source)
	if strings.HasPrefix(source, "upload:") {
		hint = "add them again, for example " + lost[0].Name
	}
	err = fmt.Errorf("the originals of %d of %s are missing or cut short, %s among them; they are found and quoted, but cannot be opened",
		len(lost), count(docs, "document"), lost[0].Name)
	return bad("originals", api.LevelFail, err, hint)
}

// checkUnknown looks for files among the originals that the database does not
// list. Nothing deletes them.
func (a *app) checkUnknown(ctx context.Context) api.Check {
	unknown, err := a.pipeline.Unknown(ctx)
	switch {
	case err != nil:
		return bad("unknown files", api.LevelFail, err, "")
	case len(unknown) > 0:
		err := fmt.Errorf("the database does not list %s among the originals, %s first", count(len(unknown), "file"), unknown[0])
		return bad("unknown files", api.LevelWarn, err, "they are left as they are: look at them, and move away or add what is yours")
	}
	return good("unknown files", "none among the originals")
}

func (a *app) originalThere(ctx context.Context, d ibid.Document) bool {
	path, err := a.pipeline.Original(ctx, access.System("the state of the server"), d.ID, d.Version)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() != d.Bytes {
		// The first ibid kept the size of a document's first version.
		hash, err := hashOf(path)
		return err == nil && hash == d.Version
	}
	return err == nil
}

// checkIndex holds the index against the database, chunk by chunk.
func (a *app) checkIndex(ctx context.Context) api.Check {
	agreement, err := a.pipeline.Compare(ctx)
	switch n := len(agreement.Differ); {
	case err != nil:
		return bad("index", api.LevelFail, err, "")
	case n > 0:
		return bad("index", api.LevelFail, fmt.Errorf("the index and the database disagree on %s", count(n, "document")),
			"ibid doctor --repair")
	}
	return good("index", "agrees with the database: %s with %s", count(agreement.Documents, "document"), count(agreement.Chunks, "chunk"))
}

func (a *app) checkModel(ctx context.Context) api.Check {
	return checkAnswering(ctx, a.model)
}

// checkAnswering asks a model's server what the model can do.
func checkAnswering(ctx context.Context, m ibid.Model) api.Check {
	if m.Name() == builtInModel {
		return good("model", "the built-in reader: answers by quoting; for written answers set a model, for example --model ollama:qwen3:4b")
	}
	capabilities, err := probe(ctx, m)
	if err != nil {
		return bad("model", api.LevelFail, err, "start its server, or choose another with --model")
	}
	if !capabilities.Tools {
		return bad("model", api.LevelWarn, fmt.Errorf("%s cannot call tools, so it cannot search your documents by itself", m.Name()),
			"choose a model that can, for example ollama:qwen3:4b")
	}
	return good("model", "%s answers (thinking: %v, images: %v)", m.Name(), capabilities.Thinking, capabilities.Images)
}

func (a *app) checkEmbedder(ctx context.Context) api.Check {
	if a.embedder == nil {
		return good("embedder", "built in, fitted on your documents")
	}
	at := a.pipeline.Embedding()
	var known *ibid.Error
	if errors.As(at.Err, &known) && known.Code == ibid.CodeVectorDB {
		return bad("embedder", api.LevelFail, at.Err, "")
	}
	if at.Err == nil && at.Embedded < at.Chunks {
		err := fmt.Errorf("%s of %s chunks embedded by %s; %s until then", thousands(at.Embedded), thousands(at.Chunks), at.Embedder, servingText(at))
		return bad("embedder", api.LevelWarn, err, "the rest is embedded in the background while ibid serve runs")
	}
	return checkEmbedding(ctx, a.embedder, "; until then "+servingText(at))
}

// checkEmbedding lets an embedder embed a word. meanwhile is what else to say
// where it does not answer.
func checkEmbedding(ctx context.Context, e ibid.Embedder, meanwhile string) api.Check {
	ctx, cancel := context.WithTimeout(ctx, 4*probeTime)
	defer cancel()
	if _, err := e.Embed(ctx, []string{"test"}, ibid.EmbedQuery); err != nil {
		return bad("embedder", api.LevelFail, err, "start its server, or choose another with --embedder"+meanwhile)
	}
	return good("embedder", "%s answers with %d dimensions", e.Name(), e.Dimensions())
}

func (a *app) checkEntities(ctx context.Context) api.Check {
	n, err := a.pipeline.Naming(ctx)
	read := n.Passages - n.ByModel - n.InVain // by nobody but the heuristic
	switch {
	case err != nil:
		return bad("entities", api.LevelFail, err, "")
	case n.Named < n.Passages:
		err := fmt.Errorf("%s of %s passages looked through for names", thousands(n.Named), thousands(n.Passages))
		return bad("entities", api.LevelWarn, err, "the rest follows in the background while ibid serve runs")
	case n.Model != "" && read > 0 && n.Err != nil:
		return bad("entities", api.LevelWarn, n.Err, "start its server, or set entities = \"heuristic\"; until then the heuristic's names stand")
	case n.Model != "" && read > 0:
		err := fmt.Errorf("%s of %s passages read for names by %s", thousands(n.Passages-read), thousands(n.Passages), n.Model)
		return bad("entities", api.LevelWarn, err, "the rest is read in the background while ibid serve runs; until then the heuristic's names stand")
	}
	return good("entities", "%s in %s", count(n.Entities, "name"), count(n.Passages, "passage"))
}

// checkScans looks for what reads scans and pictures.
func (a *app) checkScans(ctx context.Context) api.Check {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	found, ok := document.FindOCR(ctx, a.cfg.OCRLanguages)
	const install = "install it, for example: apt-get install "
	switch {
	case !ok:
		return good("scans", "not read: tesseract is not installed; other documents do not need it")
	case len(found.Missing) > 0:
		return bad("scans", api.LevelWarn, fmt.Errorf("tesseract does not know %s", strings.Join(found.Missing, ", ")),
			install+"tesseract-ocr-"+strings.ReplaceAll(found.Missing[0], "_", "-"))
	case len(found.Languages) == 0:
		return bad("scans", api.LevelWarn, errors.New("tesseract knows no language"), install+"tesseract-ocr-eng")
	}
	return good("scans", "read by tesseract as %s", strings.Join(found.Languages, ", "))
}

// servingText says what search does while chunks are embedded.
func servingText(at ingest.Embedding) string {
	switch at.Serving {
	case "", at.Embedder:
		return "search goes by words"
	}
	return "search uses the built-in one"
}

// thousands writes 8205 as people read it: 8,205.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// lowDisk is when doctor begins to worry, in bytes.
const lowDisk = 1 << 30

// fullDisk is what the database needs to fill its reserve again.
const fullDisk = 4 << 20

func (a *app) checkDisk() api.Check {
	free, err := disk.Free(a.cfg.Data)
	switch {
	case err != nil:
		return bad("disk", api.LevelWarn, err, "")
	case free < fullDisk:
		return bad("disk", api.LevelFail, errors.New("the disk is full: documents can be read and removed, nothing can be added or answered"),
			"make room on the disk of the data directory; all works again then, without a restart")
	case free < lowDisk:
		return bad("disk", api.LevelWarn, fmt.Errorf("%d MB free for the data directory", free>>20), "free some space, or move it with --data")
	}
	return good("disk", "%.1f GB free", float64(free)/(1<<30))
}

func checkPage() api.Check {
	if _, built := web.Files(); !built {
		return bad("page", api.LevelWarn, errors.New("this ibid was built without its web page"), "build it with: make build")
	}
	return good("page", "built in")
}
