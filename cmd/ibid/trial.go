package main

import (
	"context"
	"fmt"
	"ibid/internal/server/api"
	"path/filepath"
	"strings"
	"time"

	"ibid"
)

// settingReport is one setting as GET /v1/settings shows it. The value of a
// secret is never among it.
type settingReport struct {
	Key      string `json:"key"`
	Value    string `json:"value"` // "" for a secret
	Secret   bool   `json:"secret,omitempty"`
	Set      bool   `json:"set"`              // it has a value that is not empty
	Origin   string `json:"origin,omitempty"` // where the value comes from, "" for the default
	About    string `json:"about"`
	Variable string `json:"variable"` // of the environment
	Test     string `json:"test,omitempty"`
}

// settingsReport is GET /v1/settings.
type settingsReport struct {
	File     string          `json:"file"` // where settings are written; it need not exist yet
	Settings []settingReport `json:"settings"`
}

// trials are the settings that name something which can be tried.
func (a *app) trials() map[string]func(context.Context) (string, error) {
	trials := map[string]func(context.Context) (string, error){
		"model":    func(ctx context.Context) (string, error) { return tryModel(ctx, a.model) },
		"embedder": a.tryEmbedder,
	}
	if a.planner != nil {
		trials["plan_model"] = func(ctx context.Context) (string, error) { return tryModel(ctx, a.planner) }
	}
	return trials
}

func (a *app) settings() any {
	report := settingsReport{File: a.cfg.File, Settings: []settingReport{}}
	if report.File == "" {
		report.File = filepath.Join(a.cfg.Data, "ibid.toml")
	}
	trials := a.trials()
	for _, s := range settings() {
		value := s.show(a.cfg)
		r := settingReport{Key: s.key, Value: value, Secret: s.secret, Set: value != "", Origin: a.cfg.Origins[s.key],
			About: s.about, Variable: envName(s.key)}
		if s.secret {
			r.Value = ""
		}
		if trials[s.key] != nil {
			r.Test = s.key
		}
		report.Settings = append(report.Settings, r)
	}
	return report
}

// trialTime bounds a trial: a model may have to be loaded first.
const trialTime = 2 * time.Minute

// trial is what trying a setting came to.
type trial struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	TookMS  int64  `json:"took_ms"`
}

// try asks what a setting names for a small piece of work.
func (a *app) try(ctx context.Context, key string) (any, error) {
	run := a.trials()[key]
	if run == nil {
		return nil, &ibid.Error{Code: ibid.CodeNotFound, Message: fmt.Sprintf("there is nothing to test about %q", key),
			Hint: "model, plan_model and embedder can be tested, where they are set"}
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	start := time.Now()
	message, err := run(ctx)
	result := trial{OK: err == nil, Message: message, TookMS: time.Since(start).Milliseconds()}
	if err != nil {
		check := bad(key, api.LevelFail, err, "ibid doctor says more")
		result.Message, result.Hint = check.Message, check.Hint
	}
	return result, nil
}

// tryModel lets a model say a word. One that thinks may need some room for it.
func tryModel(ctx context.Context, m ibid.Model) (string, error) {
	if m.Name() == builtInModel {
		return "built in: it is always there, and answers by quoting", nil
	}
	resp, err := m.Generate(ctx, ibid.ModelRequest{
		System: "You are being tested.", Turns: []ibid.Turn{ibid.UserTurn("Reply with the one word: ready")},
		Think: ibid.ThinkOff, MaxTokens: 256,
	}, func(ibid.ModelDelta) {})
	if err != nil {
		return "", err
	}
	said := strings.TrimSpace(resp.Turn.Text())
	if said == "" {
		return fmt.Sprintf("%s answers, but said nothing in %d tokens", m.Name(), resp.Usage.OutputTokens), nil
	}
	return fmt.Sprintf("%s answers: %s", m.Name(), oneLine(said, 120)), nil
}

func (a *app) tryEmbedder(ctx context.Context) (string, error) {
	if a.embedder == nil {
		return "built in, fitted on your documents", nil
	}
	vectors, err := a.embedder.Embed(ctx, []string{"a passage", "another one"}, ibid.EmbedPassage)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s answers with vectors of %d dimensions", a.embedder.Name(), len(vectors[0])), nil
}
