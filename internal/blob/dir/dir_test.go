package dir_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/ibidtest"
)

// place is one store, which all openings share: the directory belongs to one process.
func place(t testing.TB) ibidtest.Opener[ibidtest.Blobs] {
	s, err := dir.Open(disk.OS{}, filepath.Join(t.TempDir(), "files"))
	if err != nil {
		t.Fatal(err)
	}
	return func(testing.TB) ibidtest.Blobs { return s }
}

func TestBlobs(t *testing.T) { ibidtest.Run(t, ibidtest.BlobCases, place) }

// faulty is a store with one fault; what is nil is right.
type faulty struct {
	ibidtest.Blobs
	receive func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error)
	open    func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error)
	stat    func(blob.Info) blob.Info
	remove  func(ctx context.Context, s ibidtest.Blobs, hash string, before time.Time) (bool, error)
	list    func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error)
}

func (f faulty) Receive(ctx context.Context, content io.Reader) (blob.Upload, error) {
	if f.receive == nil {
		return f.Blobs.Receive(ctx, content)
	}
	return f.receive(ctx, f.Blobs, content)
}

func (f faulty) Open(ctx context.Context, hash string, from, n int64) (io.ReadCloser, error) {
	if f.open == nil {
		return f.Blobs.Open(ctx, hash, from, n)
	}
	return f.open(ctx, f.Blobs, hash, from, n)
}

func (f faulty) Stat(ctx context.Context, hash string) (blob.Info, error) {
	info, err := f.Blobs.Stat(ctx, hash)
	if err == nil && f.stat != nil {
		info = f.stat(info)
	}
	return info, err
}

func (f faulty) Delete(ctx context.Context, hash string, before time.Time) (bool, error) {
	if f.remove == nil {
		return f.Blobs.Delete(ctx, hash, before)
	}
	return f.remove(ctx, f.Blobs, hash, before)
}

func (f faulty) List(ctx context.Context, page ibid.Page) ([]blob.Info, string, error) {
	if f.list == nil {
		return f.Blobs.List(ctx, page)
	}
	return f.list(ctx, f.Blobs, page)
}

// early is an upload that is there before it is put.
type early struct{ blob.Upload }

func (early) Drop() {}

// lazy is an upload that is put once.
type lazy struct {
	blob.Upload
	s ibidtest.Blobs
}

func (u lazy) Put(ctx context.Context) error {
	if _, err := u.s.Stat(ctx, u.Hash()); err == nil {
		return nil
	}
	return u.Upload.Put(ctx)
}

func TestBlobMutants(t *testing.T) {
	after := time.Now().Add(24 * time.Hour)
	ibidtest.Mutants(t, ibidtest.BlobCases, place, []ibidtest.Mutant[ibidtest.Blobs]{
		{Name: "a part begins at the beginning", Case: "what was put is read back, whole and in parts", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, _, n int64) (io.ReadCloser, error) {
				return s.Open(ctx, hash, 0, n)
			}}
		}},
		{Name: "a part goes to the end", Case: "what was put is read back, whole and in parts", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, _ int64) (io.ReadCloser, error) {
				return s.Open(ctx, hash, from, 1<<40)
			}}
		}},
		{Name: "what comes in is there at once", Case: "nothing is there before it is put", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				u, err := s.Receive(ctx, content)
				if err == nil {
					err = u.Put(ctx)
				}
				return early{u}, err
			}}
		}},
		{Name: "what breaks off is kept as far as it came", Case: "what breaks off is not kept", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				raw, _ := io.ReadAll(content)
				return s.Receive(ctx, bytes.NewReader(raw))
			}}
		}},
		{Name: "bytes that are there are not put again", Case: "the same bytes again are put anew", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				u, err := s.Receive(ctx, content)
				return lazy{u, s}, err
			}}
		}},
		{Name: "nothing is deleted", Case: "what is deleted is gone", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, remove: func(context.Context, ibidtest.Blobs, string, time.Time) (bool, error) { return true, nil }}
		}},
		{Name: "a deletion does not ask when", Case: "what was put since is not deleted", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, remove: func(ctx context.Context, s ibidtest.Blobs, hash string, _ time.Time) (bool, error) {
				return s.Delete(ctx, hash, after)
			}}
		}},
		{Name: "a deletion looks first and deletes later", Case: "who puts while another deletes keeps what it put last", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, remove: func(ctx context.Context, s ibidtest.Blobs, hash string, before time.Time) (bool, error) {
				info, err := s.Stat(ctx, hash)
				if err != nil || !info.Put.Before(before) {
					return err != nil, nil
				}
				for range 200 {
					runtime.Gosched()
				}
				return s.Delete(ctx, hash, after)
			}}
		}},
		{Name: "a page is the last", Case: "what is there is listed by pages", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, list: func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error) {
				list, _, err := s.List(ctx, page)
				return list, "", err
			}}
		}},
		{Name: "a list has no order", Case: "what is there is listed by pages", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, list: func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error) {
				list, next, err := s.List(ctx, page)
				slices.Reverse(list)
				return list, next, err
			}}
		}},
		{Name: "names lead elsewhere", Case: "what is not there, or is no hash, is NOT_FOUND", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error) {
				if strings.Contains(hash, "..") {
					return io.NopCloser(strings.NewReader("the database")), nil
				}
				return s.Open(ctx, hash, from, n)
			}}
		}},
		{Name: "a length is wrong", Case: "a reader reads from any place", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, stat: func(i blob.Info) blob.Info { i.Bytes--; return i }}
		}},
		{Name: "bytes are put in pieces", Case: "bytes stay whole while several put and read them", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return faulty{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error) {
				return s.Open(ctx, hash, from, n/2)
			}}
		}},
	})
}

// TestWhatAStartFinds: a start clears away what a crash left of uploads, and nothing
// else; what others have put there is named.
func TestWhatAStartFinds(t *testing.T) {
	root := filepath.Join(t.TempDir(), "files")
	s, err := dir.Open(disk.OS{}, root)
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Receive(t.Context(), strings.NewReader("The walrus sleeps."))
	if err == nil {
		err = u.Put(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	strange := map[string]bool{"files/notes.txt": true, "files/tmp/mine": true, "files/ab/ab12": true, "files/zz/" + u.Hash(): true}
	for path := range strange {
		path = filepath.Join(filepath.Dir(root), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(root, "tmp", "upload-1")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = dir.Open(disk.OS{}, root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("an upload that was cut short: %v", err)
	}
	foreign, err := s.Foreign(t.Context())
	if err != nil || len(foreign) != len(strange) {
		t.Errorf("foreign %v, %v", foreign, err)
	}
	for _, path := range foreign {
		if !strange[filepath.ToSlash(path)] {
			t.Errorf("%s is foreign", path)
		}
	}
	if list, _, err := s.List(t.Context(), ibid.Page{}); err != nil || len(list) != 1 || list[0].Hash != u.Hash() {
		t.Errorf("listed %v, %v", list, err)
	}
}

// What one process takes in is not cleared away when another starts.
func TestAStartLeavesUploadsUnderWay(t *testing.T) {
	root := filepath.Join(t.TempDir(), "files")
	s, err := dir.Open(disk.OS{}, root)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Receive(t.Context(), strings.NewReader("The walrus sleeps."))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Drop()
	content, more := io.Pipe()
	received := make(chan blob.Upload, 1)
	go func() {
		u, err := s.Receive(t.Context(), content)
		if err != nil {
			t.Error(err)
		}
		received <- u
	}()
	if _, err := more.Write([]byte("The giraffe")); err != nil { // it is under way
		t.Fatal(err)
	}
	if _, err := dir.Open(disk.OS{}, root); err != nil {
		t.Fatal(err)
	}
	more.Close()
	second := <-received
	for _, u := range []blob.Upload{first, second} {
		if u == nil {
			continue
		}
		if err := u.Put(t.Context()); err != nil {
			t.Errorf("put: %v", err)
		}
		if _, err := s.Stat(t.Context(), u.Hash()); err != nil {
			t.Error(err)
		}
		u.Drop()
	}
}
