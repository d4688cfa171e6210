package dir_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/blob"
	"ibid/internal/ibidtest"
)

// flawed is a store with one fault; what is nil is right.
type flawed struct {
	ibidtest.Blobs
	receive func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error)
	open    func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error)
	stat    func(blob.Info) blob.Info
	remove  func(ctx context.Context, s ibidtest.Blobs, hash string, before time.Time) (bool, error)
	list    func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error)
	put     func(ctx context.Context, s ibidtest.Blobs, u blob.Upload) (time.Time, bool, error)
}

func (f flawed) Receive(ctx context.Context, content io.Reader) (blob.Upload, error) {
	if f.receive != nil {
		return f.receive(ctx, f.Blobs, content)
	}
	u, err := f.Blobs.Receive(ctx, content)
	if err == nil && f.put != nil {
		u = putter{u, f}
	}
	return u, err
}

// putter is an upload of a store that puts wrong.
type putter struct {
	blob.Upload
	f flawed
}

func (u putter) Put(ctx context.Context) (time.Time, bool, error) {
	return u.f.put(ctx, u.f.Blobs, u.Upload)
}

func (f flawed) Open(ctx context.Context, hash string, from, n int64) (io.ReadCloser, error) {
	if f.open == nil {
		return f.Blobs.Open(ctx, hash, from, n)
	}
	return f.open(ctx, f.Blobs, hash, from, n)
}

func (f flawed) Stat(ctx context.Context, hash string) (blob.Info, error) {
	info, err := f.Blobs.Stat(ctx, hash)
	if err == nil && f.stat != nil {
		info = f.stat(info)
	}
	return info, err
}

func (f flawed) Delete(ctx context.Context, hash string, before time.Time) (bool, error) {
	if f.remove == nil {
		return f.Blobs.Delete(ctx, hash, before)
	}
	return f.remove(ctx, f.Blobs, hash, before)
}

func (f flawed) List(ctx context.Context, page ibid.Page) ([]blob.Info, string, error) {
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

func (u lazy) Put(ctx context.Context) (time.Time, bool, error) {
	if info, err := u.s.Stat(ctx, u.Hash()); err == nil && info.Bytes == u.Bytes() {
		return info.Put, false, nil
	}
	return u.Upload.Put(ctx)
}

func TestBlobMutants(t *testing.T) {
	after := time.Now().Add(24 * time.Hour)
	ibidtest.Mutants(t, ibidtest.BlobCases, place, []ibidtest.Mutant[ibidtest.Blobs]{
		{Name: "a part begins at the beginning", Case: "what was put is read back, whole and in parts", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, _, n int64) (io.ReadCloser, error) {
				return s.Open(ctx, hash, 0, n)
			}}
		}},
		{Name: "a part goes to the end", Case: "what was put is read back, whole and in parts", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, _ int64) (io.ReadCloser, error) {
				return s.Open(ctx, hash, from, 1<<40)
			}}
		}},
		{Name: "what comes in is there at once", Case: "nothing is there before it is put", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				u, err := s.Receive(ctx, content)
				if err == nil {
					_, _, err = u.Put(ctx)
				}
				return early{u}, err
			}}
		}},
		{Name: "what breaks off is kept as far as it came", Case: "what breaks off is not kept", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				raw, _ := io.ReadAll(content)
				return s.Receive(ctx, bytes.NewReader(raw))
			}}
		}},
		{Name: "bytes that are there are not put again", Case: "the same bytes again are put anew", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				u, err := s.Receive(ctx, content)
				return lazy{u, s}, err
			}}
		}},
		{Name: "nothing is deleted", Case: "what is deleted is gone", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, remove: func(context.Context, ibidtest.Blobs, string, time.Time) (bool, error) { return true, nil }}
		}},
		{Name: "a deletion does not ask when", Case: "what was put since is not deleted", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, remove: func(ctx context.Context, s ibidtest.Blobs, hash string, _ time.Time) (bool, error) {
				return s.Delete(ctx, hash, after)
			}}
		}},
		{Name: "a deletion looks first and deletes later", Case: "who puts while another deletes keeps what it put last", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, remove: func(ctx context.Context, s ibidtest.Blobs, hash string, before time.Time) (bool, error) {
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
			return flawed{Blobs: s, list: func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error) {
				list, _, err := s.List(ctx, page)
				return list, "", err
			}}
		}},
		{Name: "a list has no order", Case: "what is there is listed by pages", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, list: func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error) {
				list, next, err := s.List(ctx, page)
				slices.Reverse(list)
				return list, next, err
			}}
		}},
		{Name: "names lead elsewhere", Case: "what is not there, or is no hash, is NOT_FOUND", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error) {
				if strings.Contains(hash, "..") {
					return io.NopCloser(strings.NewReader("the database")), nil
				}
				return s.Open(ctx, hash, from, n)
			}}
		}},
		{Name: "a length is wrong", Case: "a reader reads from any place", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, stat: func(i blob.Info) blob.Info { i.Bytes--; return i }}
		}},
		{Name: "bytes are put in pieces", Case: "bytes stay whole while several put and read them", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error) {
				return s.Open(ctx, hash, from, n/2)
			}}
		}},
		{Name: "putting and deleting exclude each other within a process only", Case: "who puts while another deletes keeps what it put last", Break: alone},
		{Name: "whether it is fresh is looked up before", Case: "who takes back what was fresh takes nothing that others have put", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, put: func(ctx context.Context, s ibidtest.Blobs, u blob.Upload) (time.Time, bool, error) {
				_, there := s.Stat(ctx, u.Hash())
				put, _, err := u.Put(ctx)
				return put, ibid.CodeOf(there) == ibid.CodeNotFound && there != nil, err
			}}
		}},
		{Name: "all that is put is fresh", Case: "what was put is fresh once, and its time is known", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, put: func(ctx context.Context, _ ibidtest.Blobs, u blob.Upload) (time.Time, bool, error) {
				put, _, err := u.Put(ctx)
				return put, true, err
			}}
		}},
		{Name: "the time of a put is that of the call", Case: "what was put is fresh once, and its time is known", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, put: func(ctx context.Context, _ ibidtest.Blobs, u blob.Upload) (time.Time, bool, error) {
				began := time.Now()
				_, fresh, err := u.Put(ctx)
				return began, fresh, err
			}}
		}},
		{Name: "bytes of the same length are not exchanged", Case: "putting bytes mends what is damaged", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, receive: func(ctx context.Context, s ibidtest.Blobs, content io.Reader) (blob.Upload, error) {
				u, err := s.Receive(ctx, content)
				return lazy{u, s}, err
			}}
		}},
		{Name: "pages begin at a number", Case: "pages neither repeat nor hide what stays while others come and go", Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, list: func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error) {
				all, _, err := s.List(ctx, ibid.Page{Limit: ibid.MaxLimit})
				from := 0
				if _, err := page.DecodeCursor(&from); err != nil {
					return nil, "", err
				}
				from = min(from, len(all))
				to := min(from+page.Size(), len(all))
				if next := ""; to == len(all) {
					return all[from:to], next, err
				}
				return all[from:to], ibid.EncodeCursor(to), err
			}}
		}},
		{Name: "what is away is gone", Case: awayCase, Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, open: func(ctx context.Context, s ibidtest.Blobs, hash string, from, n int64) (io.ReadCloser, error) {
				r, err := s.Open(ctx, hash, from, n)
				if err != nil {
					err = ibid.Errorf(ibid.CodeNotFound, "there is no %s", hash)
				}
				return r, err
			}}
		}},
		{Name: "a list of what is away is empty", Case: awayCase, Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, list: func(ctx context.Context, s ibidtest.Blobs, page ibid.Page) ([]blob.Info, string, error) {
				list, next, err := s.List(ctx, page)
				if ibid.CodeOf(err) == ibid.CodeAway && err != nil {
					return nil, "", nil
				}
				return list, next, err
			}}
		}},
		{Name: "what is away is deleted", Case: awayCase, Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, remove: func(ctx context.Context, s ibidtest.Blobs, hash string, before time.Time) (bool, error) {
				gone, err := s.Delete(ctx, hash, before)
				return gone || err != nil, nil
			}}
		}},
		{Name: "putting where nothing can be put succeeds", Case: awayCase, Break: func(s ibidtest.Blobs) ibidtest.Blobs {
			return flawed{Blobs: s, put: func(ctx context.Context, _ ibidtest.Blobs, u blob.Upload) (time.Time, bool, error) {
				put, fresh, _ := u.Put(ctx)
				return put, fresh, nil
			}}
		}},
	})
}

const awayCase = "what cannot be reached is STORE_AWAY, and is not lost"

// alone is a store that deletes as one step within its process only: each opening has a
// lock of its own.
func alone(s ibidtest.Blobs) ibidtest.Blobs {
	var moving sync.RWMutex
	return flawed{Blobs: s,
		put: func(ctx context.Context, _ ibidtest.Blobs, u blob.Upload) (time.Time, bool, error) {
			moving.RLock()
			defer moving.RUnlock()
			return u.Put(ctx)
		},
		remove: func(ctx context.Context, s ibidtest.Blobs, hash string, before time.Time) (bool, error) {
			moving.Lock()
			defer moving.Unlock()
			path, release, err := s.File(ctx, hash)
			if err != nil {
				return true, nil
			}
			defer release()
			info, err := os.Stat(path)
			if err != nil || !info.ModTime().Before(before) {
				return err != nil, nil
			}
			for range 200 {
				runtime.Gosched()
			}
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return false, err
			}
			return true, nil
		}}
}
