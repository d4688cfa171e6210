package app

import (
	"testing"

	"ibid/internal/app/config"
)

// TestToolsThatAreOffered: by the model's window, by configuration, on demand.
func TestToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cfg    config.Config
		forced string
		all    bool
		extra  string
	}{
		{config.Config{Model: config.BuiltInModel, Tools: config.ToolsAuto}, "", true, ""},
		{config.Config{Model: "ollama:qwen3:4b", ContextTokens: 8192, Tools: config.ToolsAuto}, "", false, ""},
		{config.Config{Model: "ollama:qwen3:4b", ContextTokens: 32768, Tools: config.ToolsAuto}, "", true, ""},
		{config.Config{Model: "openai:gpt-5", ContextTokens: 8192, Tools: config.ToolsAuto}, "", true, ""},
		{config.Config{Model: "openai:gpt-5", Tools: config.ToolsCore}, "", false, ""},
		{config.Config{Model: "ollama:qwen3:4b", ContextTokens: 8192, Tools: config.ToolsAll}, "", true, ""},
		{config.Config{Model: "openai:gpt-5", Tools: config.ToolsCore}, "search_keywords", false, "search_keywords"},
	} {
		a := &App{cfg: tt.cfg}
		offered := map[string]bool{}
		tools := a.tools(&choice{spec: tt.cfg.Model}, tt.forced)
		for _, x := range tools {
			offered[x.Spec().Name] = true
		}
		if tools[0].Spec().Name != "search_knowledge_base" || offered["search_propositions"] != tt.all || offered["search_keywords"] != (tt.all || tt.extra != "") {
			t.Errorf("%+v: offered %v", tt.cfg, offered)
		}
	}
}
