// Package param is how tools take their arguments: as a struct, from whose fields the
// schema that models are told is made (Schema), and into which the arguments of a call
// are read (Read).
package param

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Error says what is wrong with the arguments of a call, in words for the model, which
// can correct them.
type Error string

func (e Error) Error() string { return string(e) }

// maxArgument bounds one argument, in bytes.
const maxArgument = 4000

// arguments are those of one call. Fields that nobody asks for do no harm. What is
// wrong with one that is asked for stands in err; only the first is kept.
type arguments struct {
	fields map[string]json.RawMessage
	err    error // an Error
}

// argumentsOf reads the arguments of a call: an object, nothing at all, or an
// object inside a string, as some models send it.
func argumentsOf(raw json.RawMessage) *arguments {
	var inside string
	if json.Unmarshal(raw, &inside) == nil {
		raw = json.RawMessage(inside)
	}
	a := &arguments{}
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &a.fields) != nil {
		a.wrong("the arguments are not a JSON object")
	}
	return a
}

func (a *arguments) wrong(format string, args ...any) {
	if a.err == nil {
		a.err = Error(fmt.Sprintf(format, args...))
	}
}

// optional returns a text, "" where there is none. A number is taken as it is
// written.
func (a *arguments) optional(name string) string {
	raw := bytes.TrimSpace(a.fields[name])
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	s := string(raw)
	switch raw[0] {
	case '{', '[':
		a.wrong("%s must be a text", name)
		return ""
	case '"':
		if json.Unmarshal(raw, &s) != nil {
			a.wrong("%s is not readable text", name)
			return ""
		}
	}
	if s = strings.TrimSpace(s); len(s) > maxArgument {
		a.wrong("%s is longer than %d characters", name, maxArgument)
		return ""
	}
	return s
}

// integer returns a whole number, also one that came as "5" or 5.0, and
// otherwise where there is none.
func (a *arguments) integer(name string, otherwise int) int {
	s := a.optional(name)
	if s == "" {
		return otherwise
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int32(f)) {
		a.wrong("%s must be a whole number", name)
		return otherwise
	}
	return int(f)
}

// flag returns true or false, false where there is neither. "true" in quotes is
// taken for what it says.
func (a *arguments) flag(name string) bool {
	s := a.optional(name)
	if s == "" {
		return false
	}
	on, err := strconv.ParseBool(strings.ToLower(s))
	if err != nil {
		a.wrong("%s must be true or false", name)
	}
	return on
}

// Texts returns those arguments of a call that are there, as texts.
func Texts(raw json.RawMessage, names ...string) []string {
	args := argumentsOf(raw)
	var texts []string
	for _, name := range names {
		if s := args.optional(name); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// Raw returns one argument of a call as it came, whatever its length; nil where it is
// not there.
func Raw(raw json.RawMessage, name string) (json.RawMessage, error) {
	args := argumentsOf(raw)
	return args.fields[name], args.err
}
