package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid"
)

// Config says which model to reach and how patient to be with it. Zero fields
// take the defaults below.
type Config struct {
	// Spec names the model: "ollama:MODEL", "ollama:MODEL@URL",
	// "openai:MODEL@URL", where URL is the base URL of the server; or
	// "gemini:MODEL"; for models also "anthropic:MODEL".
	Spec string
	// APIKey is sent to the server. "": for the own APIs of OpenAI, Anthropic and
	// Google, and over https only, $OPENAI_API_KEY, $ANTHROPIC_API_KEY and
	// $GEMINI_API_KEY; else none.
	APIKey string

	ContextTokens    int           // Ollama: the window to begin with; 8192
	MaxContextTokens int           // Ollama: the window may grow to this; 32768
	KeepAlive        time.Duration // Ollama: how long the model stays loaded; 0: the server's default
	Dimensions       int           // embedders: shorten vectors to this; 0: the model's own

	HeaderTimeout    time.Duration // until an answer begins, loading the model included; 5 min
	IdleTimeout      time.Duration // between two pieces of an answer; 2 min
	MaxResponseBytes int64         // 32 MiB

	Transport http.RoundTripper // nil: our own, HTTP/1.1
	Dialects  []Dialect         // that specs may name; nil: Builtin()
}

func (c Config) withDefaults() Config {
	if c.ContextTokens <= 0 {
		c.ContextTokens = 8192
	}
	if c.MaxContextTokens <= 0 {
		c.MaxContextTokens = 32768
	}
	c.MaxContextTokens = max(c.MaxContextTokens, c.ContextTokens)
	if c.HeaderTimeout <= 0 {
		c.HeaderTimeout = 5 * time.Minute
	}
	if c.IdleTimeout <= 0 {
		c.IdleTimeout = 2 * time.Minute
	}
	if c.MaxResponseBytes <= 0 {
		c.MaxResponseBytes = 32 << 20
	}
	return c
}

// Open returns the language model that cfg.Spec names. It calls nobody: a model
// that cannot be reached shows in Probe and Generate.
func Open(cfg Config) (ibid.Model, error) {
	spec, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	if spec.dialect.open != nil {
		return spec.dialect.open(cfg, spec)
	}
	m, err := newStreamed(cfg, spec.dialect, spec)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// OpenEmbedder returns the embedding model that cfg.Spec names.
func OpenEmbedder(cfg Config) (ibid.Embedder, error) {
	spec, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	if spec.dialect.embed == nil {
		return nil, &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("embedder %q: %s has no embedding models", cfg.Spec, spec.dialect.Server),
			Hint: "write ollama:MODEL, openai:MODEL@URL or gemini:MODEL"}
	}
	return spec.dialect.embed(cfg, spec)
}

// spec is a model's address, taken apart.
type spec struct {
	dialect Dialect
	model   string
	base    *url.URL // without a trailing slash
}

// parse reads the spec: DIALECT:MODEL[@URL].
func (c Config) parse() (spec, error) {
	s := c.Spec
	bad := func(format string, args ...any) (spec, error) {
		e := ibid.Errorf(ibid.CodeBadRequest, "model %q: "+format, append([]any{s}, args...)...)
		e.Hint = c.forms()
		return spec{}, e
	}
	provider, rest, ok := strings.Cut(strings.TrimSpace(s), ":")
	provider = strings.ToLower(provider)
	d, known := c.dialect(provider)
	if !known {
		return bad("there is no provider %q", provider)
	}
	model, address := rest, d.Base
	if i := strings.LastIndex(rest, "@http"); i >= 0 {
		model, address = rest[:i], rest[i+1:]
	} else if i := strings.LastIndex(rest, "@"); i > 0 && strings.ContainsAny(rest[i:], ":./") {
		return bad("the URL after @ must begin with http:// or https://")
	}
	if !ok || model == "" || strings.ContainsAny(model, " \t\n") {
		return bad("the name of the model is missing")
	}
	base, err := parseBase(address)
	if err != nil {
		return bad("%v", err)
	}
	if base.Path == "" {
		base.Path = d.Path
	}
	return spec{dialect: d, model: model, base: base}, nil
}

// parseBase checks a base URL.
func parseBase(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the URL cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the URL must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, fmt.Errorf("the URL has no host")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the URL must end with its path")
	case u.User != nil:
		return nil, fmt.Errorf("the URL must not hold a password: give the API key in the configuration")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}
