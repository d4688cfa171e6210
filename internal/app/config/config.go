// Package config holds everything that can be set, and where it comes from: flags,
// variables, one file, defaults.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/BurntSushi/toml"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/document/format"
	"ibid/internal/llm"
	"ibid/internal/say"
	"ibid/internal/tool"
)

// Config is everything that can be set. It is passed by value; every field has
// a default that suits one person on one machine (defaultConfig), and settings
// in settings.go lists them all with their names.
type Config struct {
	Data  string // data directory, absolute
	Addr  string // where serve listens
	Token string // what a request must carry; "" asks for none, on loopback only

	Model         string // "reader", or a spec as llm.Open reads it: "ollama:qwen3:4b"
	Models        string // further ones that a question may ask for, with commas between
	PlanModel     string // of the plan phase; "": Model plans too
	APIKey        string // for Model and PlanModel
	ContextTokens int    // window that Ollama is asked for
	Embedder      string // "lsa", or a spec as llm.OpenEmbedder reads it
	EmbedderKey   string
	SearchMode    string // auto, lexical, vector, rrf, mix
	Tools         string // auto, core, all
	Entities      string // auto, heuristic, model
	OCRLanguages  string // of scans, as tesseract names them: "eng+deu"; "": those that are installed
	Rerank        string // "off", "maxsim", or a spec as llm.OpenReranker reads it
	RerankKey     string
	Grading       string // of passages: auto, rules, model, off
	Verification  string // of answers: auto, rules, model, off
	Cache         string // of answers: on, off
	LogLevel      string // debug, info, warn, error

	WebSearch    string // "", or a spec as websearch.Open reads it: "brave"
	WebSearchKey string
	ImageModel   string // "", or a spec as llm.OpenPainter reads it
	ImageKey     string
	WebHosts     string // of the local network that may be fetched, with commas between

	Backup string // when backups are made and where, as backup.ParseSchedule reads it; "": never
	Scrub  string // how often all originals are read: weekly, monthly, off

	Limits Limits

	// Not settings, but of the process:
	Version string // of the program, as it was built
	Owner   string // the word in server.json
	Alone   bool   // it serves one command only

	File    string            // the file that was read, "" for none
	Origins map[string]string // setting → where its value comes from, absent for defaults

	Registry tool.Registry // tools that there are; nil: tool.Builtin()
	Dialects []llm.Dialect // that models are spoken to in; nil: llm.Builtin()
	Formats  format.List   // of files that are read; nil: document.Formats(). The workers must read the same

	Recovering bool // this is ibid recover, which opens a directory that others may not
}

// Limits bounds what one question and one file may cost.
type Limits struct {
	ToolCalls       int           // per question
	ModelRequests   int           // per question
	SearchResults   int           // per search of the model's
	WholeDocument   int           // tokens that the model is shown of a document at once
	HistoryMessages int           // given to the model
	HistoryChars    int           // kept of a conversation
	AnswerTime      time.Duration // per question
	Runs            int           // questions answered at once, others wait
	QueuedRuns      int           // that may wait
	Connections     int           // requests held at once
	FileMB          int           // of one added file
	AttachmentMB    int           // of the files of one question, together
	ExtractTime     time.Duration // to read one file
	KeepRemoved     time.Duration // of texts and bytes that nothing cites
	QueryRows       int           // of one query of a database
	QueryKB         int           // of one query's result
	QueryTime       time.Duration // of one query
}

func Default(e Environment) Config {
	return Config{
		Data:          platformDataDir(e),
		Addr:          "127.0.0.1:8080",
		Model:         BuiltInModel,
		ContextTokens: 8192,
		Embedder:      BuiltInEmbedder,
		SearchMode:    "auto",
		Tools:         ToolsAuto,
		Grading:       string(agent.JudgeAuto),
		Verification:  string(agent.JudgeAuto),
		Cache:         CacheOn,
		Entities:      entitiesAuto,
		Rerank:        RerankOff,
		LogLevel:      "info",
		Scrub:         scrubWeekly,
		Limits: Limits{
			ToolCalls:       20,
			ModelRequests:   50,
			SearchResults:   20,
			WholeDocument:   2000,
			HistoryMessages: 10,
			HistoryChars:    48_000,
			AnswerTime:      10 * time.Minute,
			Runs:            4,
			QueuedRuns:      100,
			Connections:     1000,
			FileMB:          100,
			AttachmentMB:    20,
			ExtractTime:     2 * time.Minute,
			KeepRemoved:     7 * 24 * time.Hour,
			QueryRows:       200,
			QueryKB:         64,
			QueryTime:       10 * time.Second,
		},
		Origins: map[string]string{},
	}
}

// Environment reads one environment variable, like os.LookupEnv.
type Environment func(name string) (string, bool)

// Get returns a variable's value, "" when it is not set.
func (e Environment) Get(name string) string {
	v, _ := e(name)
	return v
}

// Flags holds the settings given as flags: key → value.
type Flags map[string]string

// Load puts the configuration together: flags over IBID_… variables over
// one file over the defaults. On an error the Config is still good enough to
// find the data directory with, which is what doctor needs.
func Load(flags Flags, e Environment) (Config, error) {
	cfg := Default(e)
	if dir, origin, ok := lookup("data", flags, e); ok {
		if err := cfg.assign("data", dir, origin); err != nil {
			return cfg, err
		}
	}
	path, err := configFile(flags, e, cfg.Data)
	if err != nil {
		return cfg, err
	}
	// What is wrong in the file is reported last, so that flags and variables
	// hold even beside a broken file.
	var fileErr error
	if path != "" {
		cfg.File = path
		fileErr = cfg.readFile(path, e)
	}
	for _, s := range Settings() {
		value, origin, ok := lookup(s.Key, flags, e)
		if !ok {
			continue
		}
		if err := cfg.assign(s.Key, value, origin); err != nil {
			return cfg, err
		}
	}
	if fileErr != nil {
		return cfg, fileErr
	}
	if cfg.Data == "" {
		return cfg, badConfig("no data directory is known because HOME is not set; use --data DIR")
	}
	return cfg, nil
}

// lookup finds a setting among flags, then in the environment. An empty
// variable counts as not set.
func lookup(key string, flags Flags, e Environment) (value, origin string, ok bool) {
	value, origin, ok = flags[key], "--"+FlagName(key), true
	if _, given := flags[key]; !given {
		value, origin = e.Get(EnvName(key)), EnvName(key)
		ok = value != ""
	}
	if key == "data" {
		value = atHome(value, e)
	}
	return value, origin, ok
}

// atHome puts the home directory in the place of a leading ~, which no shell
// does in a file, and not every shell in --data=~/DIR.
func atHome(path string, e Environment) string {
	rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~")
	if home := e.Get("HOME"); ok && home != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(home, rest)
	}
	return path
}

func FlagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

func EnvName(key string) string {
	return "IBID_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// assign sets one value and remembers where it came from.
func (c *Config) assign(key, value, origin string) error {
	s, ok := findSetting(key)
	if !ok {
		return fmt.Errorf("set %s: no such setting", key)
	}
	if err := s.set(c, value); err != nil {
		var coded *ibid.Error
		if !errors.As(err, &coded) {
			return badConfig("%s: %v", origin, err)
		}
		bad := badConfig("%s: %s", origin, coded.Message)
		bad.Hint = coded.Hint
		return bad
	}
	c.Origins[key] = origin
	return nil
}

// configFile names the one file to read: the one asked for, else ibid.toml in
// the data directory, else config.toml in the user's configuration directory.
// "" means there is none.
func configFile(flags Flags, e Environment, dataDir string) (string, error) {
	asked, origin := flags["config"], "--config"
	if asked == "" {
		asked, origin = e.Get("IBID_CONFIG"), "IBID_CONFIG"
	}
	if asked = atHome(asked, e); asked != "" {
		if _, err := os.Stat(asked); err != nil {
			return "", badConfig("%s: %s: %s", origin, asked, say.Reason(err))
		}
		return asked, nil
	}
	candidates := []string{filepath.Join(dataDir, "ibid.toml")}
	if dir := platformConfigDir(e); dir != "" {
		candidates = append(candidates, filepath.Join(dir, "config.toml"))
	}
	for _, path := range candidates {
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, nil
		case errors.Is(err, syscall.ENOTDIR): // what uses the directory says so
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return "", badConfig("look for a configuration file: %v", err)
		}
	}
	return "", nil
}

// readFile takes every value of a TOML file. Keys in a [table] are written
// "table.key" here.
func (c *Config) readFile(path string, e Environment) error {
	var tree map[string]any
	if _, err := toml.DecodeFile(path, &tree); err != nil {
		return badConfig("%s: %v", path, err)
	}
	values := map[string]any{}
	flatten("", tree, values)
	for _, key := range sortedKeys(values) {
		if err := c.takeFromFile(path, key, values[key], e); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) takeFromFile(path, key string, value any, e Environment) error {
	s, ok := findSetting(key)
	if !ok {
		return unknownKey(path, key)
	}
	if key == "data" && path == filepath.Join(c.Data, "ibid.toml") {
		return badConfig("%s: data cannot be set inside the data directory", path)
	}
	text, ok := s.kind.fromTOML(value)
	if !ok {
		return badConfig("%s: %s must be %s", path, key, s.kind)
	}
	if key == "data" {
		if text = atHome(text, e); !filepath.IsAbs(text) {
			return badConfig("%s: data must be an absolute path, or begin with ~/, not %q", path, text)
		}
	}
	return c.assign(key, text, path)
}

func flatten(prefix string, tree map[string]any, into map[string]any) {
	for key, value := range tree {
		if sub, ok := value.(map[string]any); ok {
			flatten(prefix+key+".", sub, into)
			continue
		}
		into[prefix+key] = value
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func unknownKey(path, key string) error {
	err := badConfig("%s: unknown key %q", path, key)
	if near := say.Nearest(key, Keys()); near != "" {
		err.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return err
}

func badConfig(format string, args ...any) *ibid.Error {
	return ibid.Errorf(ibid.CodeBadRequest, "configuration: "+format, args...)
}
