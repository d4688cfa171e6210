package app

import (
	"context"
	"fmt"

	"ibid/internal/app/config"
	"ibid/internal/fetch"
	"ibid/internal/llm"
	"ibid/internal/server/api"
	"ibid/internal/websearch"
)

// openWeb makes what reaches into the web, where that is set up.
func (a *App) openWeb(context.Context) error {
	if a.cfg.ImageModel != "" {
		var err error
		if a.painter, err = llm.OpenPainter(llm.Config{Spec: a.cfg.ImageModel, APIKey: a.cfg.ImageKey}); err != nil {
			return err
		}
	}
	if a.cfg.WebSearch == "" {
		return nil
	}
	var err error
	if a.web, err = websearch.Open(websearch.Config{Spec: a.cfg.WebSearch, Key: a.cfg.WebSearchKey}); err != nil {
		return err
	}
	a.fetcher, err = fetch.New(fetch.Config{Allow: config.HostList(a.cfg.WebHosts), UserAgent: "ibid/" + a.cfg.Version, Endings: a.formats().Endings()})
	return err
}

// checkWeb asks the search engine of the web, where one is set.
func (a *App) checkWeb(ctx context.Context) api.Check {
	if a.web == nil {
		return api.Good("web search", "not set up: no question leaves this machine for the web")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*probeTime)
	defer cancel()
	found, err := a.web.Search(ctx, "ibid", 1)
	switch {
	case err != nil:
		return api.Bad("web search", api.LevelFail, err, "check web_search")
	case len(found) == 0:
		return api.Bad("web search", api.LevelWarn, fmt.Errorf("%s answers, but found nothing", a.web.Name()), "check which engines it asks")
	}
	return api.Good("web search", "%s answers", a.web.Name())
}

// checkReranker asks the server that puts passages in a better order, where one is
// set.
func (a *App) checkReranker(ctx context.Context) api.Check {
	if a.cfg.Rerank == config.RerankOff || a.cfg.Rerank == config.RerankMaxSim {
		return api.Good("reranking", "%s: no server is asked", a.cfg.Rerank)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*probeTime)
	defer cancel()
	if _, err := a.reranker.Rerank(ctx, "test", []string{"a test"}); err != nil {
		return api.Bad("reranking", api.LevelFail, err, "check rerank; until it answers passages keep their order")
	}
	return api.Good("reranking", "%s answers", a.reranker.Name())
}

// checkPainter asks the server that makes pictures, where one is set.
func (a *App) checkPainter(ctx context.Context) api.Check {
	if a.painter == nil {
		return api.Good("pictures", "not set up: none are made")
	}
	if err := a.painter.Check(ctx); err != nil {
		return api.Bad("pictures", api.LevelFail, err, "check image_model")
	}
	return api.Good("pictures", "%s answers", a.painter.Name())
}
