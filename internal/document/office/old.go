package office

import (
	"bytes"
	"io"
	"path"
	"strings"

	"ibid/internal/document/format"
	"ibid/internal/document/zipfile"
)

// Old is recognised to say why it is not read.
func Old() format.Format {
	return format.Format{
		Name: "ole", Label: "Office before 2007", Kind: format.KindText, Refuse: refuseOldOffice,
		Begins: func(start []byte) bool { return bytes.HasPrefix(start, []byte(oldOffice)) },
	}
}

// oldOffice is how the files begin that Office wrote before 2007, those it
// encrypts, and those of Outlook.
const oldOffice = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

// refuseOldOffice tells them apart by their names and by a part that encrypted
// files have, whose name is in UTF-16.
func refuseOldOffice(r io.Reader, fileName string) error {
	var name strings.Builder
	for _, c := range "EncryptedPackage" {
		name.WriteRune(c)
		name.WriteByte(0)
	}
	if zipfile.StreamContains(r, name.String()) {
		return format.RefuseHint("this Office file needs a password", "remove the password")
	}
	switch strings.ToLower(path.Ext(fileName)) {
	case ".msg":
		return format.RefuseHint("this is a message of Outlook", "save it as .eml")
	case ".msi":
		return format.Refuse("this is a program, not text")
	}
	return format.RefuseHint("this is an Office file of the kind before 2007", "save it as DOCX, XLSX or PPTX")
}
