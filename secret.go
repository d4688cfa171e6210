package ibid

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that is never shown: however it is printed, logged or encoded,
// it says nothing. string(s) is the text.
type Secret string

const hidden = "•••"

// String hides the text.
func (s Secret) String() string { return hidden }

// Format hides the text, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue hides the text.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
