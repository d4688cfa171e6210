package office

import (
	"encoding/xml"
	"strconv"

	"ibid/internal/document/format"
	"ibid/internal/document/zipfile"
)

// wordNumbering is the numbering of the lists of a Word file. Lists of one
// abstract definition go on counting where the one before ended, unless they say
// with what to begin.
type wordNumbering struct {
	abstract map[string]*numbering
	lists    map[string]wordList // by w:numId
	counters map[string]*counter // by what is counted together
}

type wordList struct {
	abstract  string
	overrides map[int]int // numbers to begin with, by level
}

func (z *zipFile) wordNumbering(parts []string) *wordNumbering {
	r := numberingReader{to: &wordNumbering{
		abstract: make(map[string]*numbering), lists: make(map[string]wordList), counters: make(map[string]*counter),
	}}
	for _, part := range parts {
		_ = z.Each(part, r.token) // a file without numbers has bullets
	}
	return r.to
}

// next returns what stands before the next paragraph of a list, and whether it
// is one.
func (w *wordNumbering) next(id string, level int) (number string, ok bool) {
	list, ok := w.lists[id]
	definition := w.abstract[list.abstract]
	if !ok || definition == nil {
		return "", false
	}
	key := list.abstract
	if len(list.overrides) > 0 {
		key = "list " + id
	}
	c := w.counters[key]
	if c == nil {
		c = &counter{}
		for level, start := range list.overrides {
			c.counts[level], c.begun[level] = start-1, true
		}
		w.counters[key] = c
	}
	return c.next(definition, level), true
}

// maxLists bounds the ways of numbering in a file, of each of which there may be many lists.
const maxLists = 2000

// numberingReader is the state between the elements of word/numbering.xml.
type numberingReader struct {
	to       *wordNumbering
	abstract *numbering
	list     string
	level    int // that is being described, -1 for none
	override int
}

func (r *numberingReader) token(token xml.Token) error {
	e, ok := token.(xml.StartElement)
	if !ok {
		return nil
	}
	value := zipfile.Attr(e, "val")
	number, err := strconv.Atoi(value)
	switch e.Name.Local {
	case "abstractNum":
		r.abstract, r.list, r.level = &numbering{}, "", -1
		if len(r.to.abstract) < maxLists {
			r.to.abstract[zipfile.Attr(e, "abstractNumId")] = r.abstract
		}
	case "num":
		r.list, r.abstract = zipfile.Attr(e, "numId"), nil
	case "abstractNumId":
		if r.list != "" && len(r.to.lists) < 50*maxLists {
			r.to.lists[r.list] = wordList{abstract: value}
		}
	case "lvlOverride":
		r.override, _ = strconv.Atoi(zipfile.Attr(e, "ilvl"))
	case "startOverride":
		r.startOverride(number, err)
	case "lvl":
		r.level, _ = strconv.Atoi(zipfile.Attr(e, "ilvl"))
		if l := r.open(); l != nil {
			l.start = 1
		}
	case "start":
		if l := r.open(); l != nil && err == nil {
			l.start = number
		}
	case "numFmt":
		if l := r.open(); l != nil {
			l.format = value
		}
	case "lvlText":
		if l := r.open(); l != nil && len(value) < format.MaxHeading {
			l.text = value
		}
	}
	return nil
}

// open returns the level that is being described.
func (r *numberingReader) open() *numberLevel {
	if r.abstract == nil || r.level < 0 || r.level >= maxLevels {
		return nil
	}
	return &r.abstract.levels[r.level]
}

func (r *numberingReader) startOverride(start int, err error) {
	list, ok := r.to.lists[r.list]
	if !ok || err != nil || r.override < 0 || r.override >= maxLevels {
		return
	}
	if list.overrides == nil {
		list.overrides = make(map[int]int)
	}
	list.overrides[r.override] = start
	r.to.lists[r.list] = list
}
