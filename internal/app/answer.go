package app

import (
	"cmp"
	"context"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/app/config"
	"ibid/internal/reader"
	"ibid/internal/tool"
)

// answer lets a fresh agent answer one question.
func (a *App) answer(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
	chosen, err := a.chosen(task.Request.Model)
	if err != nil {
		return agent.Outcome{}, err
	}
	documents, exact, err := a.DB.CountDocuments(ctx, task.View, ibid.DocumentQuery{Scope: task.Request.Scope})
	if err != nil {
		return agent.Outcome{}, err
	}
	some, _, err := a.DB.Documents(ctx, task.View, ibid.DocumentQuery{Scope: task.Request.Scope}, ibid.Page{Limit: namedDocumentsInPrompt})
	if err != nil {
		return agent.Outcome{}, err
	}
	task.Library = holdings(documents, exact, some)
	task.NoDocuments = documents == 0 && task.Request.Scope.IsZero()
	databases, err := a.catalog.Databases(ctx, task.View, task.Request.Scope)
	if err != nil {
		return agent.Outcome{}, err
	}
	task.Databases = describeDatabases(databases)
	sees := chosen.sees(ctx)
	if task.Request.Attachments, err = a.attached(ctx, task, sees); err != nil {
		return agent.Outcome{}, err
	}
	cfg := agent.Config{
		Model: chosen.model, Planner: a.planner, Judge: chosen.writer(), Fallback: reader.New(),
		Limits:  agent.Limits{ToolCalls: a.cfg.Limits.ToolCalls, ModelRequests: a.cfg.Limits.ModelRequests},
		Grading: agent.Judging(a.cfg.Grading), Verification: agent.Judging(a.cfg.Verification), Parents: a.DB.Parents, Around: a.DB.Around,
		Drawn: a.formats().Drawn, Now: time.Now, NewID: newID, Log: a.log,
	}
	texts := a.fileTexts()
	cfg.FilePassages = texts.Passages
	there, _, err := a.DB.Files(ctx, task.View, task.ThreadID, ibid.Page{Limit: 1})
	if err != nil {
		return agent.Outcome{}, err
	}
	has := tool.Resources{HasFiles: len(there) > 0, Sees: sees}
	if len(databases) > 0 {
		has.Databases = a.catalog
	}
	cfg.Tools = a.offered(chosen, task.Request, has)
	if sees {
		cfg.PageImage = a.pageImage
	}
	before, err := a.answersFor(ctx, task, databases)
	if err != nil {
		return agent.Outcome{}, err
	}
	// An answer that files of its conversation may have gone into is for nobody else.
	cached := a.cfg.Cache == config.CacheOn && len(there) == 0
	if cached {
		cfg.Cache = before
	}
	out, err := agent.Run(ctx, cfg, task, emit)
	if err == nil && cached {
		before.keep(ctx, task, out)
	}
	return out, err
}

// pageWidth is how wide a page is drawn for a model, in pixels: print is legible
// and the picture is not cut into many tiles.
const pageWidth = 1000

func (a *App) pageImage(ctx context.Context, view access.View, page ibid.PageRef) (ibid.Image, error) {
	if page.File != "" {
		return a.picture(ctx, view, page.File)
	}
	png, err := a.Pipeline.PageImage(ctx, view, page.DocumentID, page.Version, page.Page, pageWidth)
	return ibid.Image{MIME: "image/png", Data: png}, err
}

// namedDocumentsInPrompt is how many documents a model is told the names of.
const namedDocumentsInPrompt = 12

// holdings are what the model is told that there is to search: how many documents, or
// more than so many where that is not exact, and some by name.
func holdings(documents int, exact bool, some []ibid.Document) *ibid.Holdings {
	h := ibid.Holdings{Documents: documents, Exact: exact || documents == 0}
	for _, d := range some {
		h.Titles = append(h.Titles, cmp.Or(d.Title, d.Name))
	}
	return &h
}
