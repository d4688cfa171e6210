package format

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"ibid/internal/document/charset"
	"ibid/internal/document/zipfile"
)

// List are the formats that are read, in the order in which they are tried.
type List []Format

// Plain is the name of the format of a text that nothing recognises.
const Plain = "text"

// Named returns the format of a name, one that nothing is known of for any other.
func (l List) Named(name string) Format {
	if i := slices.IndexFunc(l, func(f Format) bool { return f.Name == name }); i >= 0 {
		return l[i]
	}
	return Format{Name: name, Kind: KindText}
}

// Read returns the formats that are read.
func (l List) Read() List {
	return slices.DeleteFunc(slices.Clone(l), func(f Format) bool { return f.Refuse != nil })
}

// Endings are what names of files end with, by media type; the first is the usual one.
// Of archives and of plain texts there are none: many other kinds of files are called
// so by those who serve them.
func (l List) Endings() map[string][]string {
	endings := map[string][]string{}
	for _, f := range l.Read() {
		for _, kind := range f.MIME {
			if f.Kind != KindArchive && f.Name != Plain && endings[kind] == nil {
				endings[kind] = f.Extensions
			}
		}
	}
	return endings
}

// Holding reports whether other files lie in files of a format.
func (l List) Holding(name string) bool { return l.Named(name).Members != nil }

// Drawn reports whether files of a format have pages that can be drawn, so that an
// address may lead to one of them.
func (l List) Drawn(name string) bool { return l.Named(name).Draw != nil }

// isText reports whether a format is recognised as a text alone.
func (f Format) isText() bool { return f.Begins == nil && f.Zipped == nil }

// HasExtension reports whether a file name ends as those of the format do.
func (f Format) HasExtension(name string) bool {
	return slices.Contains(f.Extensions, strings.ToLower(path.Ext(name)))
}

// Detect decides how a file is read: by what it contains, then by what the caller
// says (hint, the name of a format), then by its name. start are the first
// charset.SampleSize bytes of it. What is a zip file still has to be looked into: Unzipped.
func (l List) Detect(start []byte, name, hint string) (Format, error) {
	for _, f := range l {
		if f.Begins != nil && f.Begins(start) {
			return f, nil
		}
	}
	if err := refuseBinaries(start); err != nil {
		return Format{}, err
	}
	for _, f := range l {
		if f.Mistaken != nil {
			if err := f.Mistaken(start, name); err != nil {
				return Format{}, err
			}
		}
	}
	if charset.IsBinary(start) {
		return Format{}, refuseBinary("a binary file of an unknown kind")
	}
	if strings.TrimSpace(Clean(charset.Decode(start, charset.SampleSize))) == "" && len(start) < charset.SampleSize {
		return Format{}, Refuse("there is no text in the file")
	}
	return l.ofText(start, name, hint), nil
}

// ofText decides between the formats that are text.
func (l List) ofText(start []byte, name, hint string) Format {
	for _, fits := range []func(Format) bool{
		func(f Format) bool { return f.Looks != nil && f.Looks(start) },
		func(f Format) bool { return f.Name == hint && f.isText() },
		func(f Format) bool { return f.Named != nil && f.Named(name) },
		func(f Format) bool { return f.isText() && f.HasExtension(name) },
	} {
		if i := slices.IndexFunc(l, fits); i >= 0 {
			return l[i]
		}
	}
	return l.Named(Plain)
}

// Unzipped decides what a zip file is: one of the formats that are zip files, or
// else f, which Detect found.
func (l List) Unzipped(z *zipfile.File, f Format) Format {
	for _, zipped := range l {
		if zipped.Zipped != nil && zipped.Zipped(z) {
			return zipped
		}
	}
	return f
}

// IsZip reports whether a file is a zip file.
func IsZip(start []byte) bool { return bytes.HasPrefix(start, []byte("PK\x03\x04")) }
