package app

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
)

const letter = `Dear Ms Okafor,

thank you for your letter of 3 March. The deposit of 2,400 euros is returned within 30 days after the keys are handed over.

The final reading of the electricity meter takes place on 28 April.
`

// rentalHandbook is a document of the library that a question about the letter is
// easily answered from by mistake.
const rentalHandbook = "# Rental handbook\n\nThe deposit is returned within 90 days in most cases. A deposit may be three months of rent.\n"

func attachedLetter(question string) map[string]any {
	return map[string]any{"input_text": question, "attachments": []map[string]any{{"name": "letter.txt", "mime": "text/plain", "data": []byte(letter)}}}
}

// A short text that comes with a question is quoted with footnotes that name it,
// whatever the library says beside it.
func TestAttachedTextIsCited(t *testing.T) {
	t.Parallel()
	for name, library := range map[string]string{"no library": "", "a library": rentalHandbook} {
		t.Run(name, func(t *testing.T) {
			p := openInProcess(t, func(*config.Config) {})
			if library != "" {
				p.addText("handbook.md", library)
			}
			for question, said := range map[string]string{
				"How many euros is the deposit of Ms Okafor?":                           "2,400 euros",
				"Within how many days is the deposit returned according to the letter?": "30 days",
				"Summarise the attached letter.":                                        "28 April",
				"What is in letter.txt?":                                                "30 days",
				"tl;dr":                                                                 "2,400 euros",
			} {
				m := p.ask(ibid.VersionOf([]byte(question)), attachedLetter(question))
				if !strings.Contains(m.Text, said) || strings.Contains(m.Text, "90 days") || len(m.Citations) == 0 {
					t.Errorf("%s: the answer is %q, steps %+v", question, m.Text, m.Steps)
					continue
				}
				for _, c := range m.Citations {
					if c.Kind != ibid.SourceAttachment || c.DocumentID != m.ParentID+":0" || c.Version != ibid.VersionOf([]byte(letter)) ||
						c.Title != "letter.txt" || c.URL != "/v1/messages/"+m.ParentID+"/files/0" {
						t.Errorf("%s: cited is %+v", question, c)
					}
				}
				for _, line := range strings.Split(m.Text, "\n") {
					if strings.HasPrefix(line, ">") && !strings.Contains(line, "[c_") {
						t.Errorf("%s: %s has no footnote", question, line)
					}
				}
				if v := m.Verification; v == nil || v.ClaimsChecked == 0 || v.ClaimsSupported != v.ClaimsChecked {
					t.Errorf("%s: verified %+v", question, v)
				}
			}
		})
	}
}

// What the letter does not say is looked for in the library, and a document of the
// library that is asked for by its name is not displaced by the letter.
func TestAttachedTextBesideTheLibrary(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	p.addText("handbook.md", rentalHandbook)
	for question, said := range map[string]string{
		"How many months of rent may a deposit be?": "three months of rent",
		"Summarise the rental handbook":             "90 days",
	} {
		m := p.ask(ibid.VersionOf([]byte(question)), attachedLetter(question))
		if !strings.Contains(m.Text, said) || len(m.Citations) == 0 {
			t.Errorf("%s: the answer is %q, steps %+v", question, m.Text, m.Steps)
		}
	}
}

// The files of a conversation are found by a search in it, in both modes, and by
// none outside of it.
func TestFilesAreSearchedInTheirConversation(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	p.addText("handbook.md", rentalHandbook)
	p.ask("t1", attachedLetter("Hello"))
	for _, mode := range []string{"direct", "agentic"} {
		const question = "When does the final reading of the electricity meter take place?"
		ask := func(thread string, scope map[string]any) ibid.Message {
			return p.ask(thread, map[string]any{"input_text": question, "mode": mode, "scope": scope})
		}
		m := ask("t1", nil)
		if !strings.Contains(m.Text, "28 April") || len(m.Citations) == 0 || m.Citations[0].Kind != ibid.SourceAttachment {
			t.Errorf("%s: the answer is %q, steps %+v", mode, m.Text, m.Steps)
		}
		if m.Finished.Cached {
			t.Errorf("%s: the answer came from the cache", mode)
		}
		if m = ask("other-"+mode, nil); strings.Contains(m.Text, "28 April") || m.Finished.Cached {
			t.Errorf("%s: another conversation is told %q", mode, m.Text)
		}
	}
	m := p.ask("t1", map[string]any{"input_text": "When does the final reading take place?", "mode": "direct", "scope": map[string]any{"folder": "elsewhere"}})
	if strings.Contains(m.Text, "28 April") {
		t.Errorf("limited to a folder, the answer is %q", m.Text)
	}
	for _, path := range []string{"/v1/search?q=electricity+meter", "/v1/documents"} {
		if _, text := p.call("GET", path, nil, nil); strings.Contains(text, "letter.txt") || strings.Contains(text, "28 April") {
			t.Errorf("%s shows the file: %s", path, text)
		}
	}
}

// The text of a file is read when it is first asked for, and its bytes are served
// in ranges, as a viewer of PDF asks for them.
func TestTextOfAnAttachedFile(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	pdf, err := os.ReadFile(filepath.Join(ibidtest.Documents(t), "pdf", "crazyones-pdfa.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	m := p.ask("t1", map[string]any{"input_text": "Hello", "attachments": []map[string]any{
		{"name": "letter.txt", "mime": "text/plain", "data": []byte(letter)}, {"name": "a.pdf", "mime": "application/pdf", "data": pdf},
		{"name": "x.bin", "mime": "application/octet-stream", "data": []byte("\x00\x01\x02\xff\xfe\x00")}}})
	base := "/v1/messages/" + m.ParentID + "/files/"
	for range 2 {
		var x ibid.Extract
		if status, text := p.call("GET", base+"0/text", nil, &x); status != http.StatusOK || !strings.Contains(x.Text, "within 30 days") || len(x.Blocks) == 0 {
			t.Errorf("the letter says %d %s", status, text)
		}
		if status, text := p.call("GET", base+"1/text", nil, &x); status != http.StatusOK || x.Pages == 0 || len(x.PageAt) != x.Pages || x.Format != "pdf" {
			t.Errorf("the PDF says %d %.200s", status, text)
		}
	}
	for path, want := range map[string]int{base + "2/text": http.StatusBadRequest, base + "3/text": http.StatusNotFound,
		base + "x/text": http.StatusBadRequest, "/v1/messages/none/files/0/text": http.StatusNotFound} {
		if status, text := p.call("GET", path, nil, nil); status != want {
			t.Errorf("%s answers %d %s, want %d", path, status, text, want)
		}
	}

	req, err := http.NewRequest("GET", p.url+base+"1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Range", "bytes=5-9")
	req.Header.Set("If-Range", `"`+ibid.VersionOf(pdf)+`"`)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if part, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusPartialContent || string(part) != string(pdf[5:10]) || resp.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("a range is answered %d %q %v", resp.StatusCode, part, resp.Header)
	}
}
