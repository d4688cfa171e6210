package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"ibid/internal/disk"
)

// goOn looks at what an earlier attempt has left. have are the entries of its
// archive, nil where it begins anew with a copy of the database of now.
func (r *run) goOn(partial, database string) (have map[string]File, m *Manifest, pieces []piece, err error) {
	if have, m = r.leftOver(partial, database); have != nil {
		if pieces, err = r.plan(m, database); err == nil {
			r.result.Resumed = true
			return have, m, pieces, nil
		}
	}
	m, pieces, err = r.copyDatabase(database)
	return nil, m, pieces, err
}

// freshEnough is how old the database in an archive that was cut short may be for
// the archive to be finished.
const freshEnough = 24 * time.Hour

// leftOver reads an archive that was cut short and cuts it off behind its last
// whole entry. It returns nil where there is nothing to go on from.
func (r *run) leftOver(partial, database string) (map[string]File, *Manifest) {
	f, err := os.Open(partial)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	entries := newEntries(f, compressed(r.job.To))
	have, end := map[string]File{}, int64(0)
	var made time.Time
	followed := false // something was written behind the database
	for {
		h, err := entries.next()
		if err != nil {
			break
		}
		_, followed = have[databaseName]
		if h.Name == markerName {
			var mark marker
			if json.NewDecoder(entries.tar).Decode(&mark) != nil || mark.Identity != r.Identity || mark.Format != formatNow {
				return nil, nil
			}
			if end, err = entries.end(); err != nil {
				break
			}
			continue
		}
		var sum string
		var size int64
		if h.Name == databaseName {
			made = h.ModTime
			sum, size, err = r.mover.write(entries.tar, database)
		} else {
			sum, size, err = r.mover.transfer(entries.tar, nil)
		}
		if err != nil || size != h.Size {
			break
		}
		if original := originalPath.FindStringSubmatch(h.Name); original != nil && !strings.HasPrefix(sum, original[2]) {
			break // was not on disk when the power went
		}
		ends, err := entries.end()
		if err != nil {
			break
		}
		have[h.Name] = File{Path: h.Name, At: h.Name, SHA256: sum, Bytes: size}
		end = ends
	}
	// The database was synced before what follows it was written; alone it may not
	// be whole.
	if _, ok := have[databaseName]; !ok || !followed || r.Now().Sub(made) > freshEnough {
		return nil, nil
	}
	if _, whole := have[manifestName]; whole {
		return nil, nil
	}
	if os.Truncate(partial, end) != nil || disk.SyncFile(r.FS, database) != nil {
		return nil, nil
	}
	return have, &Manifest{Format: formatNow, Ibid: r.Version, MadeAt: made.UTC()}
}

// entries reads an archive that may break off anywhere, entry by entry.
type entries struct {
	file   *counter
	buffer *bufio.Reader // of what is compressed
	zip    *gzip.Reader  // nil: not compressed, or not yet read
	tar    *tar.Reader
	begins int64 // where the content of an entry that is not compressed begins
	size   int64
}

func newEntries(f io.Reader, compressed bool) *entries {
	e := &entries{file: &counter{r: f}}
	if compressed {
		e.buffer = bufio.NewReader(e.file)
	} else {
		e.tar = tar.NewReader(e.file)
	}
	return e
}

// next goes to the next entry, whose content is read from e.tar.
func (e *entries) next() (*tar.Header, error) {
	if e.buffer != nil {
		if err := e.nextMember(); err != nil {
			return nil, err
		}
	}
	h, err := e.tar.Next()
	if err == nil {
		e.begins, e.size = e.file.n, h.Size // Next has read no further than the header
	}
	return h, err
}

func (e *entries) nextMember() (err error) {
	if e.zip == nil {
		e.zip, err = gzip.NewReader(e.buffer)
	} else {
		err = e.zip.Reset(e.buffer)
	}
	if err != nil {
		return err
	}
	e.zip.Multistream(false)
	e.tar = tar.NewReader(e.zip)
	return nil
}

// end returns where the entry ends in the file, once its content was read.
func (e *entries) end() (int64, error) {
	if e.buffer == nil {
		return e.begins + (e.size+511)/512*512, nil // content takes whole blocks
	}
	if _, err := io.Copy(io.Discard, e.zip); err != nil { // the padding, and the member's checksum
		return 0, err
	}
	return e.file.n - int64(e.buffer.Buffered()), nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
