package llm

import (
	"context"
	"net"
	"net/http"
	"strings"

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
	o := origin{server: "Gemini", model: s.model, host: s.base.Host, key: s.key(cfg), header: "X-Goog-Api-Key",
		hint: "is there a connection to the internet?"}
	if o.key != "" && s.base.Scheme != "https" && !loopback(s.base.Hostname()) {
		return nil, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the key for Gemini is not sent over http", Hint: "write https:// in the embedder's URL"}
	}
	name := strings.TrimPrefix(s.model, "models/")
	client := &http.Client{Transport: newGuard(cfg)}
	e := &embedder{origin: o, name: spaceName("gemini/"+name, cfg.Dimensions)}
	e.ask = func(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, *failure) {
		requests := make([]geminiRequest, len(texts))
		for i, t := range texts {
			requests[i] = geminiRequest{Model: "models/" + name, Content: geminiContent{[]geminiPart{{t}}}, TaskType: taskType(use), Dimensions: cfg.Dimensions}
		}
		resp, f := postJSON(ctx, client, o, s.base.String()+"/models/"+name+":batchEmbedContents", map[string]any{"requests": requests})
		if f != nil {
			if o.key == "" && f.status >= 400 && f.status < 500 {
				f.Hint = "set embedder_api_key, or GEMINI_API_KEY in the environment"
			}
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

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// authorise adds the key to a request.
func (o origin) authorise(req *http.Request) {
	if o.version != "" {
		req.Header.Set("Anthropic-Version", o.version)
	}
	switch {
	case o.key == "":
	case o.header != "":
		req.Header.Set(o.header, o.key)
	default:
		req.Header.Set("Authorization", "Bearer "+o.key)
	}
}
