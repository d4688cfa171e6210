package llm

import (
	"context"

	"ibid"
)

// geminiRequest is one text of a batchEmbedContents call
// (https://ai.google.dev/api/embeddings).
type geminiRequest struct {
	Model      string        `json:"model"` // "models/NAME", as in the URL
	Content    geminiContent `json:"content"`
	TaskType   string        `json:"taskType"`
	Dimensions int           `json:"outputDimensionality,omitempty"`
}

type geminiContent struct {
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text string `json:"text"`
}

// newGeminiEmbedder speaks Google's own protocol, which tells questions from
// passages. The key is never sent in the clear over a network.
func newGeminiEmbedder(cfg Config, s spec) (*embedder, error) {
	cfg = cfg.withDefaults()
	o, err := geminiDialect().origin(cfg, s, "embedder_api_key")
	if err != nil {
		return nil, err
	}
	e := &embedder{origin: o, name: spaceName("gemini/"+o.model, cfg.Dimensions)}
	e.ask = func(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, *failure) {
		requests := make([]geminiRequest, len(texts))
		for i, t := range texts {
			requests[i] = geminiRequest{Model: "models/" + o.model, Content: geminiContent{[]geminiPart{{t}}}, TaskType: taskType(use), Dimensions: cfg.Dimensions}
		}
		resp, f := o.post(ctx, s.base.String()+"/models/"+o.model+":batchEmbedContents", map[string]any{"requests": requests})
		if f != nil {
			return nil, f
		}
		defer resp.Body.Close()
		var out struct {
			Embeddings []struct {
				Values []float32 `json:"values"`
			} `json:"embeddings"`
		}
		if f := o.decode(resp.Body, &out); f != nil {
			return nil, f
		}
		vectors := make([][]float32, len(out.Embeddings))
		for i, v := range out.Embeddings {
			vectors[i] = v.Values
		}
		return vectors, nil
	}
	return e, nil
}

func taskType(use ibid.EmbedUse) string {
	if use == ibid.EmbedQuery {
		return "RETRIEVAL_QUERY"
	}
	return "RETRIEVAL_DOCUMENT"
}
