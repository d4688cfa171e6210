package main

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ibid"
)

// generated is how many documents stand for a corpus where there is none.
const generated = 200

// changedEach is which part of a corpus is a little different the second time.
const changedEach = 10

// measureAgain adds a corpus, adds it again as it is, and once more after a line
// was added to every tenth file.
func measureAgain(ctx context.Context, o options, s *server, gen *generator, t *table) error {
	files, what, err := againCorpus(o, gen)
	if err != nil {
		return err
	}
	var first time.Duration
	for _, round := range []string{"first", "unchanged", "slightly changed"} {
		if round == "slightly changed" {
			for i := range files {
				if i%changedEach == 0 {
					files[i].body = append(files[i].body, "\n\nThis paragraph was added later.\n"...)
				}
			}
		}
		began := time.Now()
		if err := s.sendFiles(ctx, files); err != nil {
			return err
		}
		if _, err := s.wait(ctx); err != nil {
			return err
		}
		took := time.Since(began)
		embedded, kept, err := s.chunkChanges(ctx, began)
		if err != nil {
			return err
		}
		figure := fmt.Sprintf("%.2f s, %d chunks embedded, %d kept", took.Seconds(), embedded, kept)
		if first == 0 {
			first = took
		} else {
			figure += fmt.Sprintf("; %.0f%% of the first time", 100*took.Seconds()/first.Seconds())
		}
		t.add(fmt.Sprintf("ingestion of %s, %s", what, round), figure, 1)
	}
	return nil
}

// measureAgainAlone does so with a server that has nothing else.
func measureAgainAlone(ctx context.Context, o options, model *modelServer, t *table) error {
	if err := withServer(ctx, o, model, func(s *server) error { return measureAgain(ctx, o, s, newGenerator(2), t) }); err != nil {
		return err
	}
	return withServer(ctx, o, model, func(s *server) error { return measureAddedAgain(ctx, o, s, t) })
}

// addedAgain is how many small files are added twice by the command; a tenth of
// them where the large library is left out.
const addedAgain = 10_000

// measureAddedAgain lets `ibid add` add a folder twice.
func measureAddedAgain(ctx context.Context, o options, s *server, t *table) error {
	root, err := os.MkdirTemp("", "ibid-again-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(root)
	files := addedAgain
	if o.small {
		files /= 10
	}
	for i := range files {
		folder, name, text := note(i)
		dir := filepath.Join(root, "library", folder)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("write a file to add: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write a file to add: %w", err)
		}
	}
	var first, firstCPU time.Duration
	for _, round := range []string{"first", "second"} {
		before, _ := s.cpu()
		began := time.Now()
		cmd := exec.CommandContext(ctx, o.binary, "add", "--data", s.dir, filepath.Join(root, "library"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("ibid add: %w\n%.2000s", err, out)
		}
		took := time.Since(began)
		after, _ := s.cpu()
		used := after - before + cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		figure := fmt.Sprintf("%.2f s, %.2f s of processor time", took.Seconds(), used.Seconds())
		if first == 0 {
			first, firstCPU = took, used
		} else {
			figure += fmt.Sprintf("; %.0f times faster, %.0f times less processor time", first.Seconds()/took.Seconds(), firstCPU.Seconds()/max(used.Seconds(), 0.01))
		}
		t.add(fmt.Sprintf("ibid add of %d files, the %s time", files, round), figure, 1)
	}
	return nil
}

// againFile is one file of the corpus.
type againFile struct {
	name string
	body []byte
}

// againCorpus returns the text files of the real corpus, which can be changed
// without breaking them, or generated ones.
func againCorpus(o options, gen *generator) (files []againFile, what string, err error) {
	for _, pattern := range []string{"markdown/*.md", "html/*.html"} {
		paths, err := filepath.Glob(filepath.Join(o.corpus, pattern))
		if err != nil {
			return nil, "", err
		}
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				return nil, "", err
			}
			files = append(files, againFile{filepath.Base(path), body})
		}
	}
	if len(files) > 0 {
		return files, fmt.Sprintf("%d real text files", len(files)), nil
	}
	for range generated {
		name, body := gen.document()
		files = append(files, againFile{name, body})
	}
	return files, fmt.Sprintf("%d generated files", len(files)), nil
}

func (s *server) sendFiles(ctx context.Context, files []againFile) error {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("on_same_name", "new_version"); err != nil {
		return fmt.Errorf("write upload: %w", err)
	}
	for _, f := range files {
		part, err := w.CreateFormFile("file", f.name)
		if err != nil {
			return fmt.Errorf("write upload: %w", err)
		}
		part.Write(f.body)
	}
	w.Close()
	return s.do(ctx, http.MethodPost, "/v1/documents", w.FormDataContentType(), &b, nil)
}

// chunkChanges counts the chunks of documents that changed since a time; those of
// the others were all kept.
func (s *server) chunkChanges(ctx context.Context, since time.Time) (embedded, kept int, err error) {
	for cursor := ""; ; {
		var list struct {
			Documents []ibid.Document `json:"documents"`
			Next      string          `json:"next"`
		}
		if err := s.get(ctx, "/v1/documents?limit=500&cursor="+url.QueryEscape(cursor), &list); err != nil {
			return embedded, kept, err
		}
		for _, d := range list.Documents {
			if d.ChangeAt.Before(since) {
				kept += d.Chunks
			} else {
				embedded, kept = embedded+d.Embedded, kept+d.Kept
			}
		}
		if cursor = list.Next; cursor == "" {
			return embedded, kept, nil
		}
	}
}
