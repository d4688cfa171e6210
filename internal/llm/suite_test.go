package llm_test

import (
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/llm"
)

func opener(provider string) func(t testing.TB, url, model string, header, idle time.Duration) ibid.Model {
	return func(t testing.TB, url, model string, header, idle time.Duration) ibid.Model {
		m, err := llm.Open(llm.Config{Spec: provider + ":" + model + "@" + url, HeaderTimeout: header, IdleTimeout: idle})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestOllamaKeepsThePromises(t *testing.T) {
	ibidtest.ModelSuite(t, ibidtest.ModelHarness{Serve: ibidtest.OllamaServer, Open: opener("ollama"), NoCallIDs: true})
}

func TestOpenAIKeepsThePromises(t *testing.T) {
	ibidtest.ModelSuite(t, ibidtest.ModelHarness{Serve: ibidtest.OpenAIServer, Open: opener("openai")})
}

func TestAnthropicKeepsThePromises(t *testing.T) {
	ibidtest.ModelSuite(t, ibidtest.ModelHarness{Serve: ibidtest.AnthropicServer, Open: opener("anthropic")})
}

func TestGeminiKeepsThePromises(t *testing.T) {
	ibidtest.ModelSuite(t, ibidtest.ModelHarness{Serve: ibidtest.GeminiServer, Open: opener("gemini"), NoCallIDs: true})
}
