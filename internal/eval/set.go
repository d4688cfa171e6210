// Package eval measures search on folders in BEIR's layout, with the same index,
// embedder and fusion that serve users.
package eval

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ibid"
)

// Set is a test collection. Entries of one title are chunks of one document; an
// entry without a title is a document of its own.
type Set struct {
	Documents []ibid.Document
	Chunks    [][]ibid.Chunk // by document; a chunk's ID is the entry's
	Queries   []Query        // those with something relevant, in file order
	Relevant  map[string]map[string]int
	Notices   []string // what was odd about the files, a line each
}

// Query is a question of a set. Answers are known for sets made of questions
// and answers only.
type Query struct {
	ID      string
	Text    string
	Answers []string
}

// DefaultSplit is the part of a collection that results are reported on.
const DefaultSplit = "test"

// ReadSet reads corpus.jsonl, queries.jsonl and qrels/test.tsv below dir.
func ReadSet(dir string) (*Set, error) { return ReadSplit(dir, DefaultSplit) }

// ReadSplit reads corpus.jsonl, queries.jsonl and qrels/<split>.tsv below dir;
// each may be compressed (.gz). Where an id comes twice the last line counts, as
// for BEIR's own reader.
func ReadSplit(dir, split string) (*Set, error) {
	s := &Set{}
	if err := s.readCorpus(filepath.Join(dir, "corpus.jsonl")); err != nil {
		return nil, err
	}
	if err := s.readRelevance(dir, split); err != nil {
		return nil, err
	}
	if err := s.readQueries(filepath.Join(dir, "queries.jsonl")); err != nil {
		return nil, err
	}
	if len(s.Documents) == 0 || len(s.Queries) == 0 {
		return nil, ibid.Errorf(ibid.CodeBadRequest, "%s has %d documents and %d queries with relevant ones: nothing to measure",
			dir, len(s.Documents), len(s.Queries))
	}
	s.noteUnknown()
	return s, nil
}

// note keeps a line about n odd things; none are not worth one.
func (s *Set) note(n int, format string) {
	if n > 0 {
		s.Notices = append(s.Notices, fmt.Sprintf(format, n))
	}
}

func (s *Set) readCorpus(path string) error {
	records, repeated, err := readRecords(path)
	if err != nil {
		return err
	}
	s.note(repeated, "corpus.jsonl: %d repeated ids; the last line of each counts")
	byTitle := make(map[string]int)
	for _, r := range records {
		title := string(r.Title)
		at, known := byTitle[title]
		if !known || title == "" {
			at = len(s.Documents)
			byTitle[title] = at
			s.Documents = append(s.Documents, ibid.Document{Principal: ibid.Owner, ID: "document of " + string(r.ID), Title: title, Status: ibid.DocumentReady})
			s.Chunks = append(s.Chunks, nil)
		}
		s.Chunks[at] = append(s.Chunks[at], ibid.Chunk{ID: string(r.ID), DocumentID: s.Documents[at].ID, Ordinal: len(s.Chunks[at]),
			Level: 2, Text: string(r.Text), End: len(r.Text)})
		s.Documents[at].Chunks++
	}
	return nil
}

func (s *Set) readQueries(path string) error {
	records, repeated, err := readRecords(path)
	if err != nil {
		return err
	}
	s.note(repeated, "queries.jsonl: %d repeated ids; the last line of each counts")
	empty, known := 0, 0
	for _, r := range records {
		if len(s.Relevant[string(r.ID)]) == 0 {
			continue
		}
		known++
		if strings.TrimSpace(string(r.Text)) == "" {
			empty++
			continue
		}
		s.Queries = append(s.Queries, Query{ID: string(r.ID), Text: string(r.Text), Answers: r.answers()})
	}
	s.note(empty, "queries.jsonl: %d empty queries are left out")
	s.note(len(s.Relevant)-known, "judgements of %d queries that are not in queries.jsonl are left out")
	return nil
}

// noteUnknown notes judgements of entries that there are not. They count as not
// found, as for trec_eval.
func (s *Set) noteUnknown() {
	known := make(map[string]bool)
	for _, chunks := range s.Chunks {
		for _, c := range chunks {
			known[c.ID] = true
		}
	}
	unknown := 0
	for _, q := range s.Queries {
		for id := range s.Relevant[q.ID] {
			if !known[id] {
				unknown++
			}
		}
	}
	s.note(unknown, "%d judgements of entries that are not in corpus.jsonl: they count as not found")
}

var errNoID = errors.New("_id is missing")

// readRecords reads the lines of corpus.jsonl or queries.jsonl. Of lines with
// one id the last counts, at the place of the first; repeated says how many did
// not count.
func readRecords(path string) (records []record, repeated int, err error) {
	at := make(map[string]int)
	err = eachLine(path, func(line []byte) error {
		r, err := parseRecord(line)
		if err != nil {
			return err
		}
		if i, known := at[string(r.ID)]; known {
			records[i] = r
			repeated++
			return nil
		}
		at[string(r.ID)] = len(records)
		records = append(records, r)
		return nil
	})
	return records, repeated, err
}
