package app

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/llm"
	"ibid/internal/reader"
	"ibid/internal/search"
)

func (a *App) openModels(context.Context) (err error) {
	if a.choices, err = openChoices(a.cfg); err != nil {
		return err
	}
	a.model = a.choices[0].model
	if a.cfg.PlanModel != "" {
		if a.planner, err = OpenModel(a.cfg, a.cfg.PlanModel); err != nil {
			return err
		}
	}
	a.embedder, err = OpenEmbedder(a.cfg)
	return err
}

// namer is the model that says what passages name; nil for the heuristic alone.
func (a *App) namer() ibid.Model {
	if a.cfg.Entities != config.EntitiesModel || a.cfg.Model == config.BuiltInModel {
		return nil
	}
	return a.model
}

// OpenReranker returns what cfg.Rerank names, nil for none. embedder returns the
// one in use.
func OpenReranker(cfg config.Config, embedder func() ibid.Embedder) (search.Reranker, error) {
	switch cfg.Rerank {
	case config.RerankOff:
		return nil, nil
	case config.RerankMaxSim:
		return search.NewMaxSim(embedder), nil
	}
	return llm.OpenReranker(llm.Config{Spec: cfg.Rerank, APIKey: cfg.RerankKey})
}

func OpenModel(cfg config.Config, spec string) (ibid.Model, error) {
	if spec == config.BuiltInModel {
		return reader.New(), nil
	}
	return llm.Open(llm.Config{Spec: spec, APIKey: cfg.APIKey, ContextTokens: cfg.ContextTokens, Dialects: cfg.Dialects})
}

// OpenEmbedder opens the user's own embedder; nil stands for the built-in one.
func OpenEmbedder(cfg config.Config) (ibid.Embedder, error) {
	if cfg.Embedder == config.BuiltInEmbedder {
		return nil, nil
	}
	return llm.OpenEmbedder(llm.Config{Spec: cfg.Embedder, APIKey: cfg.EmbedderKey, Dialects: cfg.Dialects})
}

// choice is a model that a question may ask for.
type choice struct {
	model   ibid.Model
	spec    string // as it is configured
	builtIn bool

	capabilities atomic.Pointer[ibid.Capabilities] // once the model has told them
}

// openChoices opens every model that may answer: the one that answers unless a
// question says otherwise, those of the setting models, and the built-in reader.
// Each is called by its name, and stands there once. The key of the default goes
// to no other server: theirs are in the environment.
func openChoices(cfg config.Config) ([]*choice, error) {
	var choices []*choice
	known := map[string]bool{}
	for i, spec := range append(append([]string{cfg.Model}, config.SpecList(cfg.Models)...), config.BuiltInModel) {
		if i > 0 {
			cfg.APIKey = ""
		}
		m, err := OpenModel(cfg, spec)
		if err != nil {
			return nil, err
		}
		if !known[m.Name()] {
			known[m.Name()] = true
			choices = append(choices, &choice{model: m, spec: spec, builtIn: spec == config.BuiltInModel})
		}
	}
	return choices, nil
}

// chosen returns the model of a name; "" is the one that answers by default.
func (a *App) chosen(name string) (*choice, error) {
	var names []string
	for _, c := range a.choices {
		if name == "" || c.model.Name() == name {
			return c, nil
		}
		names = append(names, c.model.Name())
	}
	return nil, &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("there is no model %q to choose", name),
		Hint: "there are " + strings.Join(names, ", ") + "; the setting models names more"}
}

// choosable says why a question cannot ask for a model.
func (a *App) choosable(name string) error {
	_, err := a.chosen(name)
	return err
}

// sees reports whether a model can look at pictures. Its server is asked once;
// while that does not answer, the model sees none.
func (c *choice) sees(ctx context.Context) bool {
	if c.builtIn {
		return false
	}
	if known := c.capabilities.Load(); known != nil {
		return known.Images
	}
	capabilities, err := probe(ctx, c.model)
	if err != nil {
		return false
	}
	c.capabilities.Store(&capabilities)
	return capabilities.Images
}

// writer is the model where it writes text of its own; nil for the reader.
func (c *choice) writer() ibid.Model {
	if c.builtIn {
		return nil
	}
	return c.model
}

// roomyContext is the window, in tokens, from which on a model is offered all
// tools where the configuration leaves the choice open. What each is for takes
// some hundred tokens of every request, and the more ways to search there are,
// the more often a small model takes the wrong one.
const roomyContext = 16_384

// offersAll reports whether a model is offered all tools.
func (c *choice) offersAll(cfg config.Config) bool {
	switch cfg.Tools {
	case config.ToolsAll:
		return true
	case config.ToolsCore:
		return false
	}
	return cfg.ContextTokens >= roomyContext || !llm.Config{Spec: c.spec, Dialects: cfg.Dialects}.ChoosesWindow()
}
