package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"ibid"
)

// record is a line of corpus.jsonl or queries.jsonl.
type record struct {
	ID       looseText       `json:"_id"`
	Title    looseText       `json:"title"`
	Text     looseText       `json:"text"`
	Metadata json.RawMessage `json:"metadata"`
}

// looseText is a text of a collection. Some are written by programs that take
// "404" for a number.
type looseText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *looseText) UnmarshalJSON(raw []byte) error {
	switch {
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		*t = looseText(s)
	case raw[0] == '{' || raw[0] == '[':
		return fmt.Errorf("a text is wanted, not %.20s", raw)
	case string(raw) != "null":
		*t = looseText(raw)
	}
	return nil
}

func parseRecord(line []byte) (record, error) {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	if r.ID == "" {
		return r, errNoID
	}
	return r, nil
}

// answers are the known answers of a question; other metadata is of no interest.
func (r record) answers() []string {
	var m struct{ Answers []string }
	if len(r.Metadata) == 0 || json.Unmarshal(r.Metadata, &m) != nil {
		return nil
	}
	return m.Answers
}

// readRelevance reads the judgements of a split: query-id, corpus-id and score,
// by tabs, or the four columns of TREC. A first line whose score is no number is
// the header.
func (s *Set) readRelevance(dir, split string) error {
	s.Relevant = make(map[string]map[string]int)
	first := true
	return withSplits(dir, split, eachLine(filepath.Join(dir, "qrels", split+".tsv"), func(line []byte) error {
		query, entry, score, err := parseJudgement(string(line))
		if err != nil {
			return err
		}
		grade, err := strconv.ParseFloat(score, 64)
		header := first && err != nil
		first = false
		switch {
		case header:
			return nil
		case err != nil:
			return fmt.Errorf("the score %q is no number", score)
		case grade <= 0:
			return nil
		}
		if s.Relevant[query] == nil {
			s.Relevant[query] = make(map[string]int)
		}
		s.Relevant[query][entry] = max(1, int(math.Round(grade)))
		return nil
	}))
}

// parseJudgement takes a line of qrels apart.
func parseJudgement(line string) (query, entry, score string, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) == 1 {
		fields = strings.Fields(line)
	}
	for i, f := range fields {
		fields[i] = unquoted(strings.TrimSpace(f))
	}
	switch len(fields) {
	case 3:
		return fields[0], fields[1], fields[2], nil
	case 4: // TREC: query, iteration, document, relevance
		return fields[0], fields[2], fields[3], nil
	}
	return "", "", "", fmt.Errorf("%d columns instead of query-id, corpus-id, score", len(fields))
}

// unquoted takes the quotation marks of a CSV writer off.
func unquoted(field string) string {
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return strings.ReplaceAll(field[1:n-1], `""`, `"`)
	}
	return field
}

// withSplits adds to the error of a split that is not there which ones are.
func withSplits(dir, split string, err error) error {
	if ibid.CodeOf(err) != ibid.CodeNotFound {
		return err
	}
	var others []string
	for _, pattern := range []string{"*.tsv", "*.tsv.gz"} {
		paths, _ := filepath.Glob(filepath.Join(dir, "qrels", pattern))
		for _, path := range paths {
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return err
	}
	return &ibid.Error{Code: ibid.CodeNotFound, Message: fmt.Sprintf("there is no %s", filepath.Join(dir, "qrels", split+".tsv")),
		Hint: "there is " + strings.Join(others, ", ") + ": choose with --split " + others[0]}
}

// eachLine calls f for every line that is not blank; its errors are told with
// file and line.
func eachLine(path string, f func(line []byte) error) error {
	file, err := openLines(path)
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
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
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

// openLines opens a file, or the compressed one of that name with .gz behind it.
func openLines(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if !errors.Is(err, os.ErrNotExist) {
		return file, err
	}
	packed, gzErr := os.Open(path + ".gz")
	if gzErr != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		packed.Close()
		return nil, fmt.Errorf("unpack %s.gz: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{unpacked, packed}, nil
}
