package dir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/ibidtest"
)

// rootEnv names a directory that this test binary opens and serves to the one that has
// started it, through its standard input and output.
const rootEnv = "IBID_BLOB_DIR"

func TestMain(m *testing.M) {
	if root := os.Getenv(rootEnv); root != "" {
		serve(root)
		return
	}
	os.Exit(m.Run())
}

// here is a directory of this process, and what tests do to it.
type here struct {
	*dir.Store
	root string
}

func openHere(t testing.TB, root string) here {
	s, err := dir.Open(disk.OS{}, root)
	if err != nil {
		t.Fatal(err)
	}
	return here{s, root}
}

func (h here) path(hash string) string { return filepath.Join(h.root, hash[:2], hash) }

func (h here) Damage(hash, content string) error {
	return os.WriteFile(h.path(hash), []byte(content), 0o600)
}

func (h here) SetAway(away bool) error {
	if away {
		return os.Rename(h.root, h.root+".away")
	}
	return os.Rename(h.root+".away", h.root)
}

// place is a directory that is opened first by this process, and then by others.
func place(t testing.TB) ibidtest.Opener[ibidtest.Blobs] {
	root := filepath.Join(t.TempDir(), "files")
	opened := 0
	return func(t testing.TB) ibidtest.Blobs {
		if opened++; opened > 1 {
			return openThere(t, root)
		}
		return openHere(t, root)
	}
}

// there is a directory as another process has it open.
type there struct{ process *rpc.Client }

type pipes struct {
	io.Reader
	io.WriteCloser
}

func openThere(t testing.TB, root string) there {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rootEnv+"="+root)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	there := there{rpc.NewClient(pipes{out, in})}
	t.Cleanup(func() {
		there.process.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the other process: %v", err)
		}
	})
	return there
}

func serve(root string) {
	s, err := dir.Open(disk.OS{}, root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := rpc.NewServer()
	if err := server.RegisterName("Blobs", &Service{h: here{s, root}, uploads: map[int]blob.Upload{}}); err != nil {
		panic(err)
	}
	server.ServeConn(pipes{os.Stdin, os.Stdout})
}

// Service is what the other process can do. net/rpc wants its names exported.
type Service struct {
	h       here
	mu      sync.Mutex
	uploads map[int]blob.Upload
}

// Received is an upload.
type Received struct {
	ID    int
	Hash  string
	Bytes int64
}

// Placed is what putting an upload came to.
type Placed struct {
	At    time.Time
	Fresh bool
}

// Query names bytes, or a page of them.
type Query struct {
	Hash    string
	From, N int64
	Before  time.Time
	Page    ibid.Page
	Content string
	Away    bool
}

// Listed is a page.
type Listed struct {
	List []blob.Info
	Next string
}

const separator = "\x00"

// coded is an error as text that keeps its code.
func coded(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(string(ibid.CodeOf(err)) + separator + err.Error())
}

func (s *Service) upload(id int) blob.Upload {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uploads[id]
}

func (s *Service) Receive(content []byte, got *Received) error {
	u, err := s.h.Receive(context.Background(), bytes.NewReader(content))
	if err != nil {
		return coded(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*got = Received{len(s.uploads), u.Hash(), u.Bytes()}
	s.uploads[got.ID] = u
	return nil
}

func (s *Service) Put(id int, got *Placed) (err error) {
	got.At, got.Fresh, err = s.upload(id).Put(context.Background())
	return coded(err)
}

func (s *Service) Drop(id int, _ *struct{}) error {
	s.upload(id).Drop()
	return nil
}

func (s *Service) File(q Query, path *string) (err error) {
	*path, _, err = s.h.File(context.Background(), q.Hash)
	return coded(err)
}

func (s *Service) Read(q Query, content *[]byte) error {
	r, err := s.h.Open(context.Background(), q.Hash, q.From, q.N)
	if err != nil {
		return coded(err)
	}
	defer r.Close()
	*content, err = io.ReadAll(r)
	return coded(err)
}

func (s *Service) Stat(q Query, info *blob.Info) (err error) {
	*info, err = s.h.Stat(context.Background(), q.Hash)
	return coded(err)
}

func (s *Service) Delete(q Query, gone *bool) (err error) {
	*gone, err = s.h.Delete(context.Background(), q.Hash, q.Before)
	return coded(err)
}

func (s *Service) List(q Query, got *Listed) (err error) {
	got.List, got.Next, err = s.h.List(context.Background(), q.Page)
	return coded(err)
}

func (s *Service) Damage(q Query, _ *struct{}) error { return coded(s.h.Damage(q.Hash, q.Content)) }

func (s *Service) SetAway(q Query, _ *struct{}) error { return coded(s.h.SetAway(q.Away)) }

// call asks the other process.
func call[Q, A any](s there, method string, q Q) (a A, err error) {
	if err = s.process.Call("Blobs."+method, q, &a); err == nil {
		return a, nil
	}
	if code, text, ok := strings.Cut(err.Error(), separator); ok {
		return a, &ibid.Error{Code: ibid.Code(code), Message: text}
	}
	return a, err
}

type uploadThere struct {
	s there
	Received
}

func (u uploadThere) Hash() string { return u.Received.Hash }
func (u uploadThere) Bytes() int64 { return u.Received.Bytes }
func (u uploadThere) Drop()        { _, _ = call[int, struct{}](u.s, "Drop", u.ID) }
func (u uploadThere) Put(context.Context) (time.Time, bool, error) {
	got, err := call[int, Placed](u.s, "Put", u.ID)
	return got.At, got.Fresh, err
}

func (s there) Receive(_ context.Context, content io.Reader) (blob.Upload, error) {
	raw, err := io.ReadAll(content)
	if err != nil {
		return nil, err
	}
	got, err := call[[]byte, Received](s, "Receive", raw)
	return uploadThere{s, got}, err
}

func (s there) File(_ context.Context, hash string) (string, func(), error) {
	path, err := call[Query, string](s, "File", Query{Hash: hash})
	return path, func() {}, err
}

func (s there) Open(_ context.Context, hash string, from, n int64) (io.ReadCloser, error) {
	content, err := call[Query, []byte](s, "Read", Query{Hash: hash, From: from, N: n})
	return io.NopCloser(bytes.NewReader(content)), err
}

func (s there) Stat(_ context.Context, hash string) (blob.Info, error) {
	return call[Query, blob.Info](s, "Stat", Query{Hash: hash})
}

func (s there) Delete(_ context.Context, hash string, before time.Time) (bool, error) {
	return call[Query, bool](s, "Delete", Query{Hash: hash, Before: before})
}

func (s there) List(_ context.Context, page ibid.Page) ([]blob.Info, string, error) {
	got, err := call[Query, Listed](s, "List", Query{Page: page})
	return got.List, got.Next, err
}

func (s there) Damage(hash, content string) error {
	_, err := call[Query, struct{}](s, "Damage", Query{Hash: hash, Content: content})
	return err
}

func (s there) SetAway(away bool) error {
	_, err := call[Query, struct{}](s, "SetAway", Query{Away: away})
	return err
}
