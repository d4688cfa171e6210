package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/text"
)

// documentChunks is how many chunks a made-up document has.
const documentChunks = 50

// passages makes up any number of chunks about some hundred subjects, the same
// every time: sentences of SQuAD's paragraphs about a subject, an eighth of
// their words exchanged for others as frequent, and one in forty for one from a
// long tail of words that hardly occur. Without SQuAD the words are made up too.
type passages struct {
	source    string
	subjects  []string
	sentences map[string][]string // by subject
	words     []string            // running text, to draw from
	queries   []string
}

func newPassages() (*passages, error) {
	p := &passages{sentences: make(map[string][]string)}
	if dir := ibidtest.FindData("retrieval/squad-dev"); dir != "" {
		p.source = "SQuAD, varied"
		return p, p.readSQuAD(dir)
	}
	p.source = "made-up words"
	p.makeUp()
	return p, nil
}

func (p *passages) readSQuAD(dir string) error {
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(title, body string) {
		if len(p.sentences[title]) == 0 {
			p.subjects = append(p.subjects, title)
		}
		for _, s := range text.Sentences(body) {
			p.sentences[title] = append(p.sentences[title], body[s.Start:s.End])
		}
		p.words = append(p.words, strings.Fields(body)...)
	})
	if err != nil {
		return err
	}
	var all []string
	if err := eachLine(filepath.Join(dir, "queries.jsonl"), func(_, body string) { all = append(all, body) }); err != nil {
		return err
	}
	for i := range 500 {
		p.queries = append(p.queries, all[i*len(all)/500])
	}
	return nil
}

// eachLine calls f for every line of a file in BEIR's layout.
func eachLine(path string, f func(title, body string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct{ Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		f(line.Title, line.Text)
	}
	return lines.Err()
}

// makeUp gives each subject words of its own beside those of the language.
func (p *passages) makeUp() {
	gen := newGenerator(7)
	for range 200 {
		subject := gen.word() + " " + gen.word()
		p.subjects = append(p.subjects, subject)
		own := make([]string, 60)
		for i := range own {
			own[i] = gen.words[1000+gen.rng.IntN(len(gen.words)-1000)]
		}
		for range 60 {
			var b strings.Builder
			for range 20 {
				w := gen.word()
				if gen.rng.IntN(3) == 0 {
					w = own[gen.rng.IntN(len(own))]
				}
				p.words = append(p.words, w)
				b.WriteString(w + " ")
			}
			p.sentences[subject] = append(p.sentences[subject], b.String())
		}
	}
	for range 500 {
		words := strings.Fields(p.chunk(gen.rng, p.subjects[gen.rng.IntN(len(p.subjects))]))
		at := gen.rng.IntN(len(words) - 10)
		p.queries = append(p.queries, strings.Join(words[at:at+10], " "))
	}
}

// document makes document number n, the same every time.
func (p *passages) document(n int) (ibid.Document, []ibid.Chunk) {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	subject := p.subjects[rng.IntN(len(p.subjects))]
	doc := ibid.Document{Principal: ibid.Owner, ID: fmt.Sprintf("document-%08d", n), Title: subject}
	chunks := make([]ibid.Chunk, documentChunks)
	for i := range chunks {
		// As long as the hashes that name real chunks.
		chunks[i] = ibid.Chunk{ID: fmt.Sprintf("%024d-%07d", n, i), DocumentID: doc.ID, Ordinal: i, Text: p.chunk(rng, subject)}
	}
	return doc, chunks
}

func (p *passages) chunk(rng *rand.Rand, subject string) string {
	var b strings.Builder
	sentences := p.sentences[subject]
	at := rng.IntN(len(sentences))
	for i := range 3 + rng.IntN(3) {
		for _, w := range strings.Fields(sentences[(at+i)%len(sentences)]) {
			switch rng.IntN(40) {
			case 0:
				w = fmt.Sprintf("tail%d", int(math.Exp(rng.Float64()*13)))
			case 1, 2, 3, 4, 5:
				w = p.words[rng.IntN(len(p.words))]
			}
			b.WriteString(w)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
