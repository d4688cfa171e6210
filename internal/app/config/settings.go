package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/backup"
	"ibid/internal/fetch"
	"ibid/internal/llm"
	"ibid/internal/websearch"
)

// HostList reads web_hosts.
func HostList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func SpecList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
}

func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// A setting is one value of the configuration: KEY in the file, IBID_KEY in
// the environment, --key where a command has such a flag.
type setting struct {
	Key    string
	About  string // one line for docs/configuring.md
	kind   kind
	Secret bool // its value is never printed
	set    func(*Config, string) error
	Show   func(Config) string
}

// kind is the type that a setting has in the file.
type kind string

const (
	kindText     kind = `text in "quotes"`
	kindNumber   kind = "a whole number"
	kindDuration kind = `a time like "90s" or "10m"`
)

// fromTOML turns a decoded TOML value into the text that set takes.
func (k kind) fromTOML(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, k != kindNumber
	case int64:
		return strconv.FormatInt(v, 10), k == kindNumber
	}
	return "", false
}

// Settings lists everything that can be set, in the order in which the
// documentation shows it.
func Settings() []setting {
	return []setting{
		{
			Key: "data", kind: kindText, About: "data directory: database, files, search index",
			set:  setDataDir,
			Show: func(c Config) string { return c.Data },
		},
		{
			Key: "addr", kind: kindText, About: "where `ibid serve` listens",
			set:  setAddr,
			Show: func(c Config) string { return c.Addr },
		},
		{
			Key: "token", kind: kindText, Secret: true,
			About: "what every request must carry; needed on any address but loopback",
			set:   func(c *Config, v string) error { c.Token = v; return nil },
			Show:  func(c Config) string { return c.Token },
		},
		{
			Key: "model", kind: kindText, About: "the language model that answers",
			set:  setModel,
			Show: func(c Config) string { return c.Model },
		},
		{
			Key: "models", kind: kindText, About: "further models that a question may ask for, with commas between: `ollama:qwen3:4b, openai:gpt-5`",
			set:  setModels,
			Show: func(c Config) string { return c.Models },
		},
		{
			Key: "plan_model", kind: kindText, About: "a smaller model that thinks before the answer; empty: the same",
			set:  setPlanModel,
			Show: func(c Config) string { return c.PlanModel },
		},
		{
			Key: "api_key", kind: kindText, Secret: true, About: "key for the model's server",
			set:  func(c *Config, v string) error { c.APIKey = v; return nil },
			Show: func(c Config) string { return c.APIKey },
		},
		number("context_tokens", "context window that Ollama is asked for, in tokens", 1024, 4<<20,
			func(c *Config) *int { return &c.ContextTokens }),
		{
			Key: "embedder", kind: kindText, About: "what turns text into vectors",
			set:  setEmbedder,
			Show: func(c Config) string { return c.Embedder },
		},
		{
			Key: "embedder_api_key", kind: kindText, Secret: true, About: "key for the embedder's server",
			set:  func(c *Config, v string) error { c.EmbedderKey = v; return nil },
			Show: func(c Config) string { return c.EmbedderKey },
		},
		oneOf("search_mode", "how lexical and vector search are put together",
			func(c *Config) *string { return &c.SearchMode }, SearchModes()...),
		{
			Key: "rerank", kind: kindText, About: "what puts the passages found in a better order: off, maxsim, or the URL of a reranking server",
			set:  setRerank,
			Show: func(c Config) string { return c.Rerank },
		},
		{
			Key: "rerank_api_key", kind: kindText, Secret: true, About: "key for the reranking server",
			set:  func(c *Config, v string) error { c.RerankKey = v; return nil },
			Show: func(c Config) string { return c.RerankKey },
		},
		oneOf("tools", "which tools the model is offered",
			func(c *Config) *string { return &c.Tools }, ToolsAuto, ToolsCore, ToolsAll),
		oneOf("grading", "who judges whether the passages found answer the question",
			func(c *Config) *string { return &c.Grading }, judges()...),
		oneOf("verification", "who checks the statements of an answer against its passages",
			func(c *Config) *string { return &c.Verification }, judges()...),
		oneOf("cache", "whether the answer to a question is given again to who asks the same of the same documents",
			func(c *Config) *string { return &c.Cache }, CacheOn, cacheOff),
		oneOf("entities", "who finds the names in documents, for search_graph",
			func(c *Config) *string { return &c.Entities }, entitiesAuto, entitiesHeuristic, EntitiesModel),
		{
			Key: "ocr_languages", kind: kindText, About: "languages of scans, as tesseract names them: `eng+deu`; empty: those that are installed",
			set:  setOCRLanguages,
			Show: func(c Config) string { return c.OCRLanguages },
		},
		oneOf("log_level", "what the server writes to standard error",
			func(c *Config) *string { return &c.LogLevel }, "debug", "info", "warn", "error"),
		{
			Key: "image_model", kind: kindText, About: "the model that makes pictures: `openai:MODEL@URL`; empty: none are made",
			set:  setImageModel,
			Show: func(c Config) string { return c.ImageModel },
		},
		{
			Key: "image_api_key", kind: kindText, Secret: true, About: "key for the image model's server",
			set:  func(c *Config, v string) error { c.ImageKey = v; return nil },
			Show: func(c Config) string { return c.ImageKey },
		},
		{
			Key: "web_search", kind: kindText, About: "who searches the web; empty: nobody, and no page is fetched for an answer",
			set:  setWebSearch,
			Show: func(c Config) string { return c.WebSearch },
		},
		{
			Key: "web_search_key", kind: kindText, Secret: true, About: "key for the web search",
			set:  func(c *Config, v string) error { c.WebSearchKey = v; return nil },
			Show: func(c Config) string { return c.WebSearchKey },
		},
		{
			Key: "web_hosts", kind: kindText, About: "hosts and networks of your own that may be fetched, with commas between: `wiki.lan, 10.1.0.0/16`",
			set:  setWebHosts,
			Show: func(c Config) string { return c.WebHosts },
		},
		{
			Key: "backup", kind: kindText, About: "when the server backs the library up, and where: `daily to /mnt/backup, keep 7`; empty: never",
			set:  setBackup,
			Show: func(c Config) string { return c.Backup },
		},
		oneOf("scrub", "how often the server reads all originals, slowly, and compares them with their hashes",
			func(c *Config) *string { return &c.Scrub }, scrubWeekly, ScrubMonthly, ScrubOff),

		number("limits.tool_calls", "tool calls for one question", 1, 1000,
			func(c *Config) *int { return &c.Limits.ToolCalls }),
		number("limits.model_requests", "requests to the model for one question, those of plans, judges and tools among them", 1, 1000,
			func(c *Config) *int { return &c.Limits.ModelRequests }),
		number("limits.search_results", "passages that one search of the model's may return", 1, 200,
			func(c *Config) *int { return &c.Limits.SearchResults }),
		number("limits.whole_document", "documents of up to so many tokens are read whole, longer ones in sections", 100, 4000,
			func(c *Config) *int { return &c.Limits.WholeDocument }),
		number("limits.history_messages", "earlier messages that the model is shown; /rag and /chat go by characters alone", 0, 1000,
			func(c *Config) *int { return &c.Limits.HistoryMessages }),
		number("limits.history_chars", "characters of a conversation that are remembered; the oldest pair goes first", 0, 10_000_000,
			func(c *Config) *int { return &c.Limits.HistoryChars }),
		duration("limits.answer_time", "time for one answer; what has been found by then is shown", time.Second, 24*time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.AnswerTime }),
		number("limits.runs", "questions answered at the same time; others wait", 1, 1000,
			func(c *Config) *int { return &c.Limits.Runs }),
		number("limits.queued_runs", "questions that may wait; one more is refused (429)", 1, 100_000,
			func(c *Config) *int { return &c.Limits.QueuedRuns }),
		number("limits.connections", "requests held at the same time, streams among them; one more is refused (429)", 10, 100_000,
			func(c *Config) *int { return &c.Limits.Connections }),
		number("limits.file_mb", "largest file that is taken in, in MiB", 1, 4096,
			func(c *Config) *int { return &c.Limits.FileMB }),
		number("limits.attachment_mb", "largest files that may come with one question, together, in MiB", 1, 40,
			func(c *Config) *int { return &c.Limits.AttachmentMB }),
		duration("limits.extract_time", "time to read one file before the process that reads it is killed", time.Second, time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.ExtractTime }),
		duration("limits.keep_removed", "how long removed documents, conversations and databases can be taken back, and replaced versions are kept; what an answer cites stays longer", time.Second, 100*365*24*time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.KeepRemoved }),
		number("limits.query_rows", "rows that one query of a database may return", 1, 100_000,
			func(c *Config) *int { return &c.Limits.QueryRows }),
		number("limits.query_kb", "size that the result of one query may have, in KiB", 1, 100_000,
			func(c *Config) *int { return &c.Limits.QueryKB }),
		duration("limits.query_time", "time for one query before it is stopped", 100*time.Millisecond, time.Hour,
			func(c *Config) *time.Duration { return &c.Limits.QueryTime }),
	}
}

func findSetting(key string) (setting, bool) {
	for _, s := range Settings() {
		if s.Key == key {
			return s, true
		}
	}
	return setting{}, false
}

func Keys() []string {
	var keys []string
	for _, s := range Settings() {
		keys = append(keys, s.Key)
	}
	return keys
}

// SearchModes are the ways to search that `--mode` and search_mode take.
func SearchModes() []string { return []string{"auto", "lexical", "vector", "rrf", "mix"} }

func number(key, about string, least, most int, field func(*Config) *int) setting {
	return setting{
		Key: key, About: about, kind: kindNumber,
		set: func(c *Config, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < least || n > most {
				return fmt.Errorf("%s must be a whole number from %d to %d, not %q", key, least, most, v)
			}
			*field(c) = n
			return nil
		},
		Show: func(c Config) string { return strconv.Itoa(*field(&c)) },
	}
}

func duration(key, about string, least, most time.Duration, field func(*Config) *time.Duration) setting {
	return setting{
		Key: key, About: about, kind: kindDuration,
		set: func(c *Config, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < least || d > most {
				return fmt.Errorf("%s must be a time from %v to %v, like \"90s\" or \"10m\", not %q", key, least, most, v)
			}
			*field(c) = d
			return nil
		},
		Show: func(c Config) string { return shortDuration(*field(&c)) },
	}
}

// shortDuration writes 10m where Duration.String writes 10m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func oneOf(key, about string, field func(*Config) *string, words ...string) setting {
	return setting{
		Key: key, About: about + ": " + strings.Join(words, ", "), kind: kindText,
		set: func(c *Config, v string) error {
			if !slices.Contains(words, v) {
				return fmt.Errorf("%s must be one of %s, not %q", key, strings.Join(words, ", "), v)
			}
			*field(c) = v
			return nil
		},
		Show: func(c Config) string { return *field(&c) },
	}
}

// Whether answers are given again.
const (
	CacheOn  = "on"
	cacheOff = "off"
)

func judges() []string {
	return []string{string(agent.JudgeAuto), string(agent.JudgeRules), string(agent.JudgeModel), string(agent.JudgeOff)}
}

// BuiltInModel and builtInEmbedder need no server.
const (
	BuiltInModel    = "reader"
	BuiltInEmbedder = "lsa"
)

func setModel(c *Config, v string) error {
	c.Model = v
	if v == BuiltInModel {
		return nil
	}
	_, err := llm.Open(llm.Config{Spec: v}) // calls nobody
	return orBuiltIn(err, BuiltInModel)
}

func setModels(c *Config, v string) error {
	c.Models = v
	for _, spec := range SpecList(v) {
		if err := setModel(&Config{}, spec); err != nil {
			return err
		}
	}
	return nil
}

func setPlanModel(c *Config, v string) error {
	c.PlanModel = v
	if v == "" || v == BuiltInModel {
		return nil
	}
	_, err := llm.Open(llm.Config{Spec: v})
	return orBuiltIn(err, BuiltInModel)
}

func setEmbedder(c *Config, v string) error {
	c.Embedder = v
	if v == BuiltInEmbedder {
		return nil
	}
	_, err := llm.OpenEmbedder(llm.Config{Spec: v})
	return orBuiltIn(err, BuiltInEmbedder)
}

// Which tools a model is offered.
const (
	ToolsAuto = "auto"
	ToolsCore = "core"
	ToolsAll  = "all"
)

// Who finds the names in documents. auto is the heuristic: a model takes hours
// for what the heuristic does in seconds.
const (
	entitiesAuto      = "auto"
	entitiesHeuristic = "heuristic"
	EntitiesModel     = "model"
)

// The ways to rerank that need no server.
const (
	RerankOff    = "off"
	RerankMaxSim = "maxsim"
)

func setRerank(c *Config, v string) error {
	c.Rerank = v
	if v == RerankOff || v == RerankMaxSim {
		return nil
	}
	_, err := llm.OpenReranker(llm.Config{Spec: v}) // calls nobody
	return err
}

// orBuiltIn names the built-in choice beside the servers that err speaks of.
func orBuiltIn(err error, builtIn string) error {
	var coded *ibid.Error
	if errors.As(err, &coded) {
		coded.Hint += ", or " + builtIn + ", which is built in"
	}
	return err
}

// How often originals are read to see whether they are still whole.
const (
	scrubWeekly  = "weekly"
	ScrubMonthly = "monthly"
	ScrubOff     = "off"
)

func setBackup(c *Config, v string) error {
	c.Backup = v
	_, err := backup.ParseSchedule(v)
	return err
}

func setImageModel(c *Config, v string) error {
	c.ImageModel = v
	if v == "" {
		return nil
	}
	_, err := llm.OpenPainter(llm.Config{Spec: v}) // calls nobody
	return err
}

func setWebSearch(c *Config, v string) error {
	c.WebSearch = v
	if v == "" {
		return nil
	}
	_, err := websearch.Open(websearch.Config{Spec: v}) // calls nobody
	return err
}

// ocrLanguages is how tesseract names languages: eng, chi_sim, script/Latin.
var ocrLanguages = regexp.MustCompile(`^[A-Za-z][A-Za-z_/-]*(\+[A-Za-z][A-Za-z_/-]*)*$`)

func setOCRLanguages(c *Config, v string) error {
	if v != "" && !ocrLanguages.MatchString(v) {
		return badConfig("%q are no languages: write them as tesseract names them, with + between: eng+deu", v)
	}
	c.OCRLanguages = v
	return nil
}

func setWebHosts(c *Config, v string) error {
	c.WebHosts = v
	_, err := fetch.New(fetch.Config{Allow: HostList(v)})
	return err
}

func setDataDir(c *Config, v string) error {
	if v == "" {
		return fmt.Errorf("the data directory must not be empty")
	}
	dir, err := filepath.Abs(v)
	if err != nil {
		return fmt.Errorf("data directory %s: %w", v, err)
	}
	c.Data = dir
	return nil
}

func setAddr(c *Config, v string) error {
	_, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("an address is HOST:PORT, like 127.0.0.1:8080, not %q", v)
	}
	c.Addr = v
	return nil
}

// SettingsWithoutSecrets is the settings file of a data directory as a backup has
// it: without tokens, keys and comments, which may hold them too; nil for none.
func SettingsWithoutSecrets(dir string) ([]byte, error) {
	path := filepath.Join(dir, "ibid.toml")
	var tree map[string]any
	if _, err := toml.DecodeFile(path, &tree); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for _, s := range Settings() {
		if s.Secret {
			delete(tree, s.Key)
		}
	}
	body, err := toml.Marshal(tree)
	return append([]byte("# From a backup of ibid, which has no tokens and keys: set them again.\n"), body...), err
}
