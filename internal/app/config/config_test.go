package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cfg, err := Load(nil, ibidtest.Environment("HOME", home))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.File != "" || len(cfg.Origins) != 0 {
		t.Errorf("read %q, origins %v, want defaults only", cfg.File, cfg.Origins)
	}
	if got := cfg.Model + " " + cfg.Embedder + " " + cfg.Addr; got != "reader lsa 127.0.0.1:8080" {
		t.Errorf("defaults are %s", got)
	}
	if !strings.HasPrefix(cfg.Data, home) {
		t.Errorf("data directory %s is not below the home directory", cfg.Data)
	}
}

func TestConfigPrecedence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ibidtest.WriteFile(t, filepath.Join(dir, "ibid.toml"), `
model = "ollama:from-file"
log_level = "debug"
context_tokens = 4096
[limits]
tool_calls = 3
answer_time = "90s"
`)
	cfg, err := Load(
		Flags{"data": dir, "model": "ollama:from-flag"},
		ibidtest.Environment("HOME", "/home/nobody", "IBID_MODEL", "ollama:from-env", "IBID_LOG_LEVEL", "warn", "IBID_LIMITS_RUNS", "2", "IBID_TOKEN", ""))
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Model; got != "ollama:from-flag" {
		t.Errorf("model is %q: a flag must win over environment and file", got)
	}
	if cfg.LogLevel != "warn" {
		t.Errorf("log level is %q: the environment must win over the file", cfg.LogLevel)
	}
	if cfg.ContextTokens != 4096 || cfg.Limits.ToolCalls != 3 || cfg.Limits.AnswerTime != 90*time.Second {
		t.Errorf("the file was not taken: %+v", cfg)
	}
	if cfg.Limits.Runs != 2 || cfg.Limits.ModelRequests != 50 {
		t.Errorf("limits are %+v", cfg.Limits)
	}
	for key, want := range map[string]string{
		"data": "--data", "model": "--model", "log_level": "IBID_LOG_LEVEL",
		"limits.tool_calls": filepath.Join(dir, "ibid.toml"), "limits.runs": "IBID_LIMITS_RUNS", "token": "",
	} {
		if got := cfg.Origins[key]; got != want {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
}

func TestConfigFileChosen(t *testing.T) {
	t.Parallel()
	home, data := t.TempDir(), t.TempDir()
	user := ibidtest.WriteFile(t, filepath.Join(home, "xdg", "ibid", "config.toml"), `log_level = "error"`)
	e := ibidtest.Environment("HOME", home, "XDG_CONFIG_HOME", filepath.Join(home, "xdg"), "IBID_DATA", data)

	cfg, err := Load(nil, e)
	if err != nil || cfg.File != user || cfg.LogLevel != "error" {
		t.Errorf("without others: read %q (%v), want the user's file", cfg.File, err)
	}
	inData := ibidtest.WriteFile(t, filepath.Join(data, "ibid.toml"), `log_level = "warn"`)
	cfg, err = Load(nil, e)
	if err != nil || cfg.File != inData {
		t.Errorf("read %q (%v), want the one in the data directory", cfg.File, err)
	}
	asked := ibidtest.WriteFile(t, filepath.Join(home, "other.toml"), `data = "/srv/ibid"`)
	cfg, err = Load(Flags{"config": asked}, ibidtest.Environment("HOME", home))
	if err != nil || cfg.File != asked || cfg.Data != "/srv/ibid" {
		t.Errorf("read %q, data %q (%v), want the file asked for", cfg.File, cfg.Data, err)
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct {
		name, file string
		flags      Flags
		env        []string
		want       string
	}{
		{"misspelt key", `modle = "reader"`, nil, nil, `unknown key "modle" (did you mean "model"?)`},
		{"misspelt key in a table", "[limits]\ntool_cals = 3", nil, nil, `did you mean "limits.tool_calls"?`},
		{"key like no other", `zzzzzzzzzzzz = 1`, nil, nil, `unknown key "zzzzzzzzzzzz"`},
		{"wrong type", `context_tokens = "many"`, nil, nil, "context_tokens must be a whole number"},
		{"number for text", `model = 5`, nil, nil, `model must be text in "quotes"`},
		{"list for text", `model = ["a"]`, nil, nil, `model must be text`},
		{"out of range", `[limits]` + "\nruns = 0", nil, nil, "limits.runs must be a whole number from 1 to 1000"},
		{"not TOML", "model = ", nil, nil, "line 1"},
		{"data inside itself", `data = "/elsewhere"`, nil, nil, "cannot be set inside the data directory"},
		{"bad variable", "", nil, []string{"IBID_LIMITS_RUNS", "lots"}, "IBID_LIMITS_RUNS: limits.runs must be"},
		{"bad flag", "", Flags{"model": "chatty"}, nil, `--model: model "chatty"`},
		{"bad address", "", Flags{"addr": "8080"}, nil, "an address is HOST:PORT"},
		{"bad word", `search_mode = "fast"`, nil, nil, "search_mode must be one of auto, lexical"},
		{"data from who knows where", "", Flags{"config": "relative.toml"}, nil, "data must be an absolute path"},
		{"missing file", "", Flags{"config": "/nowhere/ibid.toml"}, nil, "--config"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.file != "" {
				ibidtest.WriteFile(t, filepath.Join(dir, "ibid.toml"), tt.file)
			}
			t.Chdir(dir)
			ibidtest.WriteFile(t, "relative.toml", `data = "documents"`)
			flags := Flags{"data": dir}
			for k, v := range tt.flags {
				flags[k] = v
			}
			cfg, err := Load(flags, ibidtest.Environment(append(tt.env, "HOME", dir)...))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
			if ibid.CodeOf(err) != ibid.CodeBadRequest {
				t.Errorf("code is %s", ibid.CodeOf(err))
			}
			if cfg.Data != dir {
				t.Errorf("the data directory %q is lost, doctor needs it", cfg.Data)
			}
		})
	}
}

func TestConfigNeedsADataDirectory(t *testing.T) {
	t.Parallel()
	if _, err := Load(nil, ibidtest.Environment()); err == nil || !strings.Contains(err.Error(), "use --data DIR") {
		t.Errorf("error is %v", err)
	}
}

func TestShortDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		90 * time.Second: "1m30s", 10 * time.Minute: "10m", 2 * time.Hour: "2h", 30 * time.Second: "30s",
		time.Hour + time.Second: "1h0m1s", 10 * time.Hour: "10h",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%d is written %s, want %s", d, got, want)
		}
	}
}

// A shell replaces ~ on the command line only, and a folder called ~ in every
// working directory is nobody's wish.
func TestHomeInPaths(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := ibidtest.WriteFile(t, filepath.Join(home, "c.toml"), `data = "~/from-file"`)
	for _, tt := range []struct {
		flags Flags
		env   []string
		want  string
	}{
		{Flags{"config": file}, nil, filepath.Join(home, "from-file")},
		{Flags{"config": "~/c.toml"}, nil, filepath.Join(home, "from-file")},
		{Flags{"data": "~/from-flag"}, nil, filepath.Join(home, "from-flag")},
		{nil, []string{"IBID_DATA", "~"}, home},
		{nil, []string{"IBID_DATA", "/~user"}, "/~user"},
	} {
		cfg, err := Load(tt.flags, ibidtest.Environment(append(tt.env, "HOME", home)...))
		if err != nil || cfg.Data != tt.want {
			t.Errorf("%v %v: data is %q, want %q (%v)", tt.flags, tt.env, cfg.Data, tt.want, err)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Setenv("IBID_FILE_PASSWORD", "of the files to add")
	t.Setenv("IBID_MODLE", "reader")
	if unknown := UnknownVariables(); !slices.Contains(unknown, "IBID_MODLE") || slices.Contains(unknown, "IBID_FILE_PASSWORD") {
		t.Errorf("unknown are %q", unknown)
	}
}
