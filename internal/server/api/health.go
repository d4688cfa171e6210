package api

// Check is one finding of doctor.
type Check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Level   string `json:"level"` // LevelOK, LevelWarn, LevelFail
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Levels of a Check.
const (
	LevelOK   = "ok"
	LevelWarn = "warn"
	LevelFail = "fail"
)
