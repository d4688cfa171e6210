package office

import (
	"encoding/xml"
	"strconv"

	"ibid/internal/document/zipfile"
)

// odfNumbers counts the items of the lists of an OpenDocument text, whose styles
// say how each level is numbered (OpenDocument 1.3, part 3, 16.30 and 16.34).
type odfNumbers struct {
	styles  map[string]*numbering
	open    *numbering // the style that is being described
	outline numbering  // of headings

	lists     []*odfList
	last      *odfList // the outermost that ended last
	byID      map[string]*odfList
	titles    map[string]bool // styles of the title of a document
	chapters  counter
	number    string // of the open item or heading
	unclaimed bool   // no paragraph of the open item has come
}

// odfList is an outermost list with those in it, which count on their levels.
type odfList struct {
	style   *numbering
	counter *counter
}

const outlineStyle = "outline-style"

// token takes the styles of styles.xml.
func (o *odfNumbers) token(token xml.Token) error {
	if e, ok := token.(xml.StartElement); ok {
		o.define(e)
	}
	return nil
}

// define takes what describes the style of a list.
func (o *odfNumbers) define(e xml.StartElement) {
	const most = 20_000
	switch e.Name.Local {
	case "style":
		if name := zipfile.Attr(e, "name"); len(o.titles) < most && (name == "Title" || o.titles[zipfile.Attr(e, "parent-style-name")]) {
			if o.titles == nil {
				o.titles = make(map[string]bool)
			}
			o.titles[name] = true
		}
	case "list-style":
		o.open = &numbering{}
		if o.styles == nil {
			o.styles = make(map[string]*numbering)
		}
		if name := zipfile.Attr(e, "name"); len(o.styles) < most {
			o.styles[name] = o.open
		}
	case outlineStyle:
		o.open = &o.outline
	case "list-level-style-number", "outline-level-style":
		o.level(e)
	}
}

func (o *odfNumbers) level(e xml.StartElement) {
	n, _ := strconv.Atoi(zipfile.Attr(e, "level"))
	if o.open == nil || n < 1 || n > maxLevels {
		return
	}
	l := &o.open.levels[n-1]
	l.start = 1
	if start, err := strconv.Atoi(zipfile.Attr(e, "start-value")); err == nil {
		l.start = start
	}
	formats := map[string]string{"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "": "none"}
	l.format = formats[zipfile.Attr(e, "num-format")]
	if l.format == "" {
		l.format = "decimal"
	}
	shown, _ := strconv.Atoi(zipfile.Attr(e, "display-levels"))
	between := ""
	for i := max(n-max(shown, 1), 0); i < n; i++ {
		if o.open.levels[i].format == "none" {
			continue
		}
		l.text += between + "%" + strconv.Itoa(i+1)
		between = "."
	}
	const longest = 50
	if prefix, suffix := zipfile.Attr(e, "num-prefix"), zipfile.Attr(e, "num-suffix"); len(prefix)+len(suffix) <= longest {
		l.text = prefix + l.text + suffix
	}
}

// startList begins a list. One within another counts with it; an outermost one
// may go on where the one before ended, or the one that it names.
func (o *odfNumbers) startList(e xml.StartElement) {
	list := &odfList{style: o.styles[zipfile.Attr(e, "style-name")], counter: &counter{}}
	var goesOn *odfList
	if n := len(o.lists); n > 0 {
		goesOn = o.lists[n-1]
	} else if named := o.byID[zipfile.Attr(e, "continue-list")]; named != nil {
		goesOn = named
	} else if zipfile.Attr(e, "continue-numbering") == "true" {
		goesOn = o.last
	}
	if goesOn != nil {
		list.counter = goesOn.counter
		if list.style == nil {
			list.style = goesOn.style
		}
	}
	o.lists = append(o.lists, list)
	if id := zipfile.Attr(e, "id"); id != "" && len(o.byID) < zipfile.MaxTokens/1000 {
		if o.byID == nil {
			o.byID = make(map[string]*odfList)
		}
		o.byID[id] = list
	}
}

func (o *odfNumbers) endList() {
	n := len(o.lists)
	if n == 0 {
		return
	}
	o.last = o.lists[n-1]
	o.lists = o.lists[:n-1]
}

// startItem counts an item.
func (o *odfNumbers) startItem(start string) {
	o.number, o.unclaimed = "", true
	n := len(o.lists)
	if n == 0 || o.lists[n-1].style == nil {
		return
	}
	list, level := o.lists[n-1], min(n, maxLevels)-1
	if value, err := strconv.Atoi(start); err == nil {
		list.counter.counts[level], list.counter.begun[level] = value-1, true
	}
	o.number = list.counter.next(list.style, level)
}

// startHeader begins what stands in a list without a number.
func (o *odfNumbers) startHeader() { o.number, o.unclaimed = "", false }

// take returns the number of the open item, once.
func (o *odfNumbers) take() (number string, first bool) {
	first = o.unclaimed
	number = o.number
	o.number, o.unclaimed = "", false
	return number, first
}

// startHeading counts a heading.
func (o *odfNumbers) startHeading(level int, unnumbered bool) {
	if unnumbered || len(o.lists) > 0 { // in a list the item has the number
		return
	}
	o.number = o.chapters.next(&o.outline, level-1)
}

// heading returns the number of the open heading.
func (o *odfNumbers) heading() string {
	number, _ := o.take()
	return number
}
