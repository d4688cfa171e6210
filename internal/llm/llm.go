package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
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

// Where the servers are when the spec does not say.
const (
	defaultOllama = "http://127.0.0.1:11434"
	defaultOpenAI = "https://api.openai.com/v1"
	defaultClaude = "https://api.anthropic.com/v1"
	defaultGemini = "https://generativelanguage.googleapis.com/v1beta"
)

// Open returns the language model that cfg.Spec names. It calls nobody: a model
// that cannot be reached shows in Probe and Generate.
func Open(cfg Config) (ibid.Model, error) {
	spec, err := parseSpec(cfg.Spec)
	if err != nil {
		return nil, err
	}
	switch spec.provider {
	case "ollama":
		return newOllama(cfg, spec), nil
	case "anthropic":
		return orError(newAnthropic(cfg, spec))
	case "gemini":
		return orError(newGemini(cfg, spec))
	default:
		return newOpenAI(cfg, spec), nil
	}
}

// orError keeps a model that is not there from being a value that is.
func orError[M ibid.Model](m M, err error) (ibid.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// OpenEmbedder returns the embedding model that cfg.Spec names.
func OpenEmbedder(cfg Config) (ibid.Embedder, error) {
	spec, err := parseSpec(cfg.Spec)
	if err != nil {
		return nil, err
	}
	switch spec.provider {
	case "ollama":
		return newOllamaEmbedder(cfg, spec), nil
	case "gemini":
		return newGeminiEmbedder(cfg, spec)
	case "anthropic":
		return nil, &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("embedder %q: Anthropic has no embedding models", cfg.Spec),
			Hint: "write ollama:MODEL, openai:MODEL@URL or gemini:MODEL"}
	default:
		return newOpenAIEmbedder(cfg, spec), nil
	}
}

// spec is a model's address, taken apart.
type spec struct {
	provider string // "ollama", "openai", "anthropic" or "gemini"
	model    string
	base     *url.URL // without a trailing slash
}

// parseSpec reads PROVIDER:MODEL[@URL].
func parseSpec(s string) (spec, error) {
	const forms = "write ollama:MODEL, ollama:MODEL@http://HOST:11434, openai:MODEL@http://HOST:PORT/v1, anthropic:MODEL or gemini:MODEL"
	bad := func(format string, args ...any) (spec, error) {
		e := ibid.Errorf(ibid.CodeBadRequest, "model %q: "+format, append([]any{s}, args...)...)
		e.Hint = forms
		return spec{}, e
	}
	provider, rest, ok := strings.Cut(strings.TrimSpace(s), ":")
	provider = strings.ToLower(provider)
	address, known := map[string]string{"ollama": defaultOllama, "openai": defaultOpenAI, "gemini": defaultGemini, "anthropic": defaultClaude}[provider]
	if !known {
		return bad("there is no provider %q", provider)
	}
	model := rest
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
	if (provider == "openai" || provider == "anthropic") && base.Path == "" {
		base.Path = "/v1"
	}
	return spec{provider: provider, model: model, base: base}, nil
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

// official reports whether the server is OpenAI's own.
func (s spec) official() bool { return s.base.Hostname() == "api.openai.com" }

// ownKeys are where the keys of providers are looked for, by the host that they
// are meant for.
var ownKeys = map[string]string{
	"api.openai.com":                    "OPENAI_API_KEY",
	"generativelanguage.googleapis.com": "GEMINI_API_KEY",
	"api.anthropic.com":                 "ANTHROPIC_API_KEY",
}

// key returns the API key to send. One from the environment goes to its own
// provider, encrypted, and to nobody else.
func (s spec) key(cfg Config) string {
	if name, ok := ownKeys[s.base.Hostname()]; ok && cfg.APIKey == "" && s.base.Scheme == "https" {
		return os.Getenv(name)
	}
	return cfg.APIKey
}
