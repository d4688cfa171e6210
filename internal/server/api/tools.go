package api

// Tools is GET /v1/tools: all that there are, set up or not.
type Tools struct {
	Tools []Tool `json:"tools"`
}

// Tool says what a tool is for, and what people see while it runs and afterwards.
type Tool struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Doing string `json:"doing"`
	Done  string `json:"done"`
}
