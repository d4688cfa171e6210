package agent

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ibid"
)

// maxShownQuery bounds, in bytes, the SQL that is shown.
const maxShownQuery = 8 << 10

// writtenQuery is a call, of a tool that shows what is written for it, that the model
// is writing. SQL is shown as reasoning, while it is written where the provider sends
// it in pieces, so that it can be read in every protocol.
type writtenQuery struct {
	tool ibid.ToolSpec
	n    int             // which call of the turn it is
	raw  strings.Builder // of its arguments, as far as they have come
	sql  string          // of it, what is shown
	open bool            // its fence is
}

// shown is the tool of that name, if it has an argument that is shown while it is
// written; else it has no Shows.
func (s *session) shown(name string) ibid.ToolSpec {
	if t := s.tool(name); t != nil {
		return t.Spec()
	}
	return ibid.ToolSpec{}
}

// write shows what a piece of a call adds to its SQL.
func (s *session) write(d ibid.CallDelta) error {
	shown := s.shown(d.Name)
	if shown.Shows == "" {
		return nil
	}
	if s.writing == nil || s.writing.n != d.N {
		if err := s.closeQuery(); err != nil {
			return err
		}
		s.writing = &writtenQuery{tool: shown, n: d.N}
	}
	w := s.writing
	if w.raw.Len() > 2*maxShownQuery {
		return nil // begin shows what is missing
	}
	w.raw.WriteString(d.Arguments)
	sql := strings.TrimSpace(unfinished(w.raw.String(), shown.Shows))
	if len(sql) <= len(w.sql) || !strings.HasPrefix(sql, w.sql) || len(sql) > maxShownQuery || strings.Contains(sql, fenceMark) {
		return nil
	}
	more := sql[len(w.sql):]
	if !w.open {
		if err := s.stream.demote("the text came before a tool call"); err != nil {
			return err
		}
		w.open = true
		more = s.afterThought() + fenceMark + shown.Shows + "\n" + more
	}
	w.sql = sql
	return s.showWords(w.tool, more)
}

// showWords shows a text of the query word by word: some providers send it whole.
// Of a long one several words go together.
func (s *session) showWords(tool ibid.ToolSpec, sql string) error {
	least := len(sql) / maxQueryPieces
	for sql != "" {
		n := len(sql)
		if i := strings.IndexAny(sql[min(least+1, n):], " \n"); i >= 0 {
			n = min(least+1, n) + i
		}
		if err := s.emit(ibid.ReasoningDelta{Text: sql[:n], Tool: tool.Name}); err != nil {
			return err
		}
		sql = sql[n:]
	}
	return nil
}

// maxQueryPieces bounds the pieces that a query is shown in.
const maxQueryPieces = 200

// fenceMark begins and ends what is shown of a query.
const fenceMark = "```"

// afterThought separates what is shown as reasoning from the reasoning before it.
func (s *session) afterThought() string {
	if s.state.planned && !s.state.paragraph {
		return "\n\n"
	}
	return ""
}

// closeQuery ends the query that is being shown.
func (s *session) closeQuery() error {
	w := s.writing
	s.writing = nil
	if w == nil || !w.open {
		return nil
	}
	if s.written == nil {
		s.written = map[int]string{}
	}
	s.written[w.n] = w.sql
	return s.emit(ibid.ReasoningDelta{Text: "\n" + fenceMark + "\n", Tool: w.tool.Name})
}

// showQuery shows the SQL of call n of a turn, as far as it was not shown while it
// was written.
func (s *session) showQuery(n int, c ibid.ToolCall) error {
	tool := s.shown(c.Name)
	var args map[string]json.RawMessage
	var sql string
	if tool.Shows == "" || json.Unmarshal(c.Arguments, &args) != nil || json.Unmarshal(args[tool.Shows], &sql) != nil || strings.TrimSpace(sql) == "" {
		return nil
	}
	sql, _ = cutAt(strings.TrimSpace(sql), maxShownQuery)
	if w := s.writing; w != nil && w.n == n && w.open && strings.HasPrefix(sql, w.sql) && !strings.Contains(sql, fenceMark) {
		if rest := sql[len(w.sql):]; rest != "" {
			w.sql = sql
			if err := s.showWords(tool, rest); err != nil {
				return err
			}
		}
	}
	if err := s.closeQuery(); err != nil || s.written[n] == sql {
		return err
	}
	fence := fenceMark
	for strings.Contains(sql, fence) {
		fence += "`"
	}
	return s.showWords(tool, s.afterThought()+fence+tool.Shows+"\n"+sql+"\n"+fence+"\n")
}

// unfinished returns the text of a field of a JSON object that has come in part:
// as much of it as is certain.
func unfinished(object, field string) string {
	d := json.NewDecoder(strings.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		if key == field {
			break
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return ""
		}
	}
	rest := strings.TrimLeft(object[d.InputOffset():], ": \t\r\n")
	if !strings.HasPrefix(rest, `"`) {
		return ""
	}
	var text string
	if json.NewDecoder(strings.NewReader(rest)).Decode(&text) == nil {
		return text
	}
	for cut := len(rest); cut > max(0, len(rest)-len(`\ud83d\ude00`)); cut-- { // an escape may be cut in two
		if utf8.ValidString(rest[:cut]) && json.Unmarshal([]byte(rest[:cut]+`"`), &text) == nil && !strings.HasSuffix(text, "\uFFFD") {
			return text
		}
	}
	return ""
}
