package reader

import (
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// summary sums up passages, document by document, each sentence with the footnote
// of the passage that it stands in.
func (r *Reader) summary(ps []ibid.Handled) string {
	var b strings.Builder
	titles, byTitle := titled(ps)
	for _, title := range titles {
		r.gist(&b, title, byTitle[title])
	}
	return strings.TrimSpace(b.String())
}

// gist writes the main sentences of one document. A text that is too short to have
// a main topic is given from its beginning.
func (r *Reader) gist(b *strings.Builder, title string, ps []ibid.Handled) {
	fmt.Fprintf(b, "**%s** says:\n\n", plainTitle(ibid.Handled{Title: title}))
	for _, s := range r.mainSentences(title, joined(ps)) {
		within := bare(strings.TrimSuffix(s, " …"))
		if i := slices.IndexFunc(ps, func(p ibid.Handled) bool { return strings.Contains(bare(p.Text), within) }); i >= 0 {
			fmt.Fprintf(b, "> “%s”%s\n\n", s, footnote(ps[i]))
		}
	}
}

// mainSentences are the summary of a text. One of a few sentences hardly repeats
// a word, by which the digest tells what it is about: there the first ones fill up.
func (r *Reader) mainSentences(title, body string) []string {
	main := r.read(title, body).summary
	var all []string
	for _, span := range text.Sentences(body) {
		if s := quoted(body[span.Start:span.End]); len(strings.Fields(s)) > minFootnoted {
			all = append(all, s)
		}
	}
	if len(all) > 2*summarySentences {
		return main
	}
	chosen := slices.Clone(main)
	for _, s := range all {
		if len(chosen) < summarySentences && !slices.Contains(chosen, s) {
			chosen = append(chosen, s)
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return !slices.Contains(chosen, s) }) // in reading order
}

// titled groups passages by their documents, in order.
func titled(ps []ibid.Handled) (titles []string, byTitle map[string][]ibid.Handled) {
	byTitle = map[string][]ibid.Handled{}
	for _, p := range ps {
		if byTitle[p.Title] == nil {
			titles = append(titles, p.Title)
		}
		byTitle[p.Title] = append(byTitle[p.Title], p)
	}
	return titles, byTitle
}
