package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"

	"ibid/internal/say"
	"ibid/internal/server/api"
)

// Upload is one file on its way to the server.
type Upload struct {
	Name     string // file name, tells the format
	Source   string // absolute path or URL
	Title    string
	Category string
	Tags     []string
	Folder   string
	Password string        // of a protected file
	Sent     func(n int64) // bytes sent so far; may be nil
	// Open returns the content from its beginning, and its length.
	Open func() (io.ReadCloser, int64, error)
}

// Upload sends one file. Sending it again is harmless: the source identifies it.
func (c *Client) Upload(ctx context.Context, u Upload) (api.Uploaded, error) {
	head, tail, kind, err := u.envelope()
	if err != nil {
		return api.Uploaded{}, err
	}
	var file io.ReadCloser
	defer func() {
		if file != nil {
			file.Close()
		}
	}()
	r := request{method: http.MethodPost, path: "/v1/documents", kind: kind, refused: http.StatusUnprocessableEntity}
	r.body = func() (io.Reader, int64, error) {
		if file != nil {
			file.Close()
		}
		var size int64
		if file, size, err = u.Open(); err != nil {
			return nil, 0, err
		}
		content := &countingReader{r: io.LimitReader(file, size), seen: u.Sent}
		whole := io.MultiReader(bytes.NewReader(head), content, bytes.NewReader(tail))
		return whole, int64(len(head)) + size + int64(len(tail)), nil
	}
	var result api.Uploads
	if err := c.call(ctx, r, &result); err != nil {
		return api.Uploaded{}, err
	}
	if len(result.Errors) > 0 {
		return api.Uploaded{}, result.Errors[0].Err()
	}
	if len(result.Documents) != 1 {
		return api.Uploaded{}, fmt.Errorf("upload %s: the server named %d documents for one file", u.Name, len(result.Documents))
	}
	return result.Documents[0], nil
}

// envelope is what stands before and after the file's bytes in the request, so
// that its length is known before it is sent.
func (u Upload) envelope() (head, tail []byte, kind string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if _, err := u.begin(w); err != nil {
		return nil, nil, "", err
	}
	split := b.Len()
	if err := w.Close(); err != nil {
		return nil, nil, "", fmt.Errorf("upload %s: %w", u.Name, err)
	}
	return b.Bytes()[:split], b.Bytes()[split:], w.FormDataContentType(), nil
}

// begin writes what is said of the file, and begins the part of its bytes.
func (u Upload) begin(w *multipart.Writer) (content io.Writer, err error) {
	meta, err := json.Marshal(api.File{Name: u.Name, Source: u.Source, Title: u.Title, Category: u.Category, Folder: u.Folder, Tags: u.Tags, Password: u.Password})
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", u.Name, err)
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="meta"`}, "Content-Type": {"application/json"},
	})
	if err == nil {
		_, err = part.Write(meta)
	}
	if err == nil {
		content, err = w.CreateFormFile("file", say.OneLine(u.Name, 0)) // a header takes no control characters
	}
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", u.Name, err)
	}
	return content, nil
}

// SmallUpload is a file that is sent together with others, from memory.
type SmallUpload struct {
	Upload
	Data []byte
}

// uploadOutcome is what became of one file of several.
type uploadOutcome struct {
	api.Uploaded
	Err error
}

// UploadSmall sends several files in one request and returns what became of each,
// in their order. Their sources must differ.
func (c *Client) UploadSmall(ctx context.Context, files []SmallUpload) ([]uploadOutcome, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		content, err := f.begin(w)
		if err == nil {
			_, err = content.Write(f.Data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("upload %s: %w", say.Count(len(files), "file"), err)
	}
	r := request{method: http.MethodPost, path: "/v1/documents", kind: w.FormDataContentType(), refused: http.StatusUnprocessableEntity}
	r.body = func() (io.Reader, int64, error) { return bytes.NewReader(b.Bytes()), int64(b.Len()), nil }
	var result api.Uploads
	if err := c.call(ctx, r, &result); err != nil {
		return nil, err
	}
	if len(result.Documents)+len(result.Errors) != len(files) {
		return nil, fmt.Errorf("upload %s: the server took %d and refused %d", say.Count(len(files), "file"), len(result.Documents), len(result.Errors))
	}
	// Both lists are in the order of the files: those that aren't among the documents
	// are the refused ones.
	outcomes := make([]uploadOutcome, len(files))
	for i, f := range files {
		switch {
		case len(result.Documents) > 0 && result.Documents[0].Source == f.Source:
			outcomes[i].Uploaded, result.Documents = result.Documents[0], result.Documents[1:]
		case len(result.Errors) > 0:
			outcomes[i].Err, result.Errors = result.Errors[0].Err(), result.Errors[1:]
		default:
			return nil, fmt.Errorf("upload %s: the server named another file", f.Name)
		}
	}
	return outcomes, nil
}

// countingReader tells how much of it has been read.
type countingReader struct {
	r    io.Reader
	n    int64
	seen func(int64)
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.seen != nil && n > 0 {
		c.seen(c.n)
	}
	return n, err
}
