package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/config"
	"ibid/internal/blob"
	"ibid/internal/disk"
	"ibid/internal/document/image"
	"ibid/internal/ingest"
	"ibid/internal/say"
	"ibid/internal/server/api"
	"ibid/web"
)

// probeTime bounds how long status and doctor wait for a model server.
const probeTime = 3 * time.Second

func (a *App) ready(ctx context.Context) error {
	if !a.open.Load() {
		return errors.New("the index is being brought up to date")
	}
	return a.DB.Check(ctx)
}

func (a *App) status(ctx context.Context) api.Status {
	s := api.Status{Version: a.cfg.Version, Ready: a.open.Load(), Runs: a.runner.Active(),
		Embedder: api.EmbedderStatus{Name: a.cfg.Embedder, BuiltIn: a.embedder == nil}}
	s.Embedder.Embedding = a.Pipeline.Embedding(ctx)
	if queue, err := a.Pipeline.Queue(ctx, access.System("the state of the server")); err == nil {
		s.Queue = queue
	}
	s.Backup, s.Scrub = a.upkeep.BackupStatus(ctx), a.upkeep.ScrubStatus(ctx)
	if naming, err := a.Pipeline.Naming(ctx); err == nil {
		s.Entities.NamingProgress = naming
		if naming.Err != nil {
			s.Entities.Error = say.Reason(naming.Err)
		}
	}
	if err := s.Embedder.Err; err != nil {
		s.Embedder.Error = say.Reason(err)
	}
	for _, t := range a.tools(a.choices[0]) {
		s.Tools = append(s.Tools, t.Spec().Name)
	}
	if documents, chunks, threads, err := a.DB.Counts(ctx, access.System("the state of the server")); err == nil {
		s.Documents, s.Chunks, s.Threads = documents, chunks, threads
	}
	for _, c := range a.choices {
		s.Models = append(s.Models, c.model.Name())
	}
	s.Model = api.ModelStatus{Name: a.model.Name(), BuiltIn: a.cfg.Model == config.BuiltInModel, Reachable: true}
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
func (a *App) doctor(ctx context.Context) []api.Check {
	return []api.Check{a.checkDatabase(ctx), a.checkOriginals(ctx), a.checkUnknown(ctx), a.upkeep.CheckScrub(ctx), a.upkeep.CheckBackup(ctx), a.checkIndex(ctx), a.checkModel(ctx), a.checkEmbedder(ctx), a.checkEntities(ctx), a.checkScans(ctx), a.checkReranker(ctx), a.checkWeb(ctx), a.checkPainter(ctx), a.checkDisk(), checkPage()}
}

func (a *App) checkDatabase(ctx context.Context) api.Check {
	if err := a.DB.Verify(ctx); err != nil {
		return api.Bad("database", api.LevelFail, err, "restore the data directory from a backup")
	}
	return api.Good("database", "sound")
}

// checkOriginals looks for the file behind every document that is searched. It
// goes by their sizes: reading them all could take hours.
func (a *App) checkOriginals(ctx context.Context) api.Check {
	var lost []ibid.Document
	var away error // nothing is found out about what cannot be reached
	docs := 0
	err := a.EachDocument(ctx, ibid.DocumentQuery{}, func(d ibid.Document) {
		docs++
		if d.Status != ibid.DocumentReady || away != nil {
			return
		}
		there, err := a.originalThere(ctx, d)
		if away = err; err == nil && !there {
			lost = append(lost, d)
		}
	})
	if err = errors.Join(err, away); err != nil {
		return api.Bad("originals", api.LevelFail, err, "")
	}
	if len(lost) == 0 {
		return api.Good("originals", "all of %s are there", say.Count(docs, "document"))
	}
	source, _, _ := strings.Cut(lost[0].Source, "!/") // of a file in an archive: the archive
	hint := "add them again, for example: ibid add " + say.ShellQuote(source)
	if strings.HasPrefix(source, "upload:") {
		hint = "add them again, for example " + lost[0].Name
	}
	err = fmt.Errorf("the originals of %d of %s are missing or cut short, %s among them; they are found and quoted, but cannot be opened",
		len(lost), say.Count(docs, "document"), lost[0].Name)
	return api.Bad("originals", api.LevelFail, err, hint)
}

// checkUnknown looks for files among the originals that the database does not
// list. Nothing deletes them.
func (a *App) checkUnknown(ctx context.Context) api.Check {
	unknown, first, err := a.Pipeline.Unknown(ctx)
	switch {
	case err != nil:
		return api.Bad("unknown files", api.LevelFail, err, "")
	case unknown > 0:
		err := fmt.Errorf("the database does not list %s among the originals, %s first", say.Count(unknown, "file"), first)
		return api.Bad("unknown files", api.LevelWarn, err, "they are left as they are: look at them, and move away or add what is yours")
	}
	return api.Good("unknown files", "none among the originals")
}

// originalThere reports whether an original is there as it was added. The error says that
// this can't be found out now.
func (a *App) originalThere(ctx context.Context, d ibid.Document) (there bool, err error) {
	original, err := a.Pipeline.Original(ctx, access.System("the state of the server"), d.ID, d.Version)
	if err != nil && ibid.CodeOf(err) == ibid.CodeAway {
		return false, err
	}
	if err != nil {
		return false, nil
	}
	defer original.Close()
	if original.Info().Bytes != d.Bytes {
		// The first ibid kept the size of a document's first version.
		hash, err := blob.HashOf(original)
		if err != nil && ibid.CodeOf(err) == ibid.CodeAway {
			return false, err
		}
		return err == nil && hash == d.Version, nil
	}
	return true, nil
}

// checkIndex holds the index against the database, chunk by chunk.
func (a *App) checkIndex(ctx context.Context) api.Check {
	agreement, err := a.Pipeline.Compare(ctx)
	switch n := len(agreement.Differ); {
	case err != nil:
		return api.Bad("index", api.LevelFail, err, "")
	case n > 0:
		return api.Bad("index", api.LevelFail, fmt.Errorf("the index and the database disagree on %s", say.Count(n, "document")),
			"ibid doctor --repair")
	}
	return api.Good("index", "agrees with the database: %s with %s", say.Count(agreement.Documents, "document"), say.Count(agreement.Chunks, "chunk"))
}

func (a *App) checkModel(ctx context.Context) api.Check {
	return CheckAnswering(ctx, a.model)
}

// CheckAnswering asks a model's server what the model can do.
func CheckAnswering(ctx context.Context, m ibid.Model) api.Check {
	if m.Name() == config.BuiltInModel {
		return api.Good("model", "the built-in reader: answers by quoting; for written answers set a model, for example --model ollama:qwen3:4b")
	}
	capabilities, err := probe(ctx, m)
	if err != nil {
		return api.Bad("model", api.LevelFail, err, "start its server, or choose another with --model")
	}
	if !capabilities.Tools {
		return api.Bad("model", api.LevelWarn, fmt.Errorf("%s cannot call tools, so it cannot search your documents by itself", m.Name()),
			"choose a model that can, for example ollama:qwen3:4b")
	}
	return api.Good("model", "%s answers (thinking: %v, images: %v)", m.Name(), capabilities.Thinking, capabilities.Images)
}

func (a *App) checkEmbedder(ctx context.Context) api.Check {
	if a.embedder == nil {
		return api.Good("embedder", "built in, fitted on your documents")
	}
	at := a.Pipeline.Embedding(ctx)
	var known *ibid.Error
	if errors.As(at.Err, &known) && known.Code == ibid.CodeVectorDB {
		return api.Bad("embedder", api.LevelFail, at.Err, "")
	}
	if at.Err == nil && at.Embedded < at.Chunks {
		err := fmt.Errorf("%s of %s chunks embedded by %s; %s until then", say.Thousands(at.Embedded), say.Thousands(at.Chunks), at.Embedder, servingText(at))
		return api.Bad("embedder", api.LevelWarn, err, "the rest is embedded in the background while ibid serve runs")
	}
	return CheckEmbedding(ctx, a.embedder, "; until then "+servingText(at))
}

// CheckEmbedding lets an embedder embed a word. meanwhile is what else to say
// where it does not answer.
func CheckEmbedding(ctx context.Context, e ibid.Embedder, meanwhile string) api.Check {
	ctx, cancel := context.WithTimeout(ctx, 4*probeTime)
	defer cancel()
	if _, err := e.Embed(ctx, []string{"test"}, ibid.EmbedQuery); err != nil {
		return api.Bad("embedder", api.LevelFail, err, "start its server, or choose another with --embedder"+meanwhile)
	}
	return api.Good("embedder", "%s answers with %d dimensions", e.Name(), e.Dimensions())
}

func (a *App) checkEntities(ctx context.Context) api.Check {
	n, err := a.Pipeline.Naming(ctx)
	read := n.Passages - n.ByModel - n.InVain // by nobody but the heuristic
	switch {
	case err != nil:
		return api.Bad("entities", api.LevelFail, err, "")
	case n.Named < n.Passages:
		err := fmt.Errorf("%s of %s passages looked through for names", say.Thousands(n.Named), say.Thousands(n.Passages))
		return api.Bad("entities", api.LevelWarn, err, "the rest follows in the background while ibid serve runs")
	case n.Model != "" && read > 0 && n.Err != nil:
		return api.Bad("entities", api.LevelWarn, n.Err, "start its server, or set entities = \"heuristic\"; until then the heuristic's names stand")
	case n.Model != "" && read > 0:
		err := fmt.Errorf("%s of %s passages read for names by %s", say.Thousands(n.Passages-read), say.Thousands(n.Passages), n.Model)
		return api.Bad("entities", api.LevelWarn, err, "the rest is read in the background while ibid serve runs; until then the heuristic's names stand")
	}
	return api.Good("entities", "%s in %s", say.Count(n.Entities, "name"), say.Count(n.Passages, "passage"))
}

// checkScans looks for what reads scans and pictures.
func (a *App) checkScans(ctx context.Context) api.Check {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	found, ok := image.FindOCR(ctx, a.cfg.OCRLanguages)
	const install = "install it, for example: apt-get install "
	switch {
	case !ok:
		return api.Good("scans", "not read: tesseract is not installed; other documents do not need it")
	case len(found.Missing) > 0:
		return api.Bad("scans", api.LevelWarn, fmt.Errorf("tesseract does not know %s", strings.Join(found.Missing, ", ")),
			install+"tesseract-ocr-"+strings.ReplaceAll(found.Missing[0], "_", "-"))
	case len(found.Languages) == 0:
		return api.Bad("scans", api.LevelWarn, errors.New("tesseract knows no language"), install+"tesseract-ocr-eng")
	}
	return api.Good("scans", "read by tesseract as %s", strings.Join(found.Languages, ", "))
}

// servingText says what search does while chunks are embedded.
func servingText(at ingest.Embedding) string {
	switch at.Serving {
	case "", at.Embedder:
		return "search goes by words"
	}
	return "search uses the built-in one"
}

// lowDisk is when doctor begins to worry, in bytes.
const lowDisk = 1 << 30

// fullDisk is what the database needs to fill its reserve again.
const fullDisk = 4 << 20

func (a *App) checkDisk() api.Check {
	free, err := disk.Free(a.cfg.Data)
	switch {
	case err != nil:
		return api.Bad("disk", api.LevelWarn, err, "")
	case free < fullDisk:
		return api.Bad("disk", api.LevelFail, errors.New("the disk is full: documents can be read and removed, nothing can be added or answered"),
			"make room on the disk of the data directory; all works again then, without a restart")
	case free < lowDisk:
		return api.Bad("disk", api.LevelWarn, fmt.Errorf("%d MB free for the data directory", free>>20), "free some space, or move it with --data")
	}
	return api.Good("disk", "%.1f GB free", float64(free)/(1<<30))
}

func checkPage() api.Check {
	if _, built := web.Files(); !built {
		return api.Bad("page", api.LevelWarn, errors.New("this ibid was built without its web page"), "build it with: make build")
	}
	return api.Good("page", "built in")
}
