package fetch

import (
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
)

// contentType is what a body is. The server is believed, save where the first
// bytes plainly are something else, or it has not said.
func contentType(declared string, body []byte) string {
	kind, _, err := mime.ParseMediaType(declared)
	sniffed, _, _ := mime.ParseMediaType(http.DetectContentType(body))
	plain := sniffed == "text/plain" || sniffed == "application/octet-stream"
	switch {
	case err != nil || kind == "application/octet-stream":
		return sniffed
	case !plain && sniffed != "text/xml" && sniffed != "application/zip" && strings.HasPrefix(kind, "text/") != strings.HasPrefix(sniffed, "text/"):
		return sniffed // a PDF that is called text, a page that is called a PDF
	}
	return kind
}

// fileName makes up a file name from what the server says, else from the URL. An
// ending that tells the format is added where there is none.
func fileName(resp *http.Response, kind string, endings map[string][]string) string {
	name := path.Base(resp.Request.URL.Path)
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil && params["filename"] != "" {
		name = path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	}
	if name == "" || name == "." || name == "/" || name == ".." {
		name = resp.Request.URL.Hostname()
	}
	ending := strings.ToLower(path.Ext(name))
	if wanted := endings[kind]; len(wanted) > 0 && !slices.Contains(wanted, ending) {
		return name + wanted[0]
	}
	if ending == "" && kind == "text/plain" {
		return name + ".txt"
	}
	return name
}
