package document

import (
	"errors"
	"strings"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// zipFile is a zip file with what readers of Office files ask of one.
type zipFile struct{ *zipfile.File }

func openZip(data []byte) (*zipFile, error) {
	z, err := zipfile.Open(data, charset.XML)
	if err != nil {
		return nil, refused(err)
	}
	return &zipFile{z}, nil
}

// refused makes an error for the user of what a zip file is refused for.
func refused(err error) error {
	var refusal *zipfile.Refusal
	if errors.As(err, &refusal) {
		return refuseHint(refusal.Message, refusal.Hint)
	}
	return err
}

// partError tells what the failure of a part means for the file: a notice where
// something was read, an error where nothing was.
func partError(b *builder, err error) (notice string, fatal error) {
	err = refused(err)
	var known *ibid.Error
	switch {
	case err == nil || b.err != nil:
		return "", nil
	case errors.As(err, &known):
		return "", err
	case errors.Is(err, zipfile.ErrTooLarge):
		return beginningOnly + err.Error(), nil
	}
	return beginningOnly + "the file is damaged", nil
}

// zipFormat tells what kind of document a zip file is.
func (z *zipFile) format() string {
	switch mime, _ := z.Read("mimetype", 200); strings.TrimSpace(string(mime)) {
	case "application/epub+zip":
		return formatEPUB
	case "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template":
		return formatODT
	case "application/vnd.oasis.opendocument.spreadsheet":
		return formatODS
	case "application/vnd.oasis.opendocument.presentation":
		return formatODP
	}
	if z.Has("[Content_Types].xml") || z.Has("_rels/.rels") {
		switch main := ooxml.MainPart(z); {
		case strings.HasPrefix(main, "word/"):
			return formatDOCX
		case strings.HasPrefix(main, "ppt/"):
			return formatPPTX
		case strings.HasPrefix(main, "xl/"):
			return formatXLSX
		}
	}
	if z.Has("META-INF/container.xml") && !z.Has("META-INF/MANIFEST.MF") {
		return formatEPUB
	}
	return formatZip
}
