package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxArgument bounds one argument, in bytes.
const maxArgument = 4000

// arguments are those of one call. Fields that nobody asks for do no harm.
type arguments map[string]json.RawMessage

// decode reads the arguments of a call: an object, nothing at all, or an object
// inside a string, as some models send it. Its error is for the model.
func decode(raw json.RawMessage) (arguments, error) {
	if len(strings.TrimSpace(string(raw))) == 0 {
		return nil, nil
	}
	var inside string
	if json.Unmarshal(raw, &inside) == nil {
		raw = json.RawMessage(inside)
		if strings.TrimSpace(inside) == "" {
			return nil, nil
		}
	}
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return a, nil
}

// required returns a text that must be there.
func (a arguments) required(name string) (string, error) {
	s, err := a.optional(name)
	if err == nil && s == "" {
		err = fmt.Errorf("%s is missing", name)
	}
	return s, err
}

// optional returns a text, "" where there is none. A number is taken as it is
// written.
func (a arguments) optional(name string) (string, error) {
	raw := strings.TrimSpace(string(a[name]))
	if raw == "" || raw == "null" {
		return "", nil
	}
	var s string
	switch raw[0] {
	case '{', '[':
		return "", fmt.Errorf("%s must be a text", name)
	case '"':
		if json.Unmarshal([]byte(raw), &s) != nil {
			return "", fmt.Errorf("%s is not readable text", name)
		}
	default:
		s = raw
	}
	if s = strings.TrimSpace(s); len(s) > maxArgument {
		return "", fmt.Errorf("%s is longer than %d characters", name, maxArgument)
	}
	return s, nil
}

// integer returns a whole number, also one that came as "5" or 5.0, and
// otherwise where there is none.
func (a arguments) integer(name string, otherwise int) (int, error) {
	s, err := a.optional(name)
	if err != nil || s == "" {
		return otherwise, err
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int32(f)) {
		return 0, fmt.Errorf("%s must be a whole number", name)
	}
	return int(f), nil
}

// flag returns true or false, false where there is neither. "true" in quotes is
// taken for what it says.
func (a arguments) flag(name string) (bool, error) {
	s, err := a.optional(name)
	if err != nil || s == "" {
		return false, err
	}
	on, err := strconv.ParseBool(strings.ToLower(s))
	if err != nil {
		return false, fmt.Errorf("%s must be true or false", name)
	}
	return on, nil
}

// detail is one argument as people see it while the tool works.
func detail(raw json.RawMessage, names ...string) string {
	a, err := decode(raw)
	if err != nil {
		return ""
	}
	var shown []string
	for _, name := range names {
		if s, err := a.optional(name); err == nil && s != "" {
			shown = append(shown, line(s, 160))
		}
	}
	return strings.Join(shown, " · ")
}
