package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/question"
	"ibid/internal/text"
)

// AnswerStore keeps which questions were answered. A question whose answer was
// deleted is gone too.
type AnswerStore interface {
	// Answered returns the questions answered under a key, newest first, without
	// those of a thread: who asks there again wants another answer.
	Answered(ctx context.Context, view access.View, key, notOfThread string, limit int) ([]ibid.Answered, error)
	KeepAnswered(ctx context.Context, a ibid.Answered) error
}

// AnswerCache finds the answer to a question that asks the same as an earlier one.
type AnswerCache struct {
	store    AnswerStore
	embedder func() ibid.Embedder // of now; it may return nil

	mu    sync.Mutex
	forms map[string]form // of earlier questions, by their words
}

// NewAnswerCache returns a cache over a store.
func NewAnswerCache(store AnswerStore, embedder func() ibid.Embedder) *AnswerCache {
	return &AnswerCache{store: store, embedder: embedder, forms: map[string]form{}}
}

const (
	// maxAnswered is how many questions under one key are looked at.
	maxAnswered = 500
	// sameFrom is the least cosine of two questions that ask the same. It only
	// confirms: questions are compared that have the same content words, and on
	// SQuAD those that ask the same lie at .99 and more.
	sameFrom = 0.90
)

// Lookup returns the newest answered question under key that asks the same, and
// how alike the two are. Without one, similarity says how close the closest came.
func (c *AnswerCache) Lookup(ctx context.Context, view access.View, key, notOfThread, question string) (hit *ibid.Answered, similarity float64, err error) {
	all, err := c.store.Answered(ctx, view, key, notOfThread, maxAnswered)
	if err != nil {
		return nil, 0, fmt.Errorf("look for an answer: %w", err)
	}
	asked := formOf(question)
	var same []ibid.Answered
	for _, a := range all {
		form := c.formOf(a.Question)
		similarity = max(similarity, asked.alike(form))
		if asked.same(form) {
			same = append(same, a)
		}
	}
	if len(same) == 0 {
		return nil, min(similarity, 0.99), nil // the words may be the same, and the question is not
	}
	return c.confirm(ctx, question, same[0])
}

// keptForms bounds how many forms are kept; all are dropped when there are more.
const keptForms = 4 * maxAnswered

// formOf returns the form of an earlier question. It is kept, as each new question is
// compared with the same earlier ones.
func (c *AnswerCache) formOf(question string) form {
	c.mu.Lock()
	f, known := c.forms[question]
	c.mu.Unlock()
	if known {
		return f
	}
	f = formOf(question)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.forms) >= keptForms {
		clear(c.forms)
	}
	c.forms[question] = f
	return f
}

// Keep remembers that a question was answered.
func (c *AnswerCache) Keep(ctx context.Context, a ibid.Answered) error {
	if err := c.store.KeepAnswered(ctx, a); err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	return nil
}

// confirm compares the meaning of two questions whose words are the same.
func (c *AnswerCache) confirm(ctx context.Context, question string, a ibid.Answered) (*ibid.Answered, float64, error) {
	e := c.embedder()
	if e == nil || strings.EqualFold(question, a.Question) {
		return &a, 1, nil
	}
	vecs, err := e.Embed(ctx, []string{question, a.Question}, ibid.EmbedQuery)
	if err != nil || len(vecs) != 2 || len(vecs[0]) != len(vecs[1]) {
		return nil, 0, err
	}
	cosine := 0.0
	for i, v := range vecs[0] {
		cosine += float64(v) * float64(vecs[1][i])
	}
	if cosine < sameFrom {
		return nil, max(cosine, 0), nil
	}
	return &a, min(cosine, 1), nil
}

// SameQuestion reports whether two questions ask the same, as far as their words
// tell.
func SameQuestion(a, b string) bool { return formOf(a).same(formOf(b)) }

// form is what of a question must be the same for it to ask the same.
type form struct {
	kind    question.Kind
	terms   []string // content words, in order
	names   []string // of them, those of names, in order
	figures []string // sorted
	denies  bool
	open    string // the words that ask and relate: "before", "first", "more"
}

// light words change nothing about what is asked.
var light = text.WordSet(`please tell me can could you give show say let know would like explain i want need find out us kindly just hey hi so do does did
	is are was were be been the a an of in on at to for by with from it this that there have has had will shall may 's s`)

// relating words change what is asked, and analysers take some of them for stop
// words.
var relating = text.WordSet(`before after first last more less most least under over above below between without against into during until since not no never
	all any each every only own same other both few who whom whose what when where which why how many much long often old far`)

func formOf(asked string) form {
	f := form{kind: question.KindOf(asked), denies: text.Denies(asked)}
	language := text.Language(asked)
	if language == "" {
		language = "en"
	}
	a := text.NewAnalyzer(language)
	first := true
	var open []string
	for w := range text.Words(asked) {
		if w.Joined {
			continue
		}
		c, _ := utf8.DecodeRuneInString(asked[w.Start:])
		switch t := a.Stem(w.Text); {
		case relating[w.Text]:
			open = append(open, w.Text)
		case light[w.Text]:
		default:
			f.terms = append(f.terms, t)
			if !first && unicode.IsUpper(c) {
				f.names = append(f.names, t)
			}
		}
		first = false
	}
	f.figures = text.Figures(asked)
	slices.Sort(f.figures)
	slices.Sort(open)
	f.open = strings.Join(open, " ")
	return f
}

// same reports whether two questions ask the same: the same kind of answer, about
// the same figures and names, denied or not, in the same content words. Where it
// is asked who did what, their order counts too.
func (f form) same(g form) bool {
	if f.kind != g.kind || f.denies != g.denies || f.open != g.open || len(f.terms) == 0 ||
		!slices.Equal(f.figures, g.figures) || !sameSet(f.terms, g.terms) || !slices.Equal(f.names, g.names) && len(f.names) > 0 && len(g.names) > 0 {
		return false
	}
	switch f.kind {
	case question.KindTime, question.KindNumber, question.KindPlace, question.KindDefine:
		return true
	}
	return slices.Equal(f.terms, g.terms)
}

// alike is the share of content words that two questions have in common.
func (f form) alike(g form) float64 {
	both := 0
	for _, t := range f.terms {
		if slices.Contains(g.terms, t) {
			both++
		}
	}
	all := len(f.terms) + len(g.terms) - both
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
