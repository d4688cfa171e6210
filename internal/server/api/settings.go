package api

// Setting is one setting as GET /v1/settings shows it. The value of a
// secret is never among it.
type Setting struct {
	Key      string `json:"key"`
	Value    string `json:"value"` // "" for a secret
	Secret   bool   `json:"secret,omitempty"`
	Set      bool   `json:"set"`              // it has a value that is not empty
	Origin   string `json:"origin,omitempty"` // where the value comes from, "" for the default
	About    string `json:"about"`
	Variable string `json:"variable"` // of the environment
	Test     string `json:"test,omitempty"`
}

// Settings is GET /v1/settings.
type Settings struct {
	File     string    `json:"file"` // where settings are written; it need not exist yet
	Settings []Setting `json:"settings"`
}

// Trial is what trying a setting came to.
type Trial struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	TookMS  int64  `json:"took_ms"`
}
