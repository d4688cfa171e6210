package reader

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/text"
)

// digest is what the reader makes of a text: everything in it is taken from the
// text itself.
type digest struct {
	title    string
	language string
	summary  []string // sentences, in reading order
	facts    []string // sentences with numbers, dates and names
	topics   []string
	entities []string
}

// Bounds of a digest.
const (
	summarySentences = 4
	maxFacts         = 6
	maxTopics        = 8
	maxEntities      = 12
	// maxDigestText bounds, in bytes, what is read of a text.
	maxDigestText = 400 << 10
)

// source is a text with its name, as it stands in a prompt.
type source struct {
	title, text string
	handle      string // "" when it has no footnote
}

// sources returns the texts to read: passages, or else all that the user said.
func (t task) sources() []source {
	var all []source
	for _, p := range t.promptPassages() {
		all = append(all, source{p.Title, p.Text, p.Handle})
	}
	if len(all) > 0 {
		return all
	}
	return []source{{text: t.question}}
}

// digest sums up the text of a prompt in words.
func (r *Reader) digest(t task) string {
	var parts []string
	for _, group := range byTitle(t.sources()) {
		d := r.read(group.title, group.text)
		var b strings.Builder
		if d.title != "" {
			fmt.Fprintf(&b, "**%s**\n\n", d.title)
		}
		b.WriteString(strings.Join(d.summary, " "))
		if len(d.topics) > 0 {
			fmt.Fprintf(&b, "\n\nTopics: %s.", strings.Join(d.topics, ", "))
		}
		parts = append(parts, b.String())
	}
	return strings.Join(parts, "\n\n")
}

// byTitle puts the texts of one document together, in order.
func byTitle(all []source) []source {
	var groups []source
	for _, s := range all {
		i := slices.IndexFunc(groups, func(g source) bool { return g.title == s.title })
		if i < 0 {
			groups = append(groups, s)
			continue
		}
		groups[i].text += "\n\n" + s.text
	}
	return groups
}

// read makes the digest of one text.
func (r *Reader) read(title, body string) digest {
	if len(body) > maxDigestText {
		body = strings.ToValidUTF8(body[:maxDigestText], "")
	}
	d := digest{title: title, language: text.Language(body)}
	a := text.NewMemo(r.analyzer(body))
	freq, surface := map[string]float64{}, map[string]string{}
	var sentences []string
	for _, span := range text.Sentences(body) {
		s := body[span.Start:span.End]
		sentences = append(sentences, s)
		for w := range text.Words(s) {
			t, ok := a.Term(w.Text)
			if !ok || w.Joined || len(w.Text) < 3 || isDigits(w.Text) {
				continue
			}
			freq[t]++
			if _, seen := surface[t]; !seen {
				surface[t] = w.Text
			}
		}
	}
	scores := make([]float64, len(sentences))
	for i, s := range sentences {
		scores[i] = central(a, s, freq) * (1 + 0.5/float64(1+i)) // what comes first matters more
	}
	d.summary = best(sentences, scores, summarySentences)
	for i, s := range sentences {
		scores[i] *= factual(s)
	}
	d.facts = best(sentences, scores, maxFacts)
	d.topics = topics(freq, surface)
	d.entities = entities(a.Analyzer, sentences)
	return d
}

// central is how much of what a text speaks about most a sentence holds: the
// mean weight of its terms, for sentences of ordinary length.
func central(a *text.Memo, s string, freq map[string]float64) float64 {
	sum, n, words := 0.0, 0, 0
	for w := range text.Words(s) {
		words++
		if t, ok := a.Term(w.Text); ok && freq[t] > 1 {
			sum += math.Log(1 + freq[t])
			n++
		}
	}
	if words < 6 || words > 60 || strings.HasSuffix(s, "?") || strings.Contains(s, "\n") {
		return 0.01 * sum / float64(max(1, words))
	}
	return sum / math.Sqrt(float64(words))
}

// factual prefers sentences that state something that can be checked.
func factual(s string) float64 {
	f := 0.2
	for w := range text.Words(s) {
		switch {
		case isDigits(w.Text):
			f += 0.5
		case w.Start > 0 && upperAt(s, w.Start):
			f += 0.1
		}
	}
	return min(f, 1.5)
}

// best returns the n sentences with the highest scores, in reading order, each
// once.
func best(sentences []string, scores []float64, n int) []string {
	order := make([]int, len(sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var chosen []int
	seen := map[string]bool{}
	for _, i := range order {
		if s := quoted(sentences[i]); len(chosen) < n && scores[i] > 0 && !seen[s] {
			seen[s] = true
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	var out []string
	for _, i := range chosen {
		out = append(out, quoted(sentences[i]))
	}
	return out
}

// topics are the words that a text uses most.
func topics(freq map[string]float64, surface map[string]string) []string {
	terms := make([]string, 0, len(freq))
	for t, n := range freq {
		if n > 1 {
			terms = append(terms, t)
		}
	}
	slices.SortFunc(terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(freq[b], freq[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, t := range terms[:min(len(terms), maxTopics)] {
		out = append(out, surface[t])
	}
	return out
}

// entities are runs of capitalised words inside sentences, the most frequent
// first. A single word that also stands somewhere in small letters is none.
func entities(a *text.Analyzer, sentences []string) []string {
	count, small := map[string]int{}, map[string]bool{}
	var order []string
	for _, s := range sentences {
		for _, name := range names(a, s) {
			if count[name] == 0 {
				order = append(order, name)
			}
			count[name]++
		}
		for w := range text.Words(s) {
			if !upperAt(s, w.Start) {
				small[w.Text] = true
			}
		}
	}
	order = slices.DeleteFunc(order, func(name string) bool { return small[text.Normalize(name)] })
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return order[:min(len(order), maxEntities)]
}

// names returns the runs of capitalised words in a sentence, but not what stands
// at its start, where anything is capitalised.
func names(a *text.Analyzer, s string) []string {
	if text.TableRow(s) {
		return nil
	}
	var found []string
	start, end := -1, -1
	flush := func() {
		if start >= 0 {
			found = append(found, s[start:end])
		}
		start = -1
	}
	first := true
	for w := range text.Words(s) {
		if w.Joined {
			continue
		}
		upper := upperAt(s, w.Start) && w.End-w.Start > 1 && !a.Stop(w.Text)
		if start >= 0 && (!upper || s[end:w.Start] != " ") {
			flush()
		}
		if upper && !first {
			if start < 0 {
				start = w.Start
			}
			end = w.End
		}
		first = false
	}
	flush()
	return found
}

func upperAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r)
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// fill answers a request for JSON of a schema with what can be taken from the
// text. Whatever the schema asks for beyond that stays empty.
func (r *Reader) fill(raw json.RawMessage, t task) string {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		s = schema{Type: "object"}
	}
	var d digest
	if groups := byTitle(t.sources()); len(groups) == 1 {
		d = r.read(groups[0].title, groups[0].text)
	} else {
		var body, titles []string
		for _, g := range groups {
			body = append(body, g.text)
			titles = append(titles, g.title)
		}
		d = r.read(strings.Join(titles, ", "), strings.Join(body, "\n\n"))
	}
	b, err := json.Marshal(s.value("", d, 0))
	if err != nil {
		return "{}"
	}
	return string(b)
}

// schema is the part of JSON schema that the reader looks at.
type schema struct {
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
}

func (s schema) is(kind string) bool {
	if list, ok := s.Type.([]any); ok {
		return slices.Contains(list, any(kind))
	}
	return s.Type == kind
}

// value fills a value that is called name.
func (s schema) value(name string, d digest, depth int) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1] // "other", "unknown" usually stand last
	case depth > 8:
		return nil
	case s.is("object") || s.Properties != nil:
		object := map[string]any{}
		for key, property := range s.Properties {
			object[key] = property.value(key, d, depth+1)
		}
		return object
	case s.is("array"):
		return s.list(d.about(name), depth)
	case s.is("string"):
		return d.sentence(name)
	case s.is("number"), s.is("integer"):
		return 0
	case s.is("boolean"):
		return false
	}
	return nil
}

// list fills an array with texts, or with objects around each.
func (s schema) list(texts []string, depth int) []any {
	out := []any{}
	for _, t := range texts {
		if s.Items == nil || s.Items.Properties == nil {
			out = append(out, t)
			continue
		}
		object := map[string]any{}
		first := true
		for _, key := range sortedKeys(s.Items.Properties) {
			property := s.Items.Properties[key]
			object[key] = property.value("", digest{}, depth+1)
			if first && property.is("string") && len(property.Enum) == 0 && bearsText(key) {
				object[key], first = t, false
			}
		}
		out = append(out, object)
	}
	return out
}

// bearsText reports whether a key of a list's objects is the one for the text
// itself.
func bearsText(key string) bool {
	for _, part := range []string{"name", "text", "fact", "topic", "entity", "statement", "point", "value", "title", "claim", "item", "description"} {
		if strings.Contains(strings.ToLower(key), part) {
			return true
		}
	}
	return false
}

func sortedKeys(m map[string]schema) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// about returns what belongs under a list of a name.
func (d digest) about(name string) []string {
	name = strings.ToLower(name)
	for _, known := range []struct {
		parts []string
		texts []string
	}{
		{[]string{"topic", "theme", "keyword", "tag", "subject", "similar"}, d.topics},
		{[]string{"entit", "people", "person", "organi", "place", "name"}, d.entities},
		{[]string{"fact", "finding", "point", "highlight", "claim", "figure", "evidence", "differ"}, d.facts},
		{[]string{"summar", "sentence", "paragraph", "section"}, d.summary},
	} {
		for _, part := range known.parts {
			if strings.Contains(name, part) {
				return known.texts
			}
		}
	}
	return nil
}

// sentence returns what belongs under a text of a name.
func (d digest) sentence(name string) string {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "title") || name == "name" || name == "document":
		return d.title
	case strings.Contains(name, "language"):
		return d.language
	case name == "":
		return ""
	}
	for _, part := range []string{"summar", "overview", "abstract", "description", "answer", "conclusion", "analysis", "text", "content"} {
		if strings.Contains(name, part) {
			return strings.Join(d.summary, " ")
		}
	}
	return strings.Join(d.about(name), ", ")
}

// sectionOrder is the order in which the parts of a JSON analysis are shown.
var sectionOrder = []string{"title", "answer", "summary", "overview", "similarities", "differences", "key_facts", "facts", "key_points", "topics", "entities"}

// markdown shows a JSON object for people.
func markdown(fields map[string]any) string {
	keys := make([]string, 0, len(fields))
	for k := range fields {
		keys = append(keys, k)
	}
	place := func(k string) int {
		if i := slices.Index(sectionOrder, k); i >= 0 {
			return i
		}
		return len(sectionOrder)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
	var parts []string
	for _, k := range keys {
		label := strings.ReplaceAll(k, "_", " ")
		if label != "" {
			label = strings.ToUpper(label[:1]) + label[1:]
		}
		switch v := fields[k].(type) {
		case string:
			if v != "" {
				parts = append(parts, "**"+label+":** "+v)
			}
		case []any:
			if s := bullets(v); s != "" {
				parts = append(parts, "**"+label+"**\n\n"+s)
			}
		case map[string]any:
			parts = append(parts, "**"+label+"**\n\n"+markdown(v))
		case nil:
		default:
			parts = append(parts, fmt.Sprintf("**%s:** %v", label, v))
		}
	}
	return strings.Join(parts, "\n\n")
}

func bullets(list []any) string {
	var b strings.Builder
	for _, item := range list {
		switch v := item.(type) {
		case map[string]any:
			fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(markdown(v), "\n\n", "; "))
		default:
			fmt.Fprintf(&b, "- %v\n", v)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
