package agent

import (
	_ "embed"
	"slices"
	"strings"

	"ibid"
)

// prompts are what the model is told beside the conversation, made once per run.
type prompts struct {
	brief ibid.Brief
	heed  *ibid.Note // repeated after the question: scope and forced tools; nil for none
}

func newPrompts(cfg Config, task Task, mode ibid.Mode, analysis *ibid.QueryAnalyzed) prompts {
	var tools []ibid.ToolKind
	for _, t := range cfg.Tools {
		tools = append(tools, t.Spec().Kind)
	}
	searches := slices.Contains(tools, ibid.ToolSearch)
	var scope *ibid.Scope
	if s := task.Request.Scope; searches && !s.IsZero() && !s.OnlyDatabases() {
		scope = &s
	}
	forced := forcedTools(cfg, task.Request)
	p := prompts{brief: ibid.Brief{
		Instruction: ibid.InstructAnswer, Today: cfg.Now(), Holdings: task.Library, Tools: tools, Scope: scope, Forced: forced,
		Direct: mode == ibid.ModeDirect && !trivial(task.Request), Search: mode == ibid.ModeAgentic && searches,
	}}
	if slices.Contains(tools, ibid.ToolDatabase) && !p.brief.Direct {
		p.brief.Databases = task.Databases
	}
	heed := ibid.Note{Instruction: ibid.InstructHeed, Scope: scope, Search: scope != nil && mode == ibid.ModeAgentic, Tools: forced}
	if a := analysis; a != nil && mode == ibid.ModeAgentic {
		heed.Standalone = a.Standalone
		if a.Decomposed {
			heed.SubQueries = a.SubQueries
		}
	}
	if heed.Standalone != "" || len(heed.SubQueries) > 0 || scope != nil || len(forced) > 0 {
		p.heed = &heed
	}
	return p
}

// tell is a turn of the agent's.
func tell(n ibid.Note) ibid.Turn {
	return ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Note: &n}}}
}

// forcedTools names the tools that the user wants used and that exist.
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

//go:embed said.md
var saidFile string

// said is what the agent says to people itself: "fallback" before what is quoted
// where the model came to no answer, and by language that the documents do not
// answer.
var said = sections(saidFile)

// sections splits a text at its "## name" lines.
func sections(text string) map[string]string {
	named := map[string]string{}
	for _, s := range strings.Split("\n"+text, "\n## ")[1:] {
		name, body, _ := strings.Cut(s, "\n")
		named[name] = strings.TrimSpace(body)
	}
	return named
}
