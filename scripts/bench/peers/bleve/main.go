// Command peers times bleve over a corpus that scripts/bench wrote. It is a
// module of its own, so that the program itself does not depend on its peers.
//
//	peers corpus.jsonl queries.json
//
// prints how long each query took, in nanoseconds, as a JSON list.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: peers corpus.jsonl queries.json")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

type passage struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

func run(corpus, queries string) error {
	dir, err := os.MkdirTemp("", "bleve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName // stems and drops stop words, as ours does
	x, err := bleve.New(filepath.Join(dir, "index"), mapping)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := fill(x, corpus); err != nil {
		return err
	}
	var asked []string
	body, err := os.ReadFile(queries)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	var times []time.Duration
	for round := range 2 { // the first one warms up
		for _, q := range asked {
			match := bleve.NewMatchQuery(q)
			match.SetField("text")
			began := time.Now()
			if _, err := x.Search(bleve.NewSearchRequestOptions(match, 20, 0, false)); err != nil {
				return err
			}
			if round > 0 {
				times = append(times, time.Since(began))
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(times)
}

// fill indexes a corpus in batches of 1,000.
func fill(x bleve.Index, corpus string) error {
	file, err := os.Open(corpus)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	batch := x.NewBatch()
	for lines.Scan() {
		var p passage
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return err
		}
		if err := batch.Index(p.ID, p); err != nil {
			return err
		}
		if batch.Size() == 1000 {
			if err := x.Batch(batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return x.Batch(batch)
}
