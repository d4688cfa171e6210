package main

import (
	"slices"
	"strconv"
	"strings"

	"ibid"
)

// piece is a part of an answer: words, or the marks of the footnotes of one marker.
type piece struct {
	text  string
	notes []int // the footnotes' numbers, nil for words
}

// markReader turns the markers of an answer, which stand in it as [chunk_id], into
// the numbers of the footnotes that were placed there, [n], also when a marker is
// split over pieces of the stream.
type markReader struct {
	placed map[int][]int   // byte of the answer where a marker begins → numbers, ascending
	found  map[string]bool // chunk ids of what was found: a marker of these without a footnote is not shown
	read   int             // bytes of the answer that were read
	held   string          // the beginning of what may be a marker; not yet counted as read
}

// place makes footnote n stand at the marker that begins at a byte of the answer.
func (m *markReader) place(marker, n int) {
	if at, ok := slices.BinarySearch(m.placed[marker], n); !ok {
		m.placed[marker] = slices.Insert(m.placed[marker], at, n)
	}
}

// footnotesOf returns the footnotes of a saved answer. Answers of older versions have
// everything that was found among their citations, and a marker in them means the
// citation with that chunk id, which keeps its number.
func footnotesOf(m ibid.Message) []ibid.Citation {
	isNew := func(c ibid.Citation) bool { return c.Statements != nil }
	if m.Found != nil || slices.ContainsFunc(m.Citations, isNew) {
		return m.Citations
	}
	notes := slices.Clone(m.Citations)
	for i := range notes {
		marker := "[" + notes[i].ChunkID + "]"
		for from := 0; ; {
			at := strings.Index(m.Text[from:], marker)
			if at < 0 {
				break
			}
			notes[i].Statements = append(notes[i].Statements, ibid.CitedStatement{Marker: from + at})
			from += at + len(marker)
		}
	}
	return notes
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
			m.read += len(text)
			return append(pieces, piece{text: text})
		}
		if open > 0 {
			m.read += open
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
			m.read += inner + 2
			text = text[inner+2:]
		default:
			pieces = append(pieces, piece{text: "["})
			m.read++
			text = text[1:]
		}
	}
	return pieces
}

// resolve is for what stands in brackets at the place that was read up to.
func (m *markReader) resolve(id string) piece {
	notes := m.placed[m.read]
	if len(notes) == 0 {
		if m.found[id] {
			return piece{}
		}
		return piece{text: "[" + id + "]"}
	}
	var marks strings.Builder
	for _, n := range notes {
		marks.WriteString("[" + strconv.Itoa(n) + "]")
	}
	return piece{text: marks.String(), notes: notes}
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

// reset begins with another text, in which no footnote is placed yet.
func (m *markReader) reset() {
	m.held, m.read = "", 0
	clear(m.placed)
}
