package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

// answeredBefore is the cache of answers as one run sees it.
type answeredBefore struct {
	*App
	key      string
	threadID string
}

// answersFor returns the cache for a question. Its key says what an answer
// depends on, so that any change of the documents that it may come from, of the
// model or of the settings leaves all earlier answers behind. Of a scope that names
// documents these are its documents; else they are the whole library, as one
// version number. A data directory belongs to one user.
func (a *App) answersFor(ctx context.Context, task agent.Task, databases []ibid.Database) (answeredBefore, error) {
	var bases []string
	versions, err := a.versionsIn(ctx, task.View, task.Request.Scope)
	if err != nil {
		return answeredBefore{}, fmt.Errorf("look up what an answer depends on: %w", err)
	}
	for _, d := range databases {
		bases = append(bases, d.ID)
	}
	slices.Sort(bases)
	raw, err := json.Marshal([]any{task.Request.Scope, versions, bases, task.Request.Mode, a.cfg.Model, task.Request.Model, a.cfg.PlanModel, a.cfg.Embedder,
		a.cfg.SearchMode, a.cfg.Rerank, a.cfg.Grading, a.cfg.Verification, a.cfg.Tools, a.cfg.Limits.SearchResults})
	if err != nil {
		return answeredBefore{}, fmt.Errorf("name what an answer depends on: %w", err)
	}
	sum := sha256.Sum256(raw)
	return answeredBefore{a, hex.EncodeToString(sum[:]), task.ThreadID}, nil
}

// versionsIn returns what changes whenever a document of a scope does.
func (a *App) versionsIn(ctx context.Context, view access.View, scope ibid.Scope) ([]any, error) {
	if len(scope.Documents) == 0 {
		version, err := a.DB.LibraryVersion(ctx, view)
		return []any{version}, err
	}
	documents, err := a.DB.DocumentsByID(ctx, view, scope.Documents)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(documents, func(x, y ibid.Document) int { return strings.Compare(x.ID, y.ID) })
	var versions []any
	for _, d := range documents {
		if scope.Includes(d) {
			versions = append(versions, []any{d.ID, d.Version, d.Name, d.Title, d.Folder, d.Category, d.Tags, d.Metadata})
		}
	}
	return versions, nil
}

// Lookup finds the answer to a question that asks the same.
func (c answeredBefore) Lookup(ctx context.Context, view access.View, question string) (agent.CacheFound, error) {
	hit, similarity, err := c.answers.Lookup(ctx, view, c.key, c.threadID, question)
	if err != nil || hit == nil {
		return agent.CacheFound{Similarity: similarity}, err
	}
	m, err := c.DB.Message(ctx, view, hit.MessageID)
	if err != nil {
		return agent.CacheFound{}, err
	}
	return agent.CacheFound{Hit: true, Similarity: similarity, Question: hit.Question, At: hit.At, Answer: m}, nil
}

// keep remembers that a question was answered.
func (c answeredBefore) keep(ctx context.Context, task agent.Task, out agent.Outcome) {
	id := ""
	for _, e := range task.Log {
		id = e.Run
	}
	if !out.Reusable || id == "" {
		return
	}
	if err := c.answers.Keep(ctx, ibid.Answered{Key: c.key, Question: out.Question, MessageID: id, At: time.Now()}); err != nil {
		c.log.Warn("an answer cannot be kept for those who ask the same", "error", err)
	}
}
