// Package eval measures search on folders in BEIR's layout, with the same index,
// embedder and fusion that serve users.
package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"ibid"
)

// Set is a test collection. Entries of one title are chunks of one document; an
// entry without a title is a document of its own.
type Set struct {
	Documents []ibid.Document
	Chunks    [][]ibid.Chunk // by document; a chunk's ID is the entry's
	Queries   []Query        // those with something relevant, in file order
	Relevant  map[string]map[string]int
}

// Query is a question of a set. Answers are known for sets made of questions
// and answers only.
type Query struct {
	ID      string
	Text    string
	Answers []string
}

// ReadSet reads corpus.jsonl, queries.jsonl and qrels/test.tsv below dir.
func ReadSet(dir string) (*Set, error) {
	s := &Set{Relevant: make(map[string]map[string]int)}
	if err := s.readCorpus(filepath.Join(dir, "corpus.jsonl")); err != nil {
		return nil, err
	}
	if err := s.readRelevance(filepath.Join(dir, "qrels", "test.tsv")); err != nil {
		return nil, err
	}
	if err := s.readQueries(filepath.Join(dir, "queries.jsonl")); err != nil {
		return nil, err
	}
	if len(s.Documents) == 0 || len(s.Queries) == 0 {
		return nil, ibid.Errorf(ibid.CodeBadRequest, "%s has %d documents and %d queries with relevant ones: nothing to measure",
			dir, len(s.Documents), len(s.Queries))
	}
	return s, nil
}

// record is a line of corpus.jsonl or queries.jsonl.
type record struct {
	ID       string `json:"_id"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Metadata struct {
		Answers []string `json:"answers"`
	} `json:"metadata"`
}

func (s *Set) readCorpus(path string) error {
	byTitle := make(map[string]int)
	seen := make(map[string]bool)
	return eachLine(path, func(line []byte) error {
		r, err := parseRecord(line)
		if err != nil {
			return err
		}
		if seen[r.ID] {
			return fmt.Errorf("the id %q was there before", r.ID)
		}
		seen[r.ID] = true
		at, known := byTitle[r.Title]
		if !known || r.Title == "" {
			at = len(s.Documents)
			byTitle[r.Title] = at
			s.Documents = append(s.Documents, ibid.Document{ID: "document of " + r.ID, Title: r.Title, Status: ibid.DocumentReady})
			s.Chunks = append(s.Chunks, nil)
		}
		s.Chunks[at] = append(s.Chunks[at], ibid.Chunk{ID: r.ID, DocumentID: s.Documents[at].ID, Ordinal: len(s.Chunks[at]),
			Level: 2, Text: r.Text, End: len(r.Text)})
		s.Documents[at].Chunks++
		return nil
	})
}

func (s *Set) readQueries(path string) error {
	return eachLine(path, func(line []byte) error {
		r, err := parseRecord(line)
		if err != nil {
			return err
		}
		if len(s.Relevant[r.ID]) > 0 && strings.TrimSpace(r.Text) != "" {
			s.Queries = append(s.Queries, Query{ID: r.ID, Text: r.Text, Answers: r.Metadata.Answers})
		}
		return nil
	})
}

func parseRecord(line []byte) (record, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	if r.ID == "" {
		return r, errors.New("_id is missing")
	}
	return r, nil
}

// readRelevance reads query-id, corpus-id and score, by tabs; a score that is no
// number marks the header.
func (s *Set) readRelevance(path string) error {
	first := true
	return eachLine(path, func(line []byte) error {
		fields := strings.Split(string(line), "\t")
		if len(fields) != 3 {
			return fmt.Errorf("%d columns instead of query-id, corpus-id, score", len(fields))
		}
		score, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		header := first && err != nil
		first = false
		switch {
		case header:
			return nil
		case err != nil:
			return err
		case score <= 0:
			return nil
		}
		if s.Relevant[fields[0]] == nil {
			s.Relevant[fields[0]] = make(map[string]int)
		}
		s.Relevant[fields[0]][fields[1]] = score
		return nil
	})
}

// eachLine calls f for every line that is not blank; its errors are told with
// file and line.
func eachLine(path string, f func(line []byte) error) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return &ibid.Error{Code: ibid.CodeNotFound, Message: "there is no " + path,
			Hint: "a test collection has corpus.jsonl, queries.jsonl and qrels/test.tsv, as BEIR lays them out"}
	}
	if err != nil {
		return fmt.Errorf("read test collection: %w", err)
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<20)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := f(line); err != nil {
				return &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("%s, line %d: %v", path, n, err)}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read test collection: %s: %w", path, err)
		}
	}
}
