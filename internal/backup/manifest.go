package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"ibid"
)

// formatNow is the format of the backups that this program writes. A change that
// an older program would misread gets the next number.
const formatNow = 1

// A Manifest says what one copy holds. On disk it is lines of JSON: the Manifest,
// one File each, and at the end the checksum of all lines before it:
//
//	{"format":1,"ibid":"1.4.0","identity":"0198…","made_at":"2026-11-22T03:00:00Z",…}
//	{"path":"ibid.db","at":"2026-11-22T03-00-00Z/ibid.db","sha256":"9f86…","bytes":1048576}
//	{"path":"files/ab/ab12…","at":"files/ab/ab12…","sha256":"ab12…","bytes":5120}
//	{"checksum":"5e88…"}
type Manifest struct {
	Format         int       `json:"format"`
	Ibid           string    `json:"ibid"`            // version of the program that made it
	Identity       string    `json:"identity"`        // of the data directory
	DatabaseFormat int       `json:"database_format"` // number of the last migration
	MadeAt         time.Time `json:"made_at"`         // the state of this moment is in it
	Documents      int       `json:"documents"`
	Threads        int       `json:"threads"`
	Bytes          int64     `json:"bytes"` // of all files
	Files          []File    `json:"-"`
	// Missing are originals that the database lists and the library had lost, by hash.
	Missing []string `json:"missing,omitempty"`

	checksum string
}

// File is one file of a backup.
type File struct {
	Path   string `json:"path"` // in the data directory, with slashes
	At     string `json:"at"`   // in the backup, with slashes
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

const (
	manifestName = "manifest.jsonl"
	databaseName = "ibid.db"
	modelName    = "lsa.model"
	settingsName = "ibid.toml"
)

// Names that a backup may put into a data directory, and where they may lie in the
// backup: nothing else, so that no manifest leads out of either.
var (
	originalPath = regexp.MustCompile(`^files/([0-9a-f]{2})/([0-9a-f]{32})$`)
	tablePath    = regexp.MustCompile(`^databases/[A-Za-z0-9][A-Za-z0-9_-]*\.db$`)
	copyPath     = regexp.MustCompile(`^(` + copyNamePattern + `/)?(ibid\.db|lsa\.model|ibid\.toml)$`)
	hexHash      = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

const copyNamePattern = `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}Z`

// isOriginal reports whether the file is an original, and returns its hash.
func (f File) isOriginal() (hash string, ok bool) {
	m := originalPath.FindStringSubmatch(f.Path)
	if m == nil || m[1] != m[2][:2] {
		return "", false
	}
	return m[2], true
}

func (f File) valid() bool {
	hash, original := f.isOriginal()
	known := original && strings.HasPrefix(f.SHA256, hash) && f.At == f.Path ||
		tablePath.MatchString(f.Path) && originalPath.MatchString(f.At) ||
		!strings.Contains(f.Path, "/") && copyPath.MatchString(f.At) && path.Base(f.At) == f.Path
	return known && hexHash.MatchString(f.SHA256) && f.Bytes >= 0
}

func originalAt(hash string) string { return "files/" + hash[:2] + "/" + hash }

// database is the file of the database.
func (m *Manifest) database() (File, bool) {
	for _, f := range m.Files {
		if f.Path == databaseName {
			return f, true
		}
	}
	return File{}, false
}

// encode writes the manifest and keeps its checksum.
func (m *Manifest) encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	m.Bytes = 0
	for _, f := range m.Files {
		m.Bytes += f.Bytes
	}
	if err := enc.Encode(m); err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		if err := enc.Encode(f); err != nil {
			return nil, err
		}
	}
	m.checksum = sumOf(out.Bytes())
	err := enc.Encode(map[string]string{"checksum": m.checksum})
	return out.Bytes(), err
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// errManifest is of a manifest that is not as it was written.
var errManifest = errors.New("its manifest is damaged")

// readManifest reads a manifest and refuses one that is cut short, changed, or of
// a newer ibid.
func readManifest(r io.Reader) (*Manifest, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	cut := bytes.LastIndexByte(bytes.TrimSuffix(body, []byte("\n")), '\n') + 1
	var last struct {
		Checksum string `json:"checksum"`
	}
	if json.Unmarshal(body[cut:], &last) != nil || last.Checksum != sumOf(body[:cut]) {
		return nil, errManifest
	}
	lines := bufio.NewReader(bytes.NewReader(body[:cut]))
	m := &Manifest{checksum: last.Checksum}
	first, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(first, m) != nil {
		return nil, errManifest
	}
	if m.Format > formatNow {
		return nil, &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("the backup was made by a newer ibid (%s, backup format %d; this one knows %d)", m.Ibid, m.Format, formatNow),
			Hint: "restore it with that ibid or a newer one"}
	}
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var f File
		if err != nil || json.Unmarshal(line, &f) != nil || !f.valid() {
			return nil, errManifest
		}
		m.Files = append(m.Files, f)
	}
	if _, ok := m.database(); !ok || m.Format < 1 {
		return nil, errManifest
	}
	return m, nil
}
