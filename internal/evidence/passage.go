package evidence

import (
	"cmp"

	"ibid"
	"ibid/internal/text"
)

// Passage is a text to choose sentences from, or one that a claim is held against.
type Passage struct {
	Under string // what it stands under: the title of its document, its headings
	Text  string
	Score float64 // how well it fits as a whole; comparable among the passages of one search
}

// Passages are passages of the library as they are read here.
func Passages(of []ibid.Passage) []Passage {
	passages := make([]Passage, len(of))
	for i, p := range of {
		title := cmp.Or(p.Document.Title, p.Document.Name)
		passages[i] = Passage{Under: text.Passage(title, p.Heading, ""), Text: p.Text, Score: p.Score}
	}
	return passages
}
