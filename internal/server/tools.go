package server

import "net/http"

// toolWords is a tool in GET /v1/tools: what it is for, and what people see while it
// runs and afterwards.
type toolWords struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Doing string `json:"doing"`
	Done  string `json:"done"`
}

// listTools answers all tools that there are, set up or not: messages of the past
// name tools, too.
func (s *Server) listTools(w http.ResponseWriter, _ *http.Request) {
	words := make([]toolWords, 0, len(s.cfg.Tools))
	for _, t := range s.cfg.Tools {
		words = append(words, toolWords{t.Name, string(t.Kind), t.Doing, t.Done})
	}
	writeJSON(w, http.StatusOK, map[string]any{"tools": words})
}
