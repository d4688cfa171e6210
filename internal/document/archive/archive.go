// Package archive reads zip files: a list of what lies in them, and the files.
package archive

import (
	"archive/zip"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/format"
	"ibid/internal/document/zipfile"
)

// Format is the format of zip files that are none of the others.
func Format() format.Format {
	return format.Format{
		Name: "zip", Label: "Zip archive", Kind: format.KindArchive, Extensions: []string{".zip"}, MIME: []string{"application/zip"},
		Begins: format.IsZip, Read: readZip, Members: unzip,
	}
}

// unzip takes the files of an archive.
func unzip(file format.File, u *format.Unpacker) error {
	z := file.Zip
	files, refused := memberFiles(z)
	u.LeftOut = refused
	for _, f := range files {
		r, err := z.OpenFile(f.File)
		if err != nil {
			u.LeftOut.Unread(err)
			continue
		}
		err = u.Send(f.name, r)
		_ = r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// member is a file of an archive, with its name as it was meant.
type member struct {
	*zip.File
	name string
}

// zipNames decodes the names of a zip file. Those that are no UTF-8 are in the
// encoding of the machine that packed it; all of them together tell which.
func zipNames(files []*zip.File) map[*zip.File]string {
	names := make(map[*zip.File]string, len(files))
	var sample []byte
	for _, f := range files {
		names[f] = f.Name
		if !utf8.ValidString(f.Name) {
			sample = append(append(sample, f.Name...), '\n')
		}
	}
	if len(sample) == 0 {
		return names
	}
	encoding := charset.Guess(sample)
	for _, f := range files {
		if utf8.ValidString(f.Name) {
			continue
		}
		if name, err := encoding.NewDecoder().String(f.Name); err == nil {
			names[f] = name
		}
	}
	return names
}

// memberFiles returns the files of an archive that were meant to be in it, and
// counts those that are refused. What the systems of their authors put there, such
// as folders and previews, is no file of theirs.
func memberFiles(z *zipfile.File) (files []member, refused format.LeftOut) {
	seen := map[string]bool{}
	names := zipNames(z.Files)
	for _, f := range z.Files {
		name := format.MemberName(names[f])
		base := path.Base(name)
		switch {
		case f.Mode().IsDir(), strings.HasSuffix(f.Name, "/"):
		case strings.HasPrefix(name, "__MACOSX/"), base == ".DS_Store", base == "Thumbs.db":
		case !f.Mode().IsRegular():
			refused.Links++
		case name == "", leadsOut(names[f]):
			refused.Outside++
		case seen[name]:
			refused.Twice++
		case f.UncompressedSize64 == 0:
			refused.Empty++
		default:
			seen[name] = true
			files = append(files, member{f, name})
		}
	}
	return files, refused
}

// leadsOut reports whether a name is absolute or goes upwards.
func leadsOut(name string) bool {
	name = strings.ReplaceAll(name, "\\", "/")
	drive := len(name) > 1 && name[1] == ':'
	return drive || strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..")
}

// readZip reads an archive as the list of what it holds.
func readZip(b *format.Builder, file format.File) (format.Done, error) {
	files, refused := memberFiles(file.Zip)
	if len(files) == 0 {
		return format.Done{}, refused.Refusal()
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	sort.Strings(names)
	b.Add(ibid.BlockParagraph, fmt.Sprintf("This archive holds %d files:", len(names)))
	for len(names) > 0 {
		n := min(len(names), 200)
		b.Add(ibid.BlockList, "• "+strings.Join(names[:n], "\n• "))
		names = names[n:]
	}
	return format.Done{}, nil
}
