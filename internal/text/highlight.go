package text

import "cmp"

// Highlights returns where the words of a query stand in a passage, in any
// form of the same stem, in order and without overlap. Stop words are none.
func Highlights(query, passage string) []Span {
	language := cmp.Or(Language(query), Language(passage), "en")
	memo := NewMemo(NewAnalyzer(language))
	asked := make(map[string]bool)
	for _, t := range memo.Terms(query) {
		asked[t] = true
	}
	var spans []Span
	for w := range Words(passage) {
		t, ok := memo.Term(w.Text)
		if !ok || !asked[t] {
			continue
		}
		// A joined word comes after its parts and swallows those that were
		// asked for too; pairs of characters overlap.
		for n := len(spans); n > 0 && spans[n-1].End > w.Start; n-- {
			w.Start = min(w.Start, spans[n-1].Start)
			w.End = max(w.End, spans[n-1].End)
			spans = spans[:n-1]
		}
		spans = append(spans, w.Span)
	}
	return spans
}
