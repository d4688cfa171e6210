package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// measurePeers lets bleve and FAISS search the same passages for the same
// queries, in this run. One that is not to be had on this machine is a line in
// the table that says so.
func measurePeers(ctx context.Context, b *indexed, p *passages, n int, ours pace, t *table) error {
	dir, err := os.MkdirTemp("", "ibid-peers-")
	if err != nil {
		return fmt.Errorf("make a directory for the peers: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := measureBleve(ctx, dir, b, p, n, ours, t); err != nil {
		t.add("  bleve: not measured", oneLine(err), 0)
	}
	if err := measureFAISS(ctx, dir, b, ours, t); err != nil {
		t.add("  FAISS: not measured (Debian: apt-get install g++ libfaiss-dev libopenblas-dev)", oneLine(err), 0)
	}
	return ctx.Err()
}

func measureBleve(ctx context.Context, dir string, b *indexed, p *passages, n int, ours pace, t *table) error {
	corpus, queries := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "queries.json")
	if err := writeCorpus(corpus, p, n); err != nil {
		return err
	}
	asked, err := json.Marshal(b.queries)
	if err != nil {
		return err
	}
	if err := os.WriteFile(queries, asked, 0o600); err != nil {
		return err
	}
	program := filepath.Join(dir, "bleve")
	if err := quietly(exec.CommandContext(ctx, "go", "build", "-C", "scripts/bench/peers/bleve", "-o", program, ".")); err != nil {
		return err
	}
	printed, err := output(exec.CommandContext(ctx, program, corpus, queries))
	if err != nil {
		return err
	}
	var times []time.Duration
	if err := json.Unmarshal(printed, &times); err != nil {
		return fmt.Errorf("read what bleve printed: %w", err)
	}
	t.add("  bleve, the same queries, p50 / p99", fmt.Sprintf("%s (p50 ×%.1f of ours)", both(times), ratio(times, ours.lexical.wall)), len(times))
	return nil
}

func writeCorpus(path string, p *passages, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	lines := json.NewEncoder(w)
	for i := range n / documentChunks {
		doc, chunks := p.document(i)
		for _, c := range chunks {
			if err := lines.Encode(map[string]string{"id": c.ID, "title": doc.Title, "text": c.Text}); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// leastRecall is what HNSW is asked to reach.
const leastRecall = ".99"

func measureFAISS(ctx context.Context, dir string, b *indexed, ours pace, t *table) error {
	program := filepath.Join(dir, "faiss")
	err := quietly(exec.CommandContext(ctx, "g++", "-O3", "-march=native", "-fopenmp", "scripts/bench/peers/faiss/faiss.cpp", "-o", program, "-lfaiss", "-lopenblas"))
	if err != nil {
		return err
	}
	vectors, queries := filepath.Join(dir, "vectors"), filepath.Join(dir, "queries")
	if err := writeVectors(vectors, b.vectors); err != nil {
		return err
	}
	if err := writeVectors(queries, b.asked); err != nil {
		return err
	}
	printed, err := output(exec.CommandContext(ctx, program, vectors, queries, leastRecall))
	if err != nil {
		return err
	}
	var faiss struct {
		Flat, HNSW           time.Duration
		Recall, BuildSeconds float64
		EfSearch             int
	}
	if err := json.Unmarshal(printed, &faiss); err != nil {
		return fmt.Errorf("read what FAISS printed: %w", err)
	}
	one := func(d time.Duration) float64 { return ratio([]time.Duration{d}, ours.vector.wall) }
	t.add("  FAISS flat, the same vectors, p50", fmt.Sprintf("%s (×%.1f of ours)", millis(faiss.Flat), one(faiss.Flat)), len(b.asked))
	t.add("  FAISS HNSW, the same vectors, p50", fmt.Sprintf("%s (×%.1f of ours) at recall@20 %.4f, efSearch %d, built in %.0f s",
		millis(faiss.HNSW), one(faiss.HNSW), faiss.Recall, faiss.EfSearch, faiss.BuildSeconds), len(b.asked))
	return nil
}

// writeVectors writes rows and columns as int32, then the rows as float32.
func writeVectors(path string, rows [][]float32) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if err := binary.Write(w, binary.LittleEndian, [2]int32{int32(len(rows)), int32(len(rows[0]))}); err != nil {
		return err
	}
	for _, row := range rows {
		if err := binary.Write(w, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	return w.Flush()
}

func quietly(cmd *exec.Cmd) error {
	_, err := output(cmd)
	return err
}

// output runs a program; what it says of an error becomes part of the error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var complaint strings.Builder
	cmd.Stderr = &complaint
	printed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %.200s", filepath.Base(cmd.Path), err, complaint.String())
	}
	return printed, nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
