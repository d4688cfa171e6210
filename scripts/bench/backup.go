package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measureBackup compares searches of an idle server with those of one that is
// backed up, then restores the backup and compares every original.
func measureBackup(ctx context.Context, o options, model *modelServer, t *table) error {
	home, err := os.MkdirTemp("", "ibid-bench-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(home)
	data, to := filepath.Join(home, "data"), filepath.Join(home, "backup")
	s, err := startServer(ctx, o.binary, data, model.url)
	if err != nil {
		return err
	}
	defer s.stop()
	gen := newGenerator(1)
	if _, _, err := s.fill(ctx, gen, 10_000); err != nil {
		return err
	}
	if err := s.addHeavy(ctx, int64(o.backup*1e9)); err != nil {
		return err
	}
	s.settle(ctx)
	before, err := batches(ctx, s, gen, nil, o.runs*2)
	if err != nil {
		return err
	}
	runs := []string{"first", "second"}
	if o.backup > 4 {
		runs = runs[:1] // one of these takes many minutes
	}
	for _, run := range runs {
		if err := besideBackup(ctx, o, s, gen, data, to, run, before, t); err != nil {
			return err
		}
	}
	after, err := batches(ctx, s, gen, nil, o.runs*2)
	if err != nil {
		return err
	}
	t.add("search, idle again after it, p99", millis(median(after)), len(after))
	s.stop()
	return restoreAndCompare(ctx, o, home, data, to, t)
}

// besideBackup searches while a backup is made.
func besideBackup(ctx context.Context, o options, s *server, gen *generator, data, to, which string, before []time.Duration, t *table) error {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, o.binary, "backup", "--data", data, "--json", to)
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	var took time.Duration
	done := make(chan struct{})
	go func() {
		ended <- cmd.Wait()
		took = time.Since(began)
		close(done)
	}()
	during, err := batches(ctx, s, gen, done, 1<<30)
	if failed := <-ended; failed != nil {
		return fmt.Errorf("back up: %w\n%s", failed, errs.String())
	}
	if err != nil {
		return err
	}
	<-done
	var made struct {
		Bytes    int64
		Files    int
		NewBytes int64 `json:"new_bytes"`
	}
	if err := json.Unmarshal(out.Bytes(), &made); err != nil {
		return err
	}
	t.add(fmt.Sprintf("%s backup of %.1f GB in %d files, %.2f GB of it new", which, float64(made.Bytes)/1e9, made.Files, float64(made.NewBytes)/1e9),
		fmt.Sprintf("%.0f s, %.0f MB/s with reading back", took.Seconds(), float64(made.Bytes+made.NewBytes)/1e6/took.Seconds()), 1)
	if len(during) == 0 {
		t.add("  over before anything was searched", "", 1)
		return nil
	}
	t.add("  search, idle, p99 (median of batches of 200)", millis(median(before)), len(before))
	t.add("  search while it was made, p99", fmt.Sprintf("%s (×%.2f)", millis(median(during)), float64(median(during))/float64(median(before))), len(during))
	return nil
}

// batches searches in batches of 200, until done is closed or there are so many, and
// returns the p99 of each.
func batches(ctx context.Context, s *server, gen *generator, done <-chan struct{}, most int) ([]time.Duration, error) {
	var p99 []time.Duration
	for len(p99) < most {
		took, err := searchTimes(ctx, s, gen, 20+200)
		if err != nil {
			return nil, err
		}
		select {
		case <-done:
			return p99, nil // the last batch was partly beside nothing
		default:
			p99 = append(p99, percentile(took, 99))
		}
	}
	return p99, nil
}

// heavyBytes is how large each heavy document is: a Word file with a sentence and a
// picture of random bytes, which is read quickly and kept whole.
const heavyBytes = 64 << 20

// addHeavy adds documents of so many bytes together.
func (s *server) addHeavy(ctx context.Context, total int64) error {
	noise := rand.NewChaCha8([32]byte{1})
	for n := 0; total > 0; n++ {
		size := min(total, heavyBytes)
		total -= size
		read, write := io.Pipe()
		form := multipart.NewWriter(write)
		go func() {
			part, err := form.CreateFormFile("file", fmt.Sprintf("heavy-%d.docx", n))
			if err == nil {
				err = heavyDocument(part, n, size, noise)
			}
			if err == nil {
				err = form.Close()
			}
			write.CloseWithError(err)
		}()
		if err := s.do(ctx, "POST", "/v1/documents", form.FormDataContentType(), read, nil); err != nil {
			return err
		}
	}
	_, err := s.wait(ctx)
	return err
}

func heavyDocument(w io.Writer, n int, size int64, noise io.Reader) error {
	z := zip.NewWriter(w)
	parts := [][2]string{
		{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", fmt.Sprintf(`<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Report %d has a large picture.</w:t></w:r></w:p></w:body></w:document>`, n)},
	}
	for _, p := range parts {
		w, err := z.Create(p[0])
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, p[1]); err != nil {
			return err
		}
	}
	picture, err := z.CreateHeader(&zip.FileHeader{Name: "word/media/picture.bin", Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := io.CopyN(picture, noise, size); err != nil {
		return err
	}
	return z.Close()
}

// restoreAndCompare restores a backup and compares the originals byte by byte.
func restoreAndCompare(ctx context.Context, o options, home, data, to string, t *table) error {
	restored := filepath.Join(home, "restored")
	began := time.Now()
	if said, err := exec.CommandContext(ctx, o.binary, "restore", "--data", restored, to).CombinedOutput(); err != nil {
		return fmt.Errorf("restore: %w\n%s", err, said)
	}
	took := time.Since(began)
	originals, err := filepath.Glob(filepath.Join(data, "files", "??", "*"))
	if err != nil {
		return err
	}
	var bytes int64
	for _, path := range originals {
		rel, err := filepath.Rel(data, path)
		if err != nil {
			return err
		}
		n, err := sameBytes(path, filepath.Join(restored, rel))
		if err != nil {
			return err
		}
		bytes += n
	}
	t.add("restored, with reading back", fmt.Sprintf("%.0f s, %.0f MB/s", took.Seconds(), float64(2*bytes)/1e6/took.Seconds()), 1)
	t.add("originals that are byte for byte the same", fmt.Sprintf("%d of %d, %.1f GB", len(originals), len(originals), float64(bytes)/1e9), 1)
	return nil
}

// sameBytes compares two files and returns their size.
func sameBytes(a, b string) (int64, error) {
	one, err := os.Open(a)
	if err != nil {
		return 0, err
	}
	defer one.Close()
	two, err := os.Open(b)
	if err != nil {
		return 0, err
	}
	defer two.Close()
	var size int64
	left, right := make([]byte, 1<<20), make([]byte, 1<<20)
	for {
		n, err := io.ReadFull(one, left)
		m, _ := io.ReadFull(two, right)
		if !bytes.Equal(left[:n], right[:m]) {
			return size, fmt.Errorf("%s and %s differ", a, b)
		}
		size += int64(n)
		if err != nil {
			return size, nil
		}
	}
}
