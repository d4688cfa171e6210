package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// house is a running server and its data directory.
type house struct {
	url  string
	data string
	cmd  *exec.Cmd
}

const (
	firstTerms = `# Terms of sale

## Warranty

The warranty lasts two years from the day of delivery. It does not cover damage by water.

## Delivery

Goods are delivered within ten working days. The buyer pays for the transport.
`
	faq = `<!doctype html><html><head><title>Questions that we are asked</title></head><body>
<h1>Questions that we are asked</h1><h2>Returns</h2><p>Goods can be returned within thirty days. A refund is paid to the card that was used.</p>
</body></html>
`
)

// live lets a server live for a while and keeps its data directory in dir/data.
func live(ibid, dir string, kill bool) error {
	h := &house{data: filepath.Join(dir, "data")}
	if err := os.MkdirAll(h.data, 0o700); err != nil {
		return err
	}
	if err := h.start(ibid); err != nil {
		return err
	}
	defer func() { h.cmd.Process.Kill() }()
	if err := h.work(); err != nil {
		return err
	}
	if kill {
		// All but a little is in the database, so that the log is small.
		if err := h.end(false); err != nil {
			return err
		}
		if err := h.start(ibid); err != nil {
			return err
		}
		if err := h.addAll(map[string]string{"animals/heron.txt": "The heron stands on one leg.\n"}); err != nil {
			return err
		}
		if err := h.ask("heron", "On how many legs does the heron stand?", nil); err != nil {
			return err
		}
	}
	expected, err := h.expected()
	if err != nil {
		return err
	}
	if err := h.end(kill); err != nil {
		return err
	}
	body, err := json.MarshalIndent(expected, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "expected.json"), append(body, '\n'), 0o644)
}

func (h *house) start(ibid string) error {
	abs, err := filepath.Abs(ibid)
	if err != nil {
		return err
	}
	h.cmd = exec.Command(abs, "serve", "--addr", "127.0.0.1:0")
	h.cmd.Dir = filepath.Dir(h.data)
	h.cmd.Env = append(os.Environ(), "HOME="+h.data, "IBID_DATA="+h.data, "IBID_CONFIG=", "XDG_DATA_HOME=", "XDG_CONFIG_HOME=")
	h.cmd.Stderr = os.Stderr
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := h.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at := regexp.MustCompile(`listening on (http://\S+)`).FindStringSubmatch(lines.Text()); at != nil {
			h.url = at[1]
			go io.Copy(io.Discard, out)
			return nil
		}
	}
	return fmt.Errorf("the server does not start: %w", h.cmd.Wait())
}

// end stops the server, or kills it.
func (h *house) end(kill bool) error {
	if kill {
		if err := h.cmd.Process.Kill(); err != nil {
			return err
		}
		h.cmd.Wait() // says that it was killed
		if info, err := os.Stat(filepath.Join(h.data, "ibid.db-wal")); err != nil || info.Size() == 0 {
			return fmt.Errorf("the server left no log: %v", err)
		}
		return nil
	}
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return h.cmd.Wait()
}

// work fills the library. What an older ibid lacks (archives, attachments,
// databases) is left out of its directory.
func (h *house) work() error {
	if err := h.addAll(map[string]string{"contracts/terms.md": firstTerms, "faq.html": faq, "animals/walrus.txt": "The walrus sleeps on the ice.\n", "gone.txt": "The dodo is extinct.\n"}); err != nil {
		return err
	}
	if err := h.ask("warranty", "How long does the warranty last?", nil); err != nil {
		return err
	}
	if err := h.ask("warranty", "What does it not cover?", nil); err != nil {
		return err
	}
	if err := h.addAll(map[string]string{"contracts/terms.md": strings.Replace(firstTerms, "two years", "three years", 1)}); err != nil {
		return err
	}
	if err := h.ask("warranty-again", "How long does the warranty last?", nil); err != nil {
		return err
	}
	if err := h.remove("gone.txt"); err != nil {
		return err
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"lease.txt": "The notice period is three months.\n", "house/rules.txt": "Bicycles stay in the cellar.\n"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := h.addAll(map[string]string{"flat.zip": archive.String()}); err != nil {
		return err
	}
	attached := []map[string]any{{"name": "minutes.txt", "mime": "text/plain", "data": []byte("The meeting was moved to Friday. Anna takes the minutes.\n")}}
	if err := h.ask("attached", "When is the meeting?", attached); err != nil {
		return err
	}
	// Older ones have no databases.
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	w, err := parts.CreateFormFile("file", "sales.csv")
	if err != nil {
		return err
	}
	io.WriteString(w, "region,amount\nnorth,3\nsouth,4\n")
	parts.Close()
	if err := h.call("POST", "/v1/databases", parts.FormDataContentType(), &form, nil); err != nil {
		log.Printf("no database: %v", err)
	}
	return nil
}

// addAll adds texts by their paths in the library, and waits until they are read.
// The same path again is a new version.
func (h *house) addAll(texts map[string]string) error {
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	for path, text := range texts {
		meta, err := json.Marshal(map[string]string{"source": "https://example.org/" + path, "folder": strings.TrimPrefix(filepath.Dir(path), ".")})
		if err != nil {
			return err
		}
		if err := parts.WriteField("meta", string(meta)); err != nil {
			return err
		}
		w, err := parts.CreateFormFile("file", filepath.Base(path))
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			return err
		}
	}
	if err := parts.Close(); err != nil {
		return err
	}
	if err := h.call("POST", "/v1/documents", parts.FormDataContentType(), &form, nil); err != nil {
		return err
	}
	return until(func() (bool, error) {
		docs, err := h.documents()
		return !slices.ContainsFunc(docs, func(d Document) bool { return d.Status != "ready" && d.Status != "failed" }), err
	})
}

func (h *house) remove(name string) error {
	docs, err := h.documents()
	if err != nil {
		return err
	}
	for _, d := range docs {
		if d.Name == name {
			return h.call("DELETE", "/v1/documents/"+d.ID, "", nil, nil)
		}
	}
	return fmt.Errorf("there is no %s", name)
}

// ask asks in a conversation and waits for the answer.
func (h *house) ask(thread, question string, attachments []map[string]any) error {
	body, err := json.Marshal(map[string]any{"input_text": question, "attachments": attachments})
	if err != nil {
		return err
	}
	var accepted struct {
		MessageID string `json:"message_id"`
	}
	if err := h.call("POST", "/v1/threads/"+thread+"/user_message", "application/json", bytes.NewReader(body), &accepted); err != nil {
		return err
	}
	return until(func() (bool, error) {
		var m Message
		err := h.call("GET", "/v1/messages/"+accepted.MessageID, "", nil, &m)
		return m.Status != "queued" && m.Status != "running" && m.Status != "", err
	})
}

// until looks again and again, for a minute at most.
func until(done func() (bool, error)) error {
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if ok, err := done(); ok || err != nil {
			return err
		}
	}
	return fmt.Errorf("nothing happens any more")
}

func (h *house) documents() ([]Document, error) {
	var all []Document
	err := h.list("/v1/documents?", func(page []byte) error {
		var said struct{ Documents []Document }
		err := json.Unmarshal(page, &said)
		all = append(all, said.Documents...)
		return err
	})
	return all, err
}

// list reads every page of a list; that of an older ibid has one.
func (h *house) list(path string, each func(page []byte) error) error {
	for cursor := ""; ; {
		var page json.RawMessage
		if err := h.call("GET", path+"&cursor="+url.QueryEscape(cursor), "", nil, &page); err != nil {
			return err
		}
		if err := each(page); err != nil {
			return err
		}
		var more struct{ Next string }
		if err := json.Unmarshal(page, &more); err != nil || more.Next == "" {
			return err
		}
		cursor = more.Next
	}
}

func (h *house) expected() (Expected, error) {
	var e Expected
	var err error
	if e.Documents, err = h.documents(); err != nil {
		return e, err
	}
	err = h.list("/v1/threads?", func(page []byte) error {
		var said struct{ Threads []Thread }
		err := json.Unmarshal(page, &said)
		e.Threads = append(e.Threads, said.Threads...)
		return err
	})
	if err != nil {
		return e, err
	}
	for i := range e.Threads {
		t := &e.Threads[i]
		err := h.list("/v1/threads/"+t.ID+"/messages?all=true", func(page []byte) error {
			var said struct{ Messages []Message }
			err := json.Unmarshal(page, &said)
			t.Messages = append(said.Messages, t.Messages...) // pages come newest first
			return err
		})
		if err != nil {
			return e, err
		}
		for j := range t.Messages {
			for _, c := range t.Messages[j].Citations {
				if c.Kind != "" {
					continue // not of a document
				}
				var said struct{ Text string }
				if err := h.call("GET", "/v1/documents/"+c.DocumentID+"/text?version="+c.Version, "", nil, &said); err != nil {
					return e, err
				}
				c.Words = said.Text[c.Start:c.End]
				e.Footnotes = append(e.Footnotes, c)
			}
			t.Messages[j].Citations = nil
		}
	}
	if len(e.Footnotes) == 0 {
		return e, fmt.Errorf("no answer has a footnote")
	}
	var databases struct{ Databases []struct{ Name string } }
	if h.call("GET", "/v1/databases", "", nil, &databases) == nil { // an older ibid has none
		for _, d := range databases.Databases {
			e.Databases = append(e.Databases, d.Name)
		}
	}
	return e, nil
}

func (h *house) call(method, path, kind string, body io.Reader, into any) error {
	req, err := http.NewRequest(method, h.url+path, body)
	if err != nil {
		return err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	said, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 && res.StatusCode != http.StatusUnprocessableEntity {
		return fmt.Errorf("%s %s: %s: %.200s", method, path, res.Status, said)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(said, into)
}
