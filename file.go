package ibid

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Attachment is a file or an image that came with a question. Data is set on its
// way in and where it was asked for; a message names its files without it.
type Attachment struct {
	Name       string `json:"name"`
	MIME       string `json:"mime"`
	Bytes      int64  `json:"bytes,omitempty"`
	Data       []byte `json:"data,omitempty"`
	DocumentID string `json:"document_id,omitempty"`
}

// File is a file of a message: one that came with a question, or a picture that
// an answer made.
type File struct {
	MessageID string `json:"message_id"`
	N         int    `json:"n"`                 // place within the message, from 0
	Version   string `json:"version,omitempty"` // VersionOf its bytes; "" where they were not at hand
	Attachment
}

// VersionOf is the hash of a file's bytes by which its versions are told apart,
// those of documents and those of attachments alike: the first 32 hex digits of
// their SHA-256.
func VersionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// ID names the file to a model, and is the DocumentID of what is cited from it:
// "<message id>:<n>".
func (f File) ID() string { return fmt.Sprintf("%s:%d", f.MessageID, f.N) }

// URL is where the file is served.
func (f File) URL() string { return fmt.Sprintf("/v1/messages/%s/files/%d", f.MessageID, f.N) }
