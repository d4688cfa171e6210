package api

import (
	"errors"
	"fmt"

	"ibid"
	"ibid/internal/engine"
	"ibid/internal/ingest"
)

// Repaired is what POST /v1/doctor/repair answers: what was wrong before, and how
// long mending it took.
type Repaired struct {
	engine.Agreement
	TookMS int64 `json:"took_ms"`
}

// Checks is GET /v1/doctor.
type Checks struct {
	Checks []Check `json:"checks"`
}

// Check is one finding of doctor.
type Check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Level   string `json:"level"` // LevelOK, LevelWarn, LevelFail
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Levels of a Check.
const (
	LevelOK   = "ok"
	LevelWarn = "warn"
	LevelFail = "fail"
)

// Status is GET /v1/status.
type Status struct {
	Version   string         `json:"version"`
	Ready     bool           `json:"ready"`
	Model     ModelStatus    `json:"model"`
	Models    []string       `json:"models"` // that a question may ask for, the default first
	Embedder  EmbedderStatus `json:"embedder"`
	Queue     ingest.Queue   `json:"queue"` // documents that are being taken in
	Entities  EntitiesStatus `json:"entities"`
	Documents int            `json:"documents"`
	Chunks    int            `json:"chunks"`
	Threads   int            `json:"threads"`
	Runs      int            `json:"runs"`  // being answered now
	Tools     []string       `json:"tools"` // that an answer may use, and a question may force
	Backup    BackupStatus   `json:"backup"`
	Scrub     ScrubStatus    `json:"scrub"`
}

// ModelStatus is the model that answers by default.
type ModelStatus struct {
	Name         string            `json:"name"`
	BuiltIn      bool              `json:"built_in"`
	Reachable    bool              `json:"reachable"`
	Capabilities ibid.Capabilities `json:"capabilities"`
	Error        string            `json:"error,omitempty"`
	Hint         string            `json:"hint,omitempty"`
}

// EmbedderStatus is what turns text into vectors, and how far it is.
type EmbedderStatus struct {
	Name    string `json:"name"`
	BuiltIn bool   `json:"built_in"`
	ingest.Embedding
	Error string `json:"error,omitempty"` // why chunks wait for it
}

// EntitiesStatus says how far it is known what the passages name.
type EntitiesStatus struct {
	ingest.NamingProgress
	Error string `json:"error,omitempty"` // why passages wait for the model
}

// Good is a check that found nothing wrong.
func Good(name, format string, args ...any) Check {
	return Check{Name: name, OK: true, Level: LevelOK, Message: fmt.Sprintf(format, args...)}
}

// Bad is a check that found something; hint says how to mend it where err does not.
func Bad(name, level string, err error, hint string) Check {
	c := Check{Name: name, OK: level != LevelFail, Level: level, Message: err.Error(), Hint: hint}
	var known *ibid.Error
	if errors.As(err, &known) {
		c.Message = known.Message
		if known.Hint != "" {
			c.Hint = known.Hint
		}
	}
	return c
}
