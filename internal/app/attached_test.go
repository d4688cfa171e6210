package app

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
)

const leasePage = `<html><body><h1>Lease of the mill</h1><p>The mill lies by the river.</p>
<p>The rent of the mill is 1,250 euros a month.</p><p>Notice must be given 90 days ahead.</p></body></html>`

// A file that comes with a question is read, cited and served; it is there after
// a restart, and gone with its thread.
func TestQuestionAboutAnAttachedFile(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	m := p.ask("t1", map[string]any{"input_text": "What is the rent of the mill?",
		"attachments": []map[string]any{{"name": "../mill.html", "mime": "text/html", "data": []byte(leasePage)}}})
	if !strings.Contains(m.Text, "1,250 euros") || len(m.Citations) == 0 {
		t.Fatalf("the answer is %q, steps %+v", m.Text, m.Steps)
	}
	c := m.Citations[0]
	if c.Kind != ibid.SourceAttachment || c.Title != "mill.html" || c.URL != "/v1/messages/"+m.ParentID+"/files/0" || c.DocumentID != m.ParentID+":0" || c.Version != ibid.VersionOf([]byte(leasePage)) {
		t.Errorf("cited is %+v", c)
	}
	resp, err := http.Get(p.url + c.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(body) != leasePage || resp.Header.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the file is served as %v, %d bytes", resp.Header, len(body))
	}
	var user ibid.Message
	_, text := p.call("GET", "/v1/messages/"+m.ParentID, nil, &user)
	if f := user.Request.Attachments; len(f) != 1 || f[0].Name != "mill.html" || f[0].Bytes != int64(len(leasePage)) || f[0].Data != nil {
		t.Errorf("the message says %s", text)
	}

	if err := p.app.Stop(); err != nil {
		t.Fatal(err)
	}
	p = reopenInProcess(t, p.app.cfg)
	m = p.ask("t1", map[string]any{"input_text": "How many days ahead must notice be given for the mill?"})
	if !strings.Contains(m.Text, "90 days") || len(m.Citations) == 0 || m.Citations[0].Kind != ibid.SourceAttachment {
		t.Errorf("after a restart the answer is %q, steps %+v", m.Text, m.Steps)
	}
	if m = p.ask("t2", map[string]any{"input_text": "What is the rent of the mill?"}); strings.Contains(m.Text, "1,250") {
		t.Errorf("another conversation knows the file: %q", m.Text)
	}

	if _, text := p.call("GET", "/v1/inventory", nil, nil); !strings.Contains(text, `"what":"files"`) {
		t.Errorf("the inventory does not list the files: %s", text)
	}
	p.call("DELETE", "/v1/threads/t1", nil, nil)
	if status, _ := p.call("GET", c.URL, nil, nil); status != http.StatusNotFound {
		t.Errorf("the file of a deleted thread answers %d", status)
	}
}

func TestSummaryOfAnAttachedFile(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	m := p.ask("t1", map[string]any{"input_text": "Summarise this document.",
		"attachments": []map[string]any{{"name": "mill.html", "mime": "text/html", "data": []byte(leasePage)}}})
	if !strings.Contains(m.Text, "mill") || !strings.Contains(m.Text, "[c_") {
		t.Errorf("the summary is %q, steps %+v", m.Text, m.Steps)
	}
}

// A model that sees is given the pictures of a question; one that does not is
// told how to read the words on them.
func TestAttachedPicture(t *testing.T) {
	t.Parallel()
	png := []byte("\x89PNG\r\n\x1a\n and so on")
	for _, sees := range []bool{true, false} {
		p := openInProcess(t, func(c *config.Config) { c.Model = "ollama:none" })
		p.app.choices[0].capabilities.Store(&ibid.Capabilities{Images: sees, Tools: true})
		var seen, told bool
		reply := ibidtest.Say("A picture.")
		reply.When = func(r ibid.ModelRequest) bool {
			for _, part := range r.Turns[len(r.Turns)-1].Parts {
				seen = seen || part.Image != nil && bytes.Equal(part.Image.Data, png)
				told = told || strings.Contains(part.Text, "read it with retrieve_file")
			}
			return true
		}
		p.app.choices[0].model = ibidtest.NewScript(reply)
		p.ask("t", map[string]any{"input_text": "What is it?", "think": "off", "attachments": []map[string]any{{"name": "a.png", "mime": "image/png", "data": png}}})
		if seen != sees || told == sees {
			t.Errorf("a model that sees (%v) was shown it: %v, and told: %v", sees, seen, told)
		}
	}
}

func TestAttachmentsAreBounded(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(c *config.Config) { c.Limits.AttachmentMB = 1 })
	many := make([]map[string]any, 11)
	for i := range many {
		many[i] = map[string]any{"name": "a", "data": []byte("x")}
	}
	for want, files := range map[string][]map[string]any{
		"at most 10":         many,
		"limits.attachment":  {{"name": "big", "data": make([]byte, 1<<20+1)}},
		"is empty":           {{"name": "empty"}},
		"not an image that ": {{"name": "x.png", "mime": "image/png", "data": []byte("<svg onload=alert(1)>")}},
	} {
		status, text := p.call("POST", "/v1/threads/t/user_message", map[string]any{"input_text": "q", "attachments": files}, nil)
		if status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%d %s, want 400 with %q", status, text, want)
		}
	}
	if status, _ := p.call("GET", "/v1/messages/none/files/0", nil, nil); status != http.StatusNotFound {
		t.Errorf("a file that is not there answers %d", status)
	}
}

func TestAttachmentsAsAForm(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(c *config.Config) { c.Limits.AttachmentMB = 1 })
	post := func(size int) (int, string) {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		form.WriteField("message", `{"input_text":"What is the rent of the mill?"}`)
		w, err := form.CreateFormFile("file", "mill.txt")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "The rent of the mill is 1,250 euros.\n%s", strings.Repeat("x", size))
		form.Close()
		resp, err := http.Post(p.url+"/v1/threads/t1/user_message", form.FormDataContentType(), &b)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	if status, text := post(3 << 20); status != http.StatusBadRequest || !strings.Contains(text, "larger than 1 MiB") {
		t.Errorf("too large a form answers %d %s", status, text)
	}
	status, text := post(0)
	if status != http.StatusAccepted {
		t.Fatalf("a form answers %d %s", status, text)
	}
	id := text[strings.Index(text, `"user_message_id":"`)+len(`"user_message_id":"`):]
	var user ibid.Message
	p.call("GET", "/v1/messages/"+id[:strings.IndexByte(id, '"')], nil, &user)
	if f := user.Request.Attachments; len(f) != 1 || f[0].Name != "mill.txt" || f[0].Bytes == 0 {
		t.Errorf("the form became %+v", user.Request)
	}
}
