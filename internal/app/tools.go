package app

import (
	"slices"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/search"
	"ibid/internal/tool"
)

// registry is all tools that there are.
func (a *App) registry() tool.Registry {
	if a.cfg.Registry != nil {
		return a.cfg.Registry
	}
	return tool.Builtin()
}

// offered are the tools for a question: what it has (databases, files, a model that
// sees) is in with.
func (a *App) offered(c *choice, req ibid.Request, with tool.Resources) []agent.Tool {
	return a.made(a.resources(c, with), tool.Offer{Many: c.offersAll(a.cfg), OnlyDatabases: req.Scope.OnlyDatabases(), Forced: req.ForceTools})
}

// tools are what a model is offered whatever a question has.
func (a *App) tools(c *choice, forced ...string) []agent.Tool {
	return a.offered(c, ibid.Request{ForceTools: forced}, tool.Resources{})
}

func (a *App) made(with tool.Resources, o tool.Offer) []agent.Tool {
	var tools []agent.Tool
	for _, t := range a.registry().Tools(with, o) {
		tools = append(tools, t)
	}
	return tools
}

// resources adds what every question has.
func (a *App) resources(c *choice, with tool.Resources) tool.Resources {
	with.Library, with.Chunks, with.Graph, with.Gallery = shelf{a.DB}, a.DB, a.DB, a.DB
	with.Finder = finder{a.searcher, search.Mode(a.cfg.SearchMode), a.cfg.Limits.SearchResults}
	with.Model, with.Writer, with.WholeDocument = c.model, c.writer(), a.cfg.Limits.WholeDocument
	with.Files, with.Programs, with.FileReader, with.Formats = a.fileTexts(), a.programs, files{a.workers}, a.formats()
	if a.web != nil {
		with.Web, with.Fetcher = a.web, a.fetcher
	}
	if a.painter != nil {
		with.Painter = a.painter
	}
	return with
}

// forceable refuses a question that demands a tool which is not there, and says
// how it could be.
func (a *App) forceable(name string) error {
	d, known := a.registry().Named(name)
	switch {
	case !known:
		return ibid.Errorf(ibid.CodeBadRequest, "force_tools: there is no tool %q", name)
	case d.Sometimes, slices.ContainsFunc(a.tools(a.choices[0], name), func(t agent.Tool) bool { return t.Spec().Name == name }):
		return nil
	}
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: name + " is not set up here", Hint: d.Setup}
}
