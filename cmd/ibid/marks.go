package main

import (
	"strconv"
	"strings"

	"ibid"
)

// piece is a part of an answer: words, or the mark of a footnote.
type piece struct {
	text     string
	footnote int // its number, 0 for words
}

// markReader turns the citations of an answer, which stand in it as
// [chunk_id], into footnote marks [n], also when a citation is split over
// pieces of the stream.
type markReader struct {
	citations map[string]ibid.Citation // chunk id → citation
	held      string                   // the beginning of what may be a citation
}

// longestMark bounds what is held back: a chunk id in brackets is shorter.
const longestMark = 200

// push takes the next text of the stream and returns what can be shown.
func (m *markReader) push(text string) []piece {
	text = m.held + text
	m.held = ""
	var pieces []piece
	for text != "" {
		open := strings.IndexByte(text, '[')
		if open < 0 {
			return append(pieces, piece{text: text})
		}
		if open > 0 {
			pieces = append(pieces, piece{text: text[:open]})
			text = text[open:]
		}
		inner := strings.IndexAny(text[1:], "[]\n")
		switch {
		case inner < 0 && len(text) < longestMark:
			m.held = text
			return pieces
		case inner >= 0 && text[1+inner] == ']':
			pieces = append(pieces, m.resolve(text[1:1+inner]))
			text = text[inner+2:]
		default:
			pieces = append(pieces, piece{text: "["})
			text = text[1:]
		}
	}
	return pieces
}

func (m *markReader) resolve(id string) piece {
	if c, ok := m.citations[id]; ok {
		return piece{text: "[" + strconv.Itoa(c.N) + "]", footnote: c.N}
	}
	return piece{text: "[" + id + "]"}
}

// rest returns what was held back when the stream has ended.
func (m *markReader) rest() []piece {
	held := m.held
	m.held = ""
	if held == "" {
		return nil
	}
	return []piece{{text: held}}
}

func (m *markReader) reset() { m.held = "" }
