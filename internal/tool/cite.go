package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"ibid"
)

// Names of the tools whose results are cited, for people.
const (
	citedCalculator = "Calculator"
	citedClock      = "Clock"
	citedProgram    = "Program"
	citedLibrary    = "Library"
)

// citable makes the result of a call citable: said is what stands behind its
// footnote, titled by what said it. The same call with the same result always has
// the same id.
func citable(out ibid.ToolOutput, call ibid.ToolCall, by, said string) ibid.ToolOutput {
	if out.Failed || strings.TrimSpace(said) == "" {
		return out
	}
	said = strings.TrimSpace(strings.ToValidUTF8(said, "\uFFFD"))
	p := ibid.Passage{Document: ibid.Document{Title: by}, Kind: ibid.SourceTool, Score: 1}
	p.ID, p.Level, p.Text, p.End = resultID(call, said), passageLevel, said, len(said)
	out.Cite = &p
	return out
}

// resultID is the id of what a call came to.
func resultID(call ibid.ToolCall, result string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{call.Name, string(call.Arguments), result}, "\x00")))
	return "t_" + hex.EncodeToString(sum[:8])
}
