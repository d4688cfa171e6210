package agent

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"ibid"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// prompts are the texts the model is given, made once per run.
type prompts struct {
	system string
	plan   string
	notes  string // repeated after the question: scope and forced tools
	nudges map[string]string
	judge  map[string]string // by task: grade, verify, rewrite
	// nothing is what is said when the documents do not answer, by language.
	nothing map[string]string
}

func newPrompts(cfg Config, task Task, mode ibid.Mode, analysis *ibid.QueryAnalyzed) (prompts, error) {
	scope := scopeWords(task.Request.Scope)
	forced := forcedWords(cfg, task.Request)
	offers := func(kind ibid.ToolKind) bool { return cfg.ofKind(kind) != nil }
	if !offers(ibid.ToolSearch) {
		scope = ""
	}
	databases := strings.TrimSpace(task.Databases)
	if !offers(ibid.ToolDatabase) {
		databases = ""
	}
	var p prompts
	var err error
	render := func(file string, data any) string {
		if err != nil {
			return ""
		}
		var text string
		text, err = renderPrompt(file, data)
		return text
	}
	p.system = render("system.md", map[string]any{
		"Today": cfg.Now().Format("Monday, 2 January 2006"), "Library": strings.TrimSpace(task.Library), "Databases": databases,
		"Direct": mode == ibid.ModeDirect && !trivial(task.Request), "Search": mode == ibid.ModeAgentic && offers(ibid.ToolSearch), "Calculator": offers(ibid.ToolCalculate), "Clock": offers(ibid.ToolClock),
		"Web":   offers(ibid.ToolWeb),
		"Scope": scope, "Forced": forced,
	})
	p.plan = render("plan.md", nil)
	if a := analysis; a != nil && mode == ibid.ModeAgentic && (a.Standalone != "" || a.Decomposed) {
		p.notes += "\n\n" + render("analysis.md", a)
	}
	if scope != "" {
		p.notes += "\n\n" + render("scope.md", map[string]any{"Scope": scope, "Search": mode == ibid.ModeAgentic})
	}
	if forced != "" {
		p.notes += "\n\n" + render("forced.md", forced)
	}
	p.nudges = sections(render("nudges.md", forced))
	p.judge = sections(render("judge.md", nil))
	p.nothing = sections(render("nothing.md", nil))
	return p, err
}

func renderPrompt(file string, data any) (string, error) {
	t, err := template.ParseFS(promptFiles, "prompts/"+file)
	if err != nil {
		return "", fmt.Errorf("read the prompt %s: %w", file, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("write the prompt %s: %w", file, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// sections splits a text at its "## name" lines.
func sections(text string) map[string]string {
	named := map[string]string{}
	for _, s := range strings.Split("\n"+text, "\n## ")[1:] {
		name, body, _ := strings.Cut(s, "\n")
		named[name] = strings.TrimSpace(body)
	}
	return named
}

// scopeWords says a scope in words, "" for everything.
func scopeWords(s ibid.Scope) string {
	var parts []string
	switch n := len(s.Documents); {
	case n == 1:
		parts = append(parts, "one document the user has chosen")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d documents the user has chosen", n))
	}
	if s.Category != "" {
		parts = append(parts, fmt.Sprintf("documents of the category %q", s.Category))
	}
	if s.Folder != "" {
		parts = append(parts, fmt.Sprintf("documents in the folder %q", s.Folder))
	}
	for _, tag := range s.Tags {
		parts = append(parts, fmt.Sprintf("documents with the tag %q", tag))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Metadata)) {
		parts = append(parts, fmt.Sprintf("documents whose %q is %q", name, s.Metadata[name]))
	}
	return strings.Join(parts, ", and among them ")
}

// forcedWords names the tools that the user wants used and that exist.
func forcedWords(cfg Config, req ibid.Request) string {
	return strings.Join(forcedTools(cfg, req), " and ")
}

func forcedTools(cfg Config, req ibid.Request) []string {
	var names []string
	for _, name := range req.ForceTools {
		exists := slices.ContainsFunc(cfg.Tools, func(t Tool) bool { return t.Spec().Name == name })
		if exists && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// size counts the characters of a prompt, in bytes.
func size(req ibid.ModelRequest) int {
	n := len(req.System)
	for _, t := range req.Turns {
		for _, p := range t.Parts {
			n += len(p.Text) + len(p.Reasoning)
			if p.Call != nil {
				n += len(p.Call.Name) + len(p.Call.Arguments)
			}
			if p.Result != nil {
				n += len(p.Result.Content)
			}
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}
