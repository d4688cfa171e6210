package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/reader"
	"ibid/internal/search"
	"ibid/internal/text"
	"ibid/internal/tool"
)

// AnswersConfig says what Answers measures.
type AnswersConfig struct {
	Models   []ibid.Model  // each answers every question
	Embedder ibid.Embedder // nil: the built-in one, fitted on the set
	Sample   int           // ask so many questions only, chosen at random; 0: all
	Seed     uint64        // of the sample and of what is held out
	Workers  int           // questions at once; 0: one for each processor
	// Progress, when set, is told what is being done and how far it is, from one
	// goroutine at a time.
	Progress func(stage string, done, total int)
}

// heldOut is the share of entries that are left out of the library, so that
// their questions cannot be answered from it.
const heldOut = 0.2

// questionTime bounds the answer to one question.
const questionTime = 10 * time.Minute

// Answers lets models answer the questions of the test collection in dir, with
// the same agent, search and tools that serve users, and judges what they said.
//
// A fifth of the entries is held out. A question all of whose relevant entries
// are held out is unanswerable, and the right answer to it is none: one without
// a footnote. Some other entry may hold the answer all the same; nobody judged
// that, so a perfect score is out of reach.
func Answers(ctx context.Context, dir string, cfg AnswersConfig) (*AnswersReport, error) {
	start := time.Now()
	set, err := ReadSet(dir)
	if err != nil {
		return nil, err
	}
	set.Queries = slices.DeleteFunc(set.Queries, func(q Query) bool { return len(q.Answers) == 0 })
	if len(set.Queries) == 0 {
		return nil, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the questions of " + dir + " have no known answers",
			Hint: `queries.jsonl names them as {"_id": …, "text": …, "metadata": {"answers": ["…"]}}`}
	}
	known := claims(set, claimed(cfg.Sample), cfg.Seed)
	set.sample(Config{Sample: cfg.Sample, Seed: cfg.Seed})
	unanswerable := set.holdOut(cfg.Seed)
	build := Config{Embedder: cfg.Embedder, Progress: cfg.Progress}
	searcher, _, err := set.searcher(ctx, newStore(set), build)
	if err != nil {
		return nil, err
	}
	report := &AnswersReport{Set: dir, Questions: len(set.Queries), Unanswerable: len(unanswerable)}
	for _, m := range cfg.Models {
		scores, err := set.askAll(ctx, searcher, m, unanswerable, cfg)
		if err != nil {
			return nil, fmt.Errorf("let %s answer: %w", m.Name(), err)
		}
		if scores.Verdicts, err = verdicts(ctx, known, judgeOf(m)); err != nil {
			return nil, fmt.Errorf("let %s verify: %w", m.Name(), err)
		}
		report.Models = append(report.Models, scores)
	}
	report.Took = time.Since(start)
	return report, nil
}

// claimed is of how many paragraphs claims are made to measure verification with.
func claimed(sample int) int {
	const most = 300
	if sample == 0 {
		return most
	}
	return min(max(sample/5, 10), most)
}

// judgeOf returns who verifies where m answers: the built-in reader leaves it to
// the rules.
func judgeOf(m ibid.Model) ibid.Model {
	if m.Name() == "reader" {
		return nil
	}
	return m
}

// holdOut leaves a share of the entries out of the set, and returns the
// questions that cannot be answered without them. A document keeps the rest of
// its entries.
func (s *Set) holdOut(seed uint64) map[string]bool {
	random := rand.New(rand.NewPCG(seed, 3))
	kept := make(map[string]bool)
	for i, chunks := range s.Chunks {
		s.Chunks[i] = slices.DeleteFunc(chunks, func(ibid.Chunk) bool { return random.Float64() < heldOut })
		s.Documents[i].Chunks = len(s.Chunks[i])
		for _, c := range s.Chunks[i] {
			kept[c.ID] = true
		}
	}
	unanswerable := make(map[string]bool)
	for _, q := range s.Queries {
		unanswerable[q.ID] = true
		for id := range s.Relevant[q.ID] {
			if kept[id] {
				delete(unanswerable, q.ID)
			}
		}
	}
	return unanswerable
}

// finder is the searcher as tools want it, with the passages that users get.
type finder struct{ *search.Searcher }

// Search returns the best passages.
func (f finder) Search(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	q.Limit = min(q.Limit, 20)
	return f.Searcher.Search(ctx, view, q)
}

// askAll asks one model everything.
func (s *Set) askAll(ctx context.Context, searcher *search.Searcher, m ibid.Model, unanswerable map[string]bool, cfg AnswersConfig) (ModelScores, error) {
	workers := cfg.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	judged := make([]judgement, len(s.Queries))
	var mu sync.Mutex
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i, q := range s.Queries {
		group.Go(func() error {
			msg, err := ask(ctx, searcher, m, q)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			judged[i] = judge(msg, err, q, s.Relevant[q.ID], unanswerable[q.ID])
			mu.Lock()
			defer mu.Unlock()
			done++
			if cfg.Progress != nil {
				cfg.Progress(m.Name(), done, len(s.Queries))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return ModelScores{}, err
	}
	return score(m.Name(), judged), nil
}

// ask lets the agent answer one question.
func ask(ctx context.Context, searcher *search.Searcher, m ibid.Model, q Query) (ibid.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	var fold ibid.Fold
	var seq int64
	cfg := agent.Config{Model: m, Tools: []agent.Tool{tool.NewSearchKnowledgeBase(finder{searcher})}, Fallback: reader.New()}
	if _, builtIn := m.(*reader.Reader); !builtIn { // which judges by rule alone
		cfg.Judge = m
	}
	_, err := agent.Run(ctx, cfg, agent.Task{View: access.For(ibid.Owner), Request: ibid.Request{Text: q.Text}}, func(d ibid.EventData) error {
		seq++
		fold.Add(ibid.Event{Seq: seq, Data: d})
		return nil
	})
	return fold.Message(), err
}

// judgement is what became of one question.
type judgement struct {
	failed       bool
	unanswerable bool
	refused      bool // nothing was cited
	contained    bool // a known answer stands in the text
	found        bool // a relevant entry is cited
	cited, right int  // passages, and those of them that are relevant or hold a known answer
	verdicts     map[string]int
}

func judge(msg ibid.Message, err error, q Query, relevant map[string]int, unanswerable bool) judgement {
	j := judgement{failed: err != nil, unanswerable: unanswerable, refused: true, contained: holdsAny(msg.Text, q.Answers)}
	for _, c := range msg.Found {
		if !strings.Contains(msg.Text, "["+c.ChunkID+"]") {
			continue
		}
		j.refused = false
		j.cited++
		if relevant[c.ChunkID] > 0 {
			j.found = true
		}
		if relevant[c.ChunkID] > 0 || holdsAny(c.Text, q.Answers) {
			j.right++
		}
	}
	if msg.Verification != nil {
		j.verdicts = make(map[string]int)
		for _, claim := range msg.Verification.Details {
			j.verdicts[claim.Verdict]++
		}
	}
	return j
}

// holdsAny reports whether one of the answers stands in s, word by word, as
// SQuAD's own measure compares: without case, punctuation and articles.
func holdsAny(s string, answers []string) bool {
	hay := plainWords(s)
	return slices.ContainsFunc(answers, func(a string) bool {
		needle := plainWords(a)
		return strings.TrimSpace(needle) != "" && strings.Contains(hay, needle)
	})
}

// plainWords returns the words of s in lower case, each between blanks.
func plainWords(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range text.Words(s) {
		word := strings.ToLower(w.Text)
		if w.Joined || word == "a" || word == "an" || word == "the" {
			continue
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}
