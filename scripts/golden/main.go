// Golden makes a golden data directory: one that a build of ibid has written, kept
// small, for the tests of later builds to open (cmd/ibid/golden_test.go).
//
//	go run ./scripts/golden                               of this working tree
//	go run ./scripts/golden -ibid OLD/ibid -format 7      of an older build
//
// The archive cmd/ibid/testdata/golden/vNN.tar.gz holds two of them, below clean/
// and killed/: one server was stopped, the other killed with its log not yet in the
// database. Beside each stands expected.json: what that server said of its library
// before it ended.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// Expected is what a server said of its library.
type Expected struct {
	Documents []Document `json:"documents"`
	Threads   []Thread   `json:"threads"`
	Footnotes []Footnote `json:"footnotes"`
	Databases []string   `json:"databases"` // names
}

// Document is as GET /v1/documents names it.
type Document struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	Version string `json:"version"`
	Status  string `json:"status"`
}

// Thread is a conversation with its messages, of all branches.
type Thread struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Messages []Message `json:"messages"`
}

// Message is as GET /v1/threads/{id}/messages names it.
type Message struct {
	ID        string     `json:"id"`
	Role      string     `json:"role"`
	Text      string     `json:"text"`
	Status    string     `json:"status"`
	Citations []Footnote `json:"citations,omitempty"`
}

// Footnote is a place in a version of a document, and the words that stand there.
type Footnote struct {
	DocumentID string `json:"document_id"`
	Version    string `json:"version"`
	Kind       string `json:"kind,omitempty"`
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Words      string `json:"words"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("golden: ")
	ibid := flag.String("ibid", "", "the `program` that makes it (default: built from this working tree)")
	format := flag.Int("format", 0, "the format it writes (default: how many migrations this working tree has)")
	flag.Parse()
	if err := run(*ibid, *format); err != nil {
		log.Fatal(err)
	}
}

func run(ibid string, format int) error {
	tmp, err := os.MkdirTemp("", "golden-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if ibid == "" {
		ibid = filepath.Join(tmp, "ibid")
		if out, err := exec.Command("go", "build", "-o", ibid, "./cmd/ibid").CombinedOutput(); err != nil {
			return fmt.Errorf("build ibid: %w\n%s", err, out)
		}
	}
	if format == 0 {
		migrations, err := filepath.Glob("internal/store/sqlite/schema/migrations/*.sql")
		if err != nil || len(migrations) == 0 {
			return fmt.Errorf("run this in the root of the repository (%v)", err)
		}
		format = len(migrations)
	}
	for _, end := range []string{"clean", "killed"} {
		if err := live(ibid, filepath.Join(tmp, "kept", end), end == "killed"); err != nil {
			return fmt.Errorf("make the %s one: %w", end, err)
		}
	}
	path := filepath.Join("cmd", "ibid", "testdata", "golden", fmt.Sprintf("v%02d.tar.gz", format))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	size, err := pack(path, filepath.Join(tmp, "kept"))
	if err == nil {
		fmt.Printf("%s: %d KB\n", path, size>>10)
	}
	return err
}

// pack writes the archive. What every start makes anew is left out.
func pack(path, root string) (int64, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	t := tar.NewWriter(z)
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch d.Name() {
		case "reserve", "lock", "server.json", "cache", ".cache", "ibid.db-processes":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		// No owner and no time: the bytes depend on the content alone.
		if err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(body))}); err != nil {
			return err
		}
		_, err = t.Write(body)
		return err
	})
	if err == nil {
		err = t.Close()
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return 0, err
	}
	return int64(out.Len()), os.WriteFile(path, out.Bytes(), 0o644)
}
