package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

// trials are the settings that name something which can be tried.
func (a *App) trials() map[string]func(context.Context) (string, error) {
	trials := map[string]func(context.Context) (string, error){
		"model":    func(ctx context.Context) (string, error) { return tryModel(ctx, a.model) },
		"embedder": a.tryEmbedder,
	}
	if a.planner != nil {
		trials["plan_model"] = func(ctx context.Context) (string, error) { return tryModel(ctx, a.planner) }
	}
	return trials
}

func (a *App) settings() api.Settings {
	report := api.Settings{File: a.cfg.File, Settings: []api.Setting{}}
	if report.File == "" {
		report.File = filepath.Join(a.cfg.Data, "ibid.toml")
	}
	trials := a.trials()
	for _, s := range config.Settings() {
		value := s.Show(a.cfg)
		r := api.Setting{Key: s.Key, Value: value, Secret: s.Secret, Set: value != "", Origin: a.cfg.Origins[s.Key],
			About: s.About, Variable: config.EnvName(s.Key)}
		if s.Secret {
			r.Value = ""
		}
		if trials[s.Key] != nil {
			r.Test = s.Key
		}
		report.Settings = append(report.Settings, r)
	}
	return report
}

// trialTime bounds a trial: a model may have to be loaded first.
const trialTime = 2 * time.Minute

// try asks what a setting names for a small piece of work.
func (a *App) try(ctx context.Context, key string) (api.Trial, error) {
	run := a.trials()[key]
	if run == nil {
		return api.Trial{}, &ibid.Error{Code: ibid.CodeNotFound, Message: fmt.Sprintf("there is nothing to test about %q", key),
			Hint: "model, plan_model and embedder can be tested, where they are set"}
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	start := time.Now()
	message, err := run(ctx)
	result := api.Trial{OK: err == nil, Message: message, TookMS: time.Since(start).Milliseconds()}
	if err != nil {
		check := api.Bad(key, api.LevelFail, err, "ibid doctor says more")
		result.Message, result.Hint = check.Message, check.Hint
	}
	return result, nil
}

// tryModel lets a model say a word. One that thinks may need some room for it.
func tryModel(ctx context.Context, m ibid.Model) (string, error) {
	if m.Name() == config.BuiltInModel {
		return "built in: it is always there, and answers by quoting", nil
	}
	resp, err := m.Generate(ctx, ibid.ModelRequest{
		Brief: &ibid.Brief{Instruction: ibid.InstructTrial}, Turns: []ibid.Turn{ibid.About(ibid.Subject{})},
		Think: ibid.ThinkOff, MaxTokens: 256,
	}, func(ibid.ModelDelta) {})
	if err != nil {
		return "", err
	}
	said := strings.TrimSpace(resp.Turn.Text())
	if said == "" {
		return fmt.Sprintf("%s answers, but said nothing in %d tokens", m.Name(), resp.Usage.OutputTokens), nil
	}
	return fmt.Sprintf("%s answers: %s", m.Name(), say.OneLine(said, 120)), nil
}

func (a *App) tryEmbedder(ctx context.Context) (string, error) {
	if a.embedder == nil {
		return "built in, fitted on your documents", nil
	}
	vectors, err := a.embedder.Embed(ctx, []string{"a passage", "another one"}, ibid.EmbedPassage)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s answers with vectors of %d dimensions", a.embedder.Name(), len(vectors[0])), nil
}
