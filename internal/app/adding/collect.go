package adding

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"ibid/internal/app/datadir"
	"ibid/internal/document"
	"ibid/internal/glob"
	"ibid/internal/ingest"
)

func SkippedText(skipped map[string]int) string {
	var parts []string
	for ext, n := range skipped {
		parts = append(parts, fmt.Sprintf("%d %s", n, ext))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Item is one file or URL to add, or why it cannot be.
type Item struct {
	Name   string      // as the user knows it: relative to what was typed
	path   string      // absolute; "" for a URL
	root   string      // of the folder that was walked, absolute, links resolved; "" for a file that was named
	url    string      // "" for a file
	folder string      // where it goes in the library
	Size   int64       // of a file, bytes
	info   fs.FileInfo // of a file
	err    error       // why it cannot be added
}

// source is what identifies the file or the URL in the library. JSON carries text
// only, so bytes of a path that are none are written as %ff: two files whose names
// differ in such bytes stay two documents.
func (it Item) source() string {
	if it.url != "" {
		return it.url
	}
	return validText(it.path)
}

// validText writes every byte that is no UTF-8 as % and two digits.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%%%02x", s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Collection is what the arguments of add come to.
type Collection struct {
	walking
	Items   []Item
	Skipped map[string]int  // extension → files of folders that were left out, as they hold no text
	Links   []string        // of folders, not followed
	System  []string        // folders that the system makes up, such as /proc
	seen    map[string]bool // absolute paths and URLs
}

// collect turns arguments into files and URLs. Folders are walked, patterns
// that the shell has left alone are expanded. folder is where things go in the
// library; "" puts the files of a walked folder under that folder's name. An error
// means that it was not done to its end.
func (w walking) collect(args []string, folder string) (Collection, error) {
	c := Collection{walking: w, Skipped: map[string]int{}, seen: map[string]bool{}}
	folder = strings.Trim(path.Clean("/"+filepath.ToSlash(folder)), "/")
	for _, arg := range args {
		switch {
		case isURL(arg):
			if !c.seen[arg] {
				c.seen[arg] = true
				c.Items = append(c.Items, Item{Name: arg, url: arg, folder: folder})
			}
		default:
			if err := c.addPath(arg, folder); err != nil {
				return c, err
			}
		}
	}
	return c, c.goOn(len(c.Items))
}

func isURL(arg string) bool {
	scheme, _, ok := strings.Cut(arg, "://")
	return ok && scheme != "" && !strings.ContainsAny(scheme, `/\.*?[`)
}

// addPath takes a file, a folder or a pattern. The error says that it was not done
// to its end; what is wrong with a path is an item.
func (c *Collection) addPath(arg, folder string) error {
	info, err := os.Stat(arg) // follows a link that the user has named
	switch {
	case err == nil && info.IsDir():
		return c.walk(arg, folder)
	case err == nil:
		c.addFile(arg, arg, folder, info)
	case errors.Is(err, fs.ErrNotExist) && glob.Is(arg):
		return c.expand(arg, folder)
	case errors.Is(err, fs.ErrNotExist):
		c.fail(arg, errors.New("no such file or folder"))
	default:
		c.fail(arg, err)
	}
	return nil
}

func (c *Collection) fail(name string, err error) {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // the path stands before it already
	}
	c.Items = append(c.Items, Item{Name: name, err: err})
}

// addFile takes one file, once.
func (c *Collection) addFile(name, file, folder string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		c.fail(name, fmt.Errorf("%s is not a file to read", document.FileKind(info.Mode())))
		return
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		c.fail(name, err)
		return
	}
	if c.seen[abs] {
		return
	}
	c.seen[abs] = true
	c.Items = append(c.Items, Item{Name: name, path: abs, folder: folder, Size: info.Size(), info: info})
}

// walk takes the files of a folder and of the folders in it. Hidden ones,
// node_modules, data directories of ibid and what the system makes up (/proc) are
// left out, links to folders are not followed, and links to files only where the
// file lies within the folder.
func (c *Collection) walk(root, folder string) error {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		c.fail(root, err)
		return nil
	}
	if folder == "" {
		folder = libraryFolder(root)
	}
	return filepath.WalkDir(abs, func(file string, d fs.DirEntry, err error) error {
		if err := c.goOn(len(c.Items)); err != nil {
			return err
		}
		rel, _ := filepath.Rel(abs, file)
		name := filepath.Join(root, rel)
		if err != nil {
			c.fail(name, err)
			return nil
		}
		if d.IsDir() {
			if file != abs && leftOut(d.Name()) || isDataDir(file) {
				return filepath.SkipDir
			}
			if ofTheSystem(file) {
				c.System = append(c.System, name)
				return filepath.SkipDir
			}
			return nil
		}
		if leftOut(d.Name()) {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 && !linksInside(file, abs) {
			c.Links = append(c.Links, name)
			return nil
		}
		c.walked(name, abs, file, path.Join(folder, validText(filepath.ToSlash(filepath.Dir(rel)))))
		return nil
	})
}

// libraryFolder is what a walked folder is called in the library.
func libraryFolder(root string) string {
	abs, err := filepath.Abs(root)
	if err != nil || filepath.Dir(abs) == abs {
		return ""
	}
	return validText(filepath.Base(abs))
}

// walked takes one file of the folder root.
func (c *Collection) walked(name, root, file, folder string) {
	info, err := os.Stat(file)
	if err != nil {
		c.fail(name, err)
		return
	}
	if ingest.Wordless(file, info.Size()) { // counted, not sent; one that is named is
		c.Skipped[strings.ToLower(filepath.Ext(file))]++
		return
	}
	before := len(c.Items)
	if c.addFile(name, file, folder, info); len(c.Items) > before {
		c.Items[before].root = root
	}
}

func leftOut(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules"
}

// isDataDir reports whether a folder is a data directory of ibid. What was added
// is kept there, so that adding it would never come to an end.
func isDataDir(dir string) bool {
	database, err := os.Lstat(filepath.Join(dir, datadir.DatabaseName))
	if err != nil || !database.Mode().IsRegular() {
		return false
	}
	files, err := os.Lstat(filepath.Join(dir, "files"))
	return err == nil && files.IsDir()
}

// linksInside reports whether a link leads to a regular file within root.
func linksInside(link, root string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	info, err := os.Stat(target)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	rel, err := filepath.Rel(root, target)
	return err == nil && filepath.IsLocal(rel)
}

// expand takes what a pattern matches. ** stands for any number of folders.
func (c *Collection) expand(pattern, folder string) error {
	matches, err := c.glob(pattern)
	if stopped := c.goOn(len(c.Items)); stopped != nil {
		return stopped
	}
	if err != nil {
		c.fail(pattern, err)
		return nil
	}
	if len(matches) == 0 {
		c.fail(pattern, errors.New("matches no file"))
	}
	for _, m := range matches {
		if err := c.addPath(m, folder); err != nil {
			return err
		}
	}
	return nil
}

func (w walking) glob(pattern string) ([]string, error) {
	if !strings.Contains(pattern, "**") {
		matches, err := filepath.Glob(pattern)
		return slices.DeleteFunc(matches, hiddenMatch(pattern)), err
	}
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	fixed := 0
	for fixed < len(parts) && !glob.Is(parts[fixed]) {
		fixed++
	}
	root := filepath.FromSlash(strings.Join(parts[:fixed], "/"))
	switch {
	case fixed == 0:
		root = "."
	case root == "":
		root = "/"
	}
	if err := glob.Check(parts[fixed:]); err != nil {
		return nil, err
	}
	var matches []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err := w.goOn(len(matches)); err != nil {
			return err
		}
		if err != nil {
			return nil // what cannot be read matches nothing
		}
		switch {
		case d.IsDir() && (file != root && leftOut(d.Name()) || isDataDir(file) || ofTheSystem(file)):
			return filepath.SkipDir
		case file != root && leftOut(d.Name()):
			return nil
		}
		rel, _ := filepath.Rel(root, file)
		if d.Type().IsRegular() && glob.Match(parts[fixed:], strings.Split(filepath.ToSlash(rel), "/")) {
			matches = append(matches, file)
		}
		return nil
	})
	return matches, err
}

// hiddenMatch drops hidden files that the pattern does not ask for, as a shell
// does.
func hiddenMatch(pattern string) func(string) bool {
	asked := strings.HasPrefix(filepath.Base(pattern), ".")
	return func(match string) bool { return !asked && leftOut(filepath.Base(match)) }
}

// OpenRegular opens a file for reading, and never waits for the other end of a
// pipe that has taken its place since it was looked at. A file of a walked
// folder is not read where it has become, or lies behind, a link out of it.
func OpenRegular(root, file string) (io.ReadCloser, int64, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	var f *os.File
	var err error
	if root == "" {
		f, err = os.OpenFile(file, flags, 0)
	} else {
		f, err = openBeneath(root, file, flags)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file to read", document.FileKind(info.Mode()))
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func openBeneath(root, file string, flags int) (*os.File, error) {
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return nil, err
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.OpenFile(rel, flags, 0)
}
