package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"ibid"
)

// probeTime bounds how long a question about a model may take.
const probeTime = 5 * time.Second

// Probe implements ibid.Prober. It always asks.
func (m *ollama) Probe(ctx context.Context) (ibid.Capabilities, error) {
	caps, f := m.show(ctx)
	if f == nil {
		return caps, nil
	}
	if f.status == http.StatusNotFound && ctx.Err() == nil {
		m.explainMissing(ctx, f)
	}
	return ibid.Capabilities{}, result(ctx, f)
}

// capabilities returns what is known about the model, and asks when nothing is.
// While Ollama does not tell, the model is taken to be able to do everything:
// it says no itself.
func (m *ollama) capabilities(ctx context.Context) ibid.Capabilities {
	if caps := m.caps.Load(); caps != nil {
		return *caps
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	caps, f := m.show(ctx)
	if f != nil {
		return ibid.Capabilities{Thinking: true, Tools: true, Images: true}
	}
	return caps
}

// show asks what the model can do, and remembers it.
func (m *ollama) show(ctx context.Context) (ibid.Capabilities, *failure) {
	resp, f := m.post(ctx, m.base+"/api/show", map[string]string{"model": m.model})
	if f != nil {
		return ibid.Capabilities{}, f
	}
	defer resp.Body.Close()
	var shown struct {
		Capabilities []string                   `json:"capabilities"`
		ModelInfo    map[string]json.RawMessage `json:"model_info"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&shown); err != nil {
		return ibid.Capabilities{}, m.garbled(err)
	}
	var caps ibid.Capabilities
	for _, c := range shown.Capabilities {
		switch c {
		case "thinking":
			caps.Thinking = true
		case "tools":
			caps.Tools = true
		case "vision":
			caps.Images = true
		}
	}
	if shown.Capabilities == nil { // before Ollama 0.6.4
		caps = ibid.Capabilities{Thinking: true, Tools: true, Images: true}
	}
	for key, value := range shown.ModelInfo {
		if strings.HasSuffix(key, ".context_length") {
			json.Unmarshal(value, &caps.ContextTokens)
		}
	}
	m.caps.Store(&caps)
	return caps, nil
}

// installed lists the models that Ollama has, as far as it tells.
func (m *ollama) installed(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if m.get(ctx, m.base+"/api/tags", &list) != nil {
		return nil
	}
	var names []string
	for _, model := range list.Models {
		names = append(names, strings.TrimSuffix(model.Name, ":latest"))
	}
	return names
}
