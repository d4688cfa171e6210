package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/config"
	"ibid/internal/document/format"
	"ibid/internal/ibidtest"
	"ibid/internal/ingest"
)

// plates is a second format that has pages and draws them: printing plates, a line of
// text each, divided by zero bytes. A page is drawn as wide as it is asked for, and as
// high as its number.
var plates = format.Format{
	Name: "plates", Label: "Plates", Kind: format.KindPages, Extensions: []string{".plates"}, MIME: []string{"application/x-plates"},
	Begins: func(start []byte) bool { return bytes.HasPrefix(start, []byte("PLATES\x00")) },
	Pages: func(_ context.Context, j format.Job, file io.Reader, out format.Output) error {
		data, err := io.ReadAll(file)
		if err != nil {
			return err
		}
		all := strings.Split(string(data), "\x00")[1:]
		if err := out.Head(format.Head{Format: "plates", Pages: len(all)}); err != nil {
			return err
		}
		for i := j.From; i < len(all); i++ {
			if err := out.Page(format.Page{Number: i + 1, Lines: []format.Line{{Text: all[i]}}}); err != nil {
				return err
			}
		}
		return nil
	},
	Assemble: func(_ format.Head, pages []format.Page, b *format.Builder) (title string) {
		for _, p := range pages {
			b.NewPage()
			for _, l := range p.Lines {
				b.Add(ibid.BlockParagraph, l.Text)
			}
		}
		return "Plates of the harbour"
	},
	Draw: func(_ context.Context, j format.Job, _ io.Reader, out format.Output) error {
		png, err := format.PNG(image.NewGray(image.Rect(0, 0, j.Width, j.Page)))
		return cmp.Or(err, out.Drawing(png))
	},
}

const platesOfHarbour = "PLATES\x00The harbour is entered from the south.\x00The crane of the harbour lifts 40 tonnes.\x00The pilots live on the island."

// Whatever is told apart by having pages asks the format: one more that draws its pages
// is cited at its page from the library, from a conversation and from the web, and shown
// to models that see, and nothing else had to be changed for it.
func TestAScratchFormatWithPagesIsCitedAndDrawn(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(c *config.Config) { c.Formats = withScratch() })
	file := ingest.File{Name: "harbour.plates", Source: "https://harbour.example/all.plates"}
	doc, err := p.app.Pipeline.Add(t.Context(), access.For(ibid.Owner), file, strings.NewReader(platesOfHarbour))
	if err != nil {
		t.Fatal(err)
	}
	p.call("GET", "/v1/documents/"+doc.ID+"/events", nil, nil)

	const question = "How many tonnes does the crane of the harbour lift?"
	m := p.ask("library", map[string]any{"input_text": question})
	if len(m.Citations) == 0 || m.Citations[0].URL != "https://harbour.example/all.plates#page=2" || fmt.Sprint(m.Citations[0].Pages) != "[2]" {
		t.Errorf("of the library it answers %q with %+v", m.Text, m.Citations)
	}
	m = p.ask("attached", map[string]any{"input_text": "How many tonnes does the attached crane of the quay lift?",
		"attachments": []map[string]any{{"name": "quay.plates", "mime": "application/x-plates", "data": []byte("PLATES\x00Nothing.\x00The crane of the quay lifts 12 tonnes.")}}})
	if len(m.Citations) == 0 || m.Citations[0].Kind != ibid.SourceAttachment || !strings.HasSuffix(m.Citations[0].URL, "/files/0#page=2") {
		t.Errorf("of the conversation it answers %q with %+v", m.Text, m.Citations)
	}

	const wide = 320
	_, png := p.call("GET", fmt.Sprintf("/v1/documents/%s/pages/2/image?width=%d", doc.ID, wide), nil, nil)
	if at, _, err := image.DecodeConfig(strings.NewReader(png)); err != nil || at.Width != wide || at.Height != 2 {
		t.Errorf("the second page is drawn as %+v, %v", at, err)
	}
	p.app.choices[0].builtIn = false
	p.app.choices[0].capabilities.Store(&ibid.Capabilities{Images: true, Tools: true})
	when := func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }
	use := func(tool, arguments string) ibidtest.Reply {
		return ibidtest.Reply{When: when, Calls: []ibid.ToolCall{{Name: tool, Arguments: json.RawMessage(arguments)}}}
	}
	answer := ibidtest.Say("It shows a crane.")
	answer.When = when
	p.app.choices[0].model = ibidtest.NewScript(use("search_keywords", `{"query":"crane tonnes"}`), use("view_chunk_image", `{"passage":"c1"}`), answer)
	m = p.ask("seen", map[string]any{"input_text": question, "think": "off", "force_tools": []string{"search_keywords", "view_chunk_image"}})
	if len(m.Steps) != 2 || !m.Steps[1].OK || !strings.Contains(m.Steps[1].Summary, "page 2 of Plates of the harbour") {
		t.Errorf("a model that sees is shown %+v", m.Steps)
	}
}
