package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ModelSpec names a language model or an embedder: "reader", "lsa",
// "ollama:qwen3:4b", "openai:gpt-4o-mini@https://api.openai.com/v1".
type ModelSpec struct {
	Provider string // reader, lsa, ollama, openai; "" for none
	Name     string // as the server knows it; "" for what is built in
	URL      string // base URL without a trailing slash; "" for what is built in
}

// provider is a kind of server, or one of the two that are built in.
type provider struct {
	name string
	url  string // where it is looked for when the spec names no URL; "" for built in
}

const openAIURL = "https://api.openai.com/v1"

func modelProviders() []provider {
	return []provider{{"reader", ""}, {"ollama", "http://127.0.0.1:11434"}, {"openai", openAIURL}}
}

func embedderProviders() []provider {
	return []provider{{"lsa", ""}, {"ollama", "http://127.0.0.1:11434"}, {"openai", openAIURL}}
}

// parseSpec reads PROVIDER[:NAME[@URL]]. Names may hold colons and @ signs; the
// URL starts at "@http".
func parseSpec(s string, providers []provider) (ModelSpec, error) {
	name, rest, _ := strings.Cut(s, ":")
	i := slices.IndexFunc(providers, func(p provider) bool { return p.name == name })
	if i < 0 {
		return ModelSpec{}, fmt.Errorf("%q is no model; write %s", s, specForms(providers))
	}
	p := providers[i]
	if p.url == "" {
		if rest != "" {
			return ModelSpec{}, fmt.Errorf("%s is built in and takes no name, but got %q", p.name, rest)
		}
		return ModelSpec{Provider: p.name}, nil
	}
	spec := ModelSpec{Provider: p.name, Name: rest, URL: p.url}
	for _, scheme := range []string{"@http://", "@https://"} {
		if at := strings.LastIndex(rest, scheme); at >= 0 {
			spec.Name, spec.URL = rest[:at], strings.TrimRight(rest[at+1:], "/")
		}
	}
	if spec.Name == "" {
		return ModelSpec{}, fmt.Errorf("%q names no model; write %s:NAME or %s:NAME@URL", s, p.name, p.name)
	}
	u, err := url.Parse(spec.URL)
	if err != nil || u.Host == "" {
		return ModelSpec{}, fmt.Errorf("%q is no URL of a server", spec.URL)
	}
	if u.User != nil {
		return ModelSpec{}, fmt.Errorf("a password does not belong in a model's URL; set api_key")
	}
	return spec, nil
}

func specForms(providers []provider) string {
	var forms []string
	for _, p := range providers {
		form := p.name
		if p.url != "" {
			form += ":NAME[@URL]"
		}
		forms = append(forms, form)
	}
	return strings.Join(forms, ", ")
}

// String writes the spec as parseSpec reads it, without a URL that is the
// default.
func (m ModelSpec) String() string {
	if m.Name == "" {
		return m.Provider
	}
	s := m.Provider + ":" + m.Name
	for _, p := range modelProviders() {
		if p.name == m.Provider && p.url == m.URL {
			return s
		}
	}
	return s + "@" + m.URL
}

// isOpenAI reports whether the server is OpenAI's own.
func (m ModelSpec) isOpenAI() bool {
	u, err := url.Parse(m.URL)
	return m.Provider == "openai" && err == nil && u.Scheme == "https" && u.Host == "api.openai.com"
}

func specSetting(field func(*Config) *ModelSpec, providers func() []provider) func(*Config, string) error {
	return func(c *Config, v string) error {
		spec, err := parseSpec(v, providers())
		if err != nil {
			return err
		}
		*field(c) = spec
		return nil
	}
}
