package recovery

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/blob"
	"ibid/internal/document"
	"ibid/internal/document/charset"
	"ibid/internal/document/format"
	"ibid/internal/document/zipfile"
	"ibid/internal/ingest"
	"ibid/internal/say"
	"ibid/internal/store/sqlite/salvage"
)

// readOriginals lets the pipeline read every document that the new database lists,
// and adds the originals that it does not list. It answers no requests meanwhile.
func readOriginals(ctx context.Context, cfg config.Config, r *Result, tell io.Writer) (err error) {
	if cfg.Origins["log_level"] == "" {
		cfg.LogLevel = "error" // what cannot be read is said at the end
	}
	cfg.Recovering = true
	opened, err := app.Open(ctx, cfg)
	if err != nil {
		return err
	}
	a := opened.(*app.App)
	defer func() { err = errors.Join(err, a.Stop()) }()
	if err := a.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	rest := originals{app: a, dir: cfg.Data, notice: tell}
	if err := rest.add(ctx); err != nil {
		return err
	}
	r.Originals, err = rest.sum(ctx)
	return err
}

// originals takes in those originals that the database does not list.
type originals struct {
	app    *app.App
	dir    string
	notice io.Writer
	told   time.Time
}

// original is one that the database does not list.
type original struct {
	hash   string // as its name has it
	ending string // of the name that it gets, by what it holds
	size   int64
}

// add adds containers one after the other, as what lies in them is listed once they
// were opened, and the rest together.
func (o *originals) add(ctx context.Context) error {
	if err := o.wait(ctx); err != nil {
		return err
	}
	unlisted, err := o.unlisted(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(unlisted, func(a, b original) int {
		return cmp.Or(b2i(b.contains())-b2i(a.contains()), cmp.Compare(b.size, a.size))
	})
	for _, one := range unlisted {
		listed, err := o.app.DB.ListsVersion(ctx, one.hash)
		if err != nil {
			return err
		}
		if listed {
			continue // it lay in another one
		}
		if err := o.addOne(ctx, one); err != nil {
			return fmt.Errorf("add the original %s: %w", one.hash, err)
		}
		if one.contains() {
			if err := o.wait(ctx); err != nil {
				return err
			}
		}
	}
	return o.wait(ctx)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// contains reports whether files may lie in it.
func (o original) contains() bool {
	return slices.ContainsFunc(document.Formats(), func(f format.Format) bool { return f.Members != nil && f.HasExtension(o.ending) })
}

// recoveredSource begins the source of a document whose own is lost; the name of
// its original follows.
const recoveredSource = "recovered:"

func (o *originals) addOne(ctx context.Context, one original) error {
	content, err := o.app.Originals.Open(ctx, one.hash, 0, blob.Whole)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = o.app.Pipeline.Add(ctx, access.For(ibid.Owner), ingest.File{Name: salvage.RecoveredName(one.hash, one.ending), Source: recoveredSource + one.hash}, content)
	if ibid.CodeOf(err) == ibid.CodeBadRequest {
		return nil // an empty file; sum names it
	}
	return err
}

func (o *originals) unlisted(ctx context.Context) ([]original, error) {
	var all []original
	for info, err := range blob.All(ctx, o.app.Originals) {
		if err != nil {
			return nil, err
		}
		listed, err := o.app.DB.ListsVersion(ctx, info.Hash)
		if err != nil {
			return nil, err
		}
		if listed {
			continue
		}
		path, release, err := o.app.Originals.File(ctx, info.Hash)
		if err != nil {
			return nil, err
		}
		ending, err := endingOf(path, info.Bytes)
		release()
		if err != nil {
			return nil, err
		}
		all = append(all, original{hash: info.Hash, ending: ending, size: info.Bytes})
	}
	return all, ctx.Err()
}

// wait returns when the pipeline has nothing left to do, and says now and then how
// much there is.
func (o *originals) wait(ctx context.Context) error {
	const look, tell = 50 * time.Millisecond, 5 * time.Second
	for {
		queue, err := o.app.Pipeline.Queue(ctx, access.System("recovery"))
		if err != nil {
			return err
		}
		left := queue.Waiting + queue.Processing
		if left == 0 {
			return nil
		}
		if time.Since(o.told) > tell {
			o.told = time.Now()
			fmt.Fprintf(o.notice, "%s left to read\n", say.Count(left, "document"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}

// sum says what came of all of it.
func (o *originals) sum(ctx context.Context) (Originals, error) {
	sum := Originals{Damaged: []string{}, Failed: []string{}, Tables: []string{}}
	err := o.app.EachDocument(ctx, ibid.DocumentQuery{}, func(d ibid.Document) {
		switch {
		case d.Status != ibid.DocumentReady:
			sum.Failed = append(sum.Failed, d.Name+": "+d.Error)
		default:
			sum.Documents++
		}
		if strings.HasPrefix(d.Source, recoveredSource) && d.PartOf == "" {
			sum.Unnamed++
		}
	})
	if err != nil {
		return sum, err
	}
	for info, err := range blob.All(ctx, o.app.Originals) {
		if err != nil {
			return sum, err
		}
		content, err := o.app.Originals.Open(ctx, info.Hash, 0, blob.Whole)
		if err != nil {
			return sum, err
		}
		is, err := blob.HashOf(content)
		content.Close()
		if err != nil {
			return sum, err
		}
		if is != info.Hash {
			sum.Damaged = append(sum.Damaged, filepath.ToSlash(info.Place))
		}
		if err := ctx.Err(); err != nil {
			return sum, err
		}
	}
	if sum.Tables, err = fs.Glob(os.DirFS(o.dir), "databases/*"); err != nil {
		return sum, err
	}
	listed := ibid.Each(func(page ibid.Page) ([]ibid.Database, string, error) {
		return o.app.DB.Databases(ctx, access.System("recovery"), page)
	})
	for d, err := range listed {
		if err != nil {
			return sum, err
		}
		sum.Tables = slices.DeleteFunc(sum.Tables, func(path string) bool { return strings.HasPrefix(filepath.Base(path), d.ID) })
	}
	return sum, nil
}

// endingOf guesses how the name of a file ended. What is read does not depend on
// it, but for the kinds of text.
func endingOf(path string, size int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, charset.SampleSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	head = head[:n]
	formats := document.Formats()
	found, err := formats.Detect(head, "", "")
	switch {
	case err != nil || found.Refuse != nil: // it is not read, whatever it is called
		return "", nil
	case found.Kind == format.KindPicture:
		return "." + strings.TrimPrefix(strings.TrimPrefix(http.DetectContentType(head), "image/"), "x-"), nil
	case found.Name == format.Plain:
		return textEnding(head), nil
	case format.IsZip(head):
		if parts, err := zip.NewReader(f, size); err == nil {
			if z, err := zipfile.New(parts, zipfile.Default, charset.XML); err == nil {
				found = formats.Unzipped(z, found)
			}
		}
	}
	return found.Extensions[0], nil
}

var (
	markdownLine = regexp.MustCompile("(?m)^(#{1,6} \\S|```|[-*] \\S)")
	mailLine     = regexp.MustCompile(`(?mi)\A([!-9;-~]+:.*\r?\n([ \t].*\r?\n)*)*(from|received|message-id|return-path):`)
)

func textEnding(head []byte) string {
	switch {
	case mailLine.Match(head):
		return ".eml"
	case markdownLine.Match(head):
		return ".md"
	}
	// A table has the same number of separators in each of its lines.
	lines := strings.SplitN(string(head), "\n", 4)
	if len(lines) == 4 {
		for separator, ending := range map[string]string{",": ".csv", ";": ".csv", "\t": ".tsv"} {
			n := strings.Count(lines[0], separator)
			if n > 0 && strings.Count(lines[1], separator) == n && strings.Count(lines[2], separator) == n {
				return ending
			}
		}
	}
	return ".txt"
}
