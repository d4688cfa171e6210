package sift

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"ibid"
)

// Calls finds tool calls that a server left in the text: a small model
// writes them a little differently from what its template expects, and they
// come out as words. They become calls and are never shown.
//
// Two forms are known, outside code only: <tool_call>{…}</tool_call> anywhere a
// line starts or a brace follows, and bare JSON {"name": …, "arguments": …} (also
// in a list, or alone in a fence) at the start of a line, when it names a tool
// that was declared.
type Calls struct {
	tools map[string]bool // names of the declared tools
	Found []ibid.ToolCall // the calls so far; the caller may take them
	buf   string
	code  codeTracker
	began bool // text was handed on
	after bool // a call has just been taken out: space that follows goes too
	lost  bool // something that was meant as a call could not be read
}

// maxHeldCall bounds, in bytes, a call that is held back.
const maxHeldCall = 64 << 10

const (
	callOpen  = "<tool_call>"
	callClose = "</tool_call>"
)

// NewCalls returns what finds calls of the declared tools, and of others where the text
// says that they are calls.
func NewCalls(tools []ibid.ToolSpec) *Calls {
	s := &Calls{tools: map[string]bool{}, code: codeTracker{lineStart: true}}
	for _, t := range tools {
		s.tools[t.Name] = true
	}
	return s
}

// Write takes text, and hands on what is no call.
func (s *Calls) Write(text string, emit func(string)) {
	s.buf += text
	s.run(false, emit)
}

// Close ends the text.
func (s *Calls) Close(emit func(string)) { s.run(true, emit) }

func (s *Calls) run(final bool, emit func(string)) {
	for s.buf != "" {
		if s.after {
			if s.buf = strings.TrimLeft(s.buf, " \t\r\n"); s.buf == "" {
				return
			}
			s.after = false
		}
		held, more := s.candidate(final)
		if more {
			if len(s.buf) <= maxHeldCall {
				return
			}
			held = s.giveUp()
		}
		if held > 0 {
			s.buf = s.buf[held:]
			s.after = true
			s.code.lineStart = true
			continue
		}
		n := s.code.take(s.buf, "<{[", final)
		if n == 0 && strings.IndexByte("<{[", s.buf[0]) < 0 {
			return // a run of backticks that may go on
		}
		if n == 0 { // what looked like a call is none
			n = 1
			s.code.lineStart = false
		}
		s.began = true
		emit(s.buf[:n])
		s.buf = s.buf[n:]
	}
}

// candidate looks for a call at the start of buf. It returns how many bytes of
// buf to take out, 0 for none, or that more bytes are needed to tell.
func (s *Calls) candidate(final bool) (held int, more bool) {
	if s.code.inCode() {
		return 0, false
	}
	switch s.buf[0] {
	case '<':
		return s.tagged(final)
	case '{', '[':
		if s.code.lineStart && len(s.tools) > 0 {
			return s.bare(final)
		}
	case '`':
		if !s.began && len(s.tools) > 0 {
			return s.fenced(final)
		}
	}
	return 0, false
}

// giveUp decides about a call that has grown too long: what is tagged as one is
// dropped, anything else is shown.
func (s *Calls) giveUp() (held int) {
	if !strings.HasPrefix(s.buf, callOpen) {
		return 0
	}
	s.lost = true
	return len(s.buf)
}

// tagged reads <tool_call>…</tool_call>.
func (s *Calls) tagged(final bool) (held int, more bool) {
	if !strings.HasPrefix(s.buf, callOpen) {
		return 0, !final && strings.HasPrefix(callOpen, s.buf)
	}
	inner := s.buf[len(callOpen):]
	if !s.code.lineStart {
		switch trimmed := strings.TrimLeft(inner, " \t\r\n"); {
		case trimmed == "":
			return 0, !final
		case trimmed[0] != '{':
			return 0, false
		}
	}
	end, size := strings.Index(inner, callClose), len(callClose)
	if again := strings.Index(inner, callOpen); again >= 0 && (end < 0 || again < end) {
		end, size = again, 0
	}
	if end < 0 {
		if !final {
			return 0, true
		}
		end, size = len(inner), 0
	}
	if calls, _ := readCalls(inner[:end]); len(s.tools) > 0 && len(calls) > 0 {
		s.Found = append(s.Found, calls...)
	} else {
		s.lost = true
	}
	return len(callOpen) + end + size, false
}

// bare reads JSON that is a call.
func (s *Calls) bare(final bool) (held int, more bool) {
	raw := s.buf
	switch mayBeCall(raw) {
	case no:
		return 0, false
	case maybe:
		if !final {
			return 0, true
		}
		return s.fragment(raw), false
	}
	end, ended := jsonEnd(raw)
	if !ended {
		if !final {
			return 0, true
		}
		return s.fragment(raw), false
	}
	calls, whole := readCalls(raw[:end])
	if !whole || !s.declared(calls) {
		return 0, false
	}
	s.Found = append(s.Found, calls...)
	return end, false
}

// fragment decides about half a call at the end of the stream: it is dropped
// when it follows a whole one or names a tool.
func (s *Calls) fragment(raw string) (held int) {
	named := false
	for name := range s.tools {
		named = named || strings.Contains(raw, `"`+name+`"`)
	}
	if !named && len(s.Found) == 0 {
		return 0
	}
	s.lost = s.lost || len(s.Found) == 0
	return len(raw)
}

// fences are the lines that open a fence with a call in it.
var fences = []string{"```", "```json", "```tool_call", "```tool_code"}

// fenced reads an answer that begins with a fence with nothing but a call in it.
func (s *Calls) fenced(final bool) (held int, more bool) {
	head, body, ok := strings.Cut(s.buf, "\n")
	head = strings.TrimRight(head, " \r")
	known := false
	for _, f := range fences {
		known = known || head == f || !ok && strings.HasPrefix(f, head)
	}
	if !known {
		return 0, false
	}
	raw := strings.TrimLeft(body, " \t\r\n")
	if mayBeCall(raw) == no {
		return 0, false
	}
	end := strings.Index(body, "```")
	if end < 0 {
		if !final {
			return 0, true
		}
		if s.fragment(raw) == 0 {
			return 0, false
		}
		return len(s.buf), false
	}
	calls, whole := readCalls(body[:end])
	if !whole || !s.declared(calls) {
		return 0, false
	}
	s.Found = append(s.Found, calls...)
	return len(s.buf) - len(body) + end + len("```"), false
}

func (s *Calls) declared(calls []ibid.ToolCall) bool {
	for _, c := range calls {
		if !s.tools[c.Name] {
			return false
		}
	}
	return len(calls) > 0
}

type verdict int

const (
	no verdict = iota
	maybe
	yes
)

// mayBeCall reports whether JSON that starts like this can be a call: its first
// key must be one that calls have.
func mayBeCall(s string) verdict {
	s = strings.TrimLeft(strings.TrimPrefix(s, "["), " \t\r\n")
	if s == "" {
		return maybe
	}
	if s[0] != '{' {
		return no
	}
	s = strings.TrimLeft(s[1:], " \t\r\n")
	for _, key := range []string{"name", "function", "type", "id", "arguments", "parameters"} {
		key = `"` + key + `"`
		if strings.HasPrefix(s, key) {
			return yes
		}
		if strings.HasPrefix(key, s) {
			return maybe
		}
	}
	return no
}

// jsonEnd returns where the JSON object or list at the start of s ends.
func jsonEnd(s string) (end int, ended bool) {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// leakedCall is a call as models write it.
type leakedCall struct {
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
	Function   json.RawMessage `json:"function"`
}

// readCalls reads the first JSON value of s as a call or a list of calls. whole
// reports whether each had arguments.
func readCalls(s string) (calls []ibid.ToolCall, whole bool) {
	var value json.RawMessage
	if err := json.NewDecoder(strings.NewReader(s)).Decode(&value); err != nil {
		return nil, false
	}
	var list []leakedCall
	var one leakedCall
	if json.Unmarshal(value, &one) == nil {
		list = []leakedCall{one}
	} else if json.Unmarshal(value, &list) != nil {
		return nil, false
	}
	whole = true
	for _, c := range list {
		if len(c.Function) > 0 && c.Name == "" {
			if json.Unmarshal(c.Function, &c.Name) != nil {
				json.Unmarshal(c.Function, &c)
			}
		}
		if c.Name == "" {
			return nil, false
		}
		arguments := c.Arguments
		if len(arguments) == 0 {
			arguments = c.Parameters
		}
		whole = whole && len(arguments) > 0
		calls = append(calls, ibid.ToolCall{ID: NewCallID(), Name: c.Name, Arguments: CleanArguments(arguments)})
	}
	return calls, whole
}

// CleanArguments makes sure that arguments are valid JSON. An object inside a
// text is unpacked; what cannot be read becomes a JSON text, so that the tool
// can say what is wrong with it and the model can try again.
func CleanArguments(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	trimmed := strings.TrimSpace(string(raw))
	if trimmed == "" || trimmed == "null" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	quoted, _ := json.Marshal(trimmed)
	return quoted
}

// NewCallID makes an id for a call that came without one.
func NewCallID() string { return "call_" + strings.ToLower(rand.Text()[:12]) }
