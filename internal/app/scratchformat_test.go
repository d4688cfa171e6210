package app

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/document"
	"ibid/internal/document/format"
	"ibid/internal/server/api"
)

// cards is a format that the program knows nothing of but its line in the list: boxes
// of index cards, each a heading and a text, divided by zero bytes. A card that is a
// file lies in the box.
var cards = format.Format{
	Name: "cards", Label: "Card box", Kind: format.KindBook, Extensions: []string{".box"}, MIME: []string{"application/x-cards"},
	Begins: func(start []byte) bool { return bytes.HasPrefix(start, []byte("CARDS\x00")) },
	Read: func(b *format.Builder, f format.File) (format.Done, error) {
		for card := range bytes.SplitSeq(f.Data[len("CARDS\x00"):], []byte{0}) {
			if heading, words, _ := strings.Cut(string(card), "\n"); !strings.HasPrefix(heading, "file ") {
				b.Heading(1, heading)
				b.Add(ibid.BlockParagraph, words)
			}
		}
		return format.Done{}, nil
	},
	NoTitle: func(heading string) bool { return heading == "Kestrel" },
	Members: func(f format.File, u *format.Unpacker) error {
		for card := range bytes.SplitSeq(f.Data, []byte{0}) {
			heading, words, _ := strings.Cut(string(card), "\n")
			if name, ok := strings.CutPrefix(heading, "file "); ok {
				if err := u.Send(name, strings.NewReader(words)); err != nil {
					return err
				}
			}
		}
		return nil
	},
}

// withScratch are the formats that the workers of this package's tests read.
func withScratch() format.List { return append(format.List{cards, plates}, document.Formats()...) }

const boxOfCards = "CARDS\x00Kestrel\nThe kestrel hovers at a height of 20 metres.\x00Osprey\nThe osprey eats nothing but fish.\x00" +
	"file heron.txt\nThe heron stands still for an hour before it strikes.\n"

// A format is one line in the list. A scratch format is read, unpacked, searched, listed
// for the page, cited and read as an attachment, and nothing else had to be changed for it.
func TestAScratchFormatNeedsItsLineInTheListOnly(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(c *config.Config) { c.Formats = withScratch() })
	p.addText("birds.box", boxOfCards)
	p.addText("trees.md", "# Trees\n\nThe oak drops its leaves late.\n")

	var listed struct{ Documents []ibid.Document }
	p.call("GET", "/v1/documents?sort=name", nil, &listed)
	for _, d := range listed.Documents { // what lay in the box is read after it
		p.call("GET", "/v1/documents/"+d.ID+"/events", nil, nil)
	}
	listed.Documents = nil
	p.call("GET", "/v1/documents?sort=name", nil, &listed)
	var names []string
	for _, d := range listed.Documents {
		names = append(names, strings.Join([]string{d.Name, d.Format, d.Title, string(d.Status)}, ", "))
	}
	slices.Sort(names)
	if want := []string{"birds.box, cards, birds.box, ready", "heron.txt, text, heron.txt, ready", "trees.md, markdown, Trees, ready"}; !slices.Equal(names, want) {
		t.Fatalf("the list is %q, want %q", names, want)
	}
	var formats api.Formats
	p.call("GET", "/v1/formats", nil, &formats)
	if i := slices.IndexFunc(formats.Formats, func(f api.Format) bool { return f.Name == "cards" }); i < 0 {
		t.Errorf("the page is told of %+v", formats)
	} else if f := formats.Formats[i]; f.Label != "Card box" || f.Kind != "book" || !f.Holds || f.Drawn || !slices.Equal(f.Extensions, []string{".box"}) {
		t.Errorf("the page is told %+v", f)
	}
	if slices.ContainsFunc(formats.Formats, func(f api.Format) bool { return f.Name == "ole" }) {
		t.Error("a format that is not read is listed")
	}

	for question, said := range map[string]string{
		"What does the osprey eat?":                   "nothing but fish",
		"What does birds.box say about the kestrel?":  "20 metres",
		"How long does the heron stand still before?": "for an hour",
	} {
		m := p.ask(ibid.VersionOf([]byte(question)), map[string]any{"input_text": question})
		if !strings.Contains(m.Text, said) || len(m.Citations) == 0 {
			t.Errorf("%s: answered %q with %+v", question, m.Text, m.Citations)
		}
	}
	question := map[string]any{"input_text": "What does plants.box say about the yew?",
		"attachments": []map[string]any{{"name": "plants.box", "mime": "application/x-cards", "data": []byte("CARDS\x00Yew\nThe yew may grow for 2,000 years.")}}}
	m := p.ask("attached", question)
	if !strings.Contains(m.Text, "2,000 years") || len(m.Citations) == 0 || m.Citations[0].Kind != ibid.SourceAttachment || m.Citations[0].Title != "plants.box" {
		t.Errorf("answered %q with %+v after %+v", m.Text, m.Citations, m.Steps)
	}
	var said ibid.Extract
	if status, text := p.call("GET", "/v1/messages/"+m.ParentID+"/files/0/text", nil, &said); status != http.StatusOK || said.Format != "cards" || said.Title != "Yew" {
		t.Errorf("the attached file is %d %s", status, text)
	}
	if endings := p.app.formats().Endings()["application/x-cards"]; !slices.Equal(endings, []string{".box"}) {
		t.Errorf("what is fetched as cards gets the ending %q", endings)
	}
}
