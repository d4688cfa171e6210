package metadata

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/ibidtest"
)

// filtered runs a text through the filter in the given pieces.
func filtered(pieces ...string) (text string, sources []ibid.Source) {
	var f Filter
	for _, p := range pieces {
		text += f.Write(p)
	}
	text += f.Close()
	return text, f.Sources()
}

var metadataCases = []struct {
	name, in, want string
	urls           []string
}{
	{"nothing", "Plain answer.", "Plain answer.", nil},
	{"comment at the end", "Answer.\n\n<!-- METADATA:\n{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example/x\"}]}\n-->\n", "Answer.", []string{"https://a.example/x"}},
	{"tight and lower case", "Answer.<!--metadata:{\"sources\":[{\"title\":\"A\",\"url\":\"https://a.example\"}]}-->", "Answer.", []string{"https://a.example"}},
	{"bare", "Answer.\n{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example\"}, {\"title\": \"B\", \"url\": \"http://b.example\"}]}", "Answer.", []string{"https://a.example", "http://b.example"}},
	{"bare over lines", "Answer.\n{\n  \"sources\": [\n    {\"title\": \"A {x}\", \"url\": \"https://a.example\"}\n  ]\n}\n\n", "Answer.", []string{"https://a.example"}},
	{"bare, then comment: the comment wins", "Answer.\n{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example\"}]}\n<!-- METADATA: {\"sources\": [{\"title\": \"B\", \"url\": \"https://b.example\"}]} -->", "Answer.", []string{"https://b.example"}},
	{"no sources named", "Answer.\n<!-- METADATA: {\"sources\": []} -->", "Answer.", nil},
	{"history imitated at the start", "<!-- METADATA: {\"timestamp\":\"2024-06-15 14:30 CET\"} -->\nAnswer.", "Answer.", nil},
	{"what is no web page is not named", "Answer.\n<!-- METADATA: {\"sources\": [{\"title\":\"x\",\"url\":\"javascript:alert(1)\"},{\"url\":\"https://a.example\"}]} -->", "Answer.", []string{"https://a.example"}},
	{"broken JSON in a comment of ours is not shown", "Answer.\n<!-- METADATA: {\"sources\": [,]} -->", "Answer.", nil},
	{"cut off within the comment", "Answer.\n<!-- METADATA: {\"sources\": [{\"ti", "Answer.", nil},
	{"cut off within the first words", "Answer.\n<!-- META", "Answer.", nil},
	{"cut off within the bare object", "Answer.\n{\"sources\": [{\"title\": \"A\"", "Answer.", nil},
	{"another comment shows", "<p>\n<!-- a comment: {\"sources\": []} -->\n</p>", "<p>\n<!-- a comment: {\"sources\": []} -->\n</p>", nil},
	{"METADATA without an object shows", "Write <!-- METADATA: goes here --> so.", "Write <!-- METADATA: goes here --> so.", nil},
	{"in a fence", "Like this:\n```html\n<!-- METADATA: {\"sources\": []} -->\n```", "Like this:\n```html\n<!-- METADATA: {\"sources\": []} -->\n```", nil},
	{"in inline code", "Write `<!-- METADATA: {} -->` at the end.", "Write `<!-- METADATA: {} -->` at the end.", nil},
	{"JSON in the body shows", "An example:\n{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example\"}]}\nThat was it.", "An example:\n{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example\"}]}\nThat was it.", nil},
	{"other JSON at the end shows", "Here:\n{\"source\": 1}", "Here:\n{\"source\": 1}", nil},
	{"sources of another shape show", "Here:\n{\"sources\": [1, 2]}", "Here:\n{\"sources\": [1, 2]}", nil},
	{"an object that is the whole answer", "{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example\"}]}", "{\"sources\": [{\"title\": \"A\", \"url\": \"https://a.example\"}]}", nil},
	{"mid-line braces", "The set {\"sources\": []} is empty", "The set {\"sources\": []} is empty", nil},
	{"less than", "1 < 2 <!- <!", "1 < 2 <!- <!", nil},
	{"too long to be held", "A\n{\"sources\": [\"" + strings.Repeat("x", metadataLimit) + "\"]}", "A\n{\"sources\": [\"" + strings.Repeat("x", metadataLimit) + "\"]}", nil},
	{"too long to be read", "A <!-- METADATA: {\"x\": \"" + strings.Repeat("x", metadataLimit) + "\"} --> B", "A  B", nil},
}

func TestMetadata(t *testing.T) {
	for _, tc := range metadataCases {
		t.Run(tc.name, func(t *testing.T) {
			text, sources := filtered(tc.in)
			if diff := cmp.Diff(tc.want, text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			var urls []string
			for _, s := range sources {
				urls = append(urls, s.URL)
			}
			if diff := cmp.Diff(tc.urls, urls); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMetadataDoesNotDependOnChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tc := range metadataCases {
		times := 50
		if len(tc.in) > 1000 {
			times = 3
		}
		for range times {
			pieces := ibidtest.Cut(tc.in, r)
			text, sources := filtered(pieces...)
			if text != tc.want || len(sources) != len(tc.urls) {
				t.Fatalf("%s, cut as %.200q: got %.200q, %v", tc.name, pieces, text, sources)
			}
		}
	}
}

func TestMetadataSoup(t *testing.T) {
	ibidtest.WithoutRace(t, "random texts, one after the other")
	fragments := []string{"<!--", " METADATA", ":", "{", "}", "-->", `{"sources": [`, `]}`, `{"title":"a","url":"https://a.example"}`,
		"<!-- METADATA: {\"sources\": []} -->", "\n", "\n", " ", "word", "`", "```", "\n```\n", "~~~", `"`, `\`, "<", "é", ">", "- "}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		s := ibidtest.Soup(r, fragments)
		want, wantSources := filtered(s)
		pieces := ibidtest.Cut(s, r)
		got, sources := filtered(pieces...)
		if got != want || len(sources) != len(wantSources) {
			t.Fatalf("%q\ncut as %q\ngives %q %v\nnot   %q %v", s, pieces, got, sources, want, wantSources)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	for _, tc := range metadataCases {
		if len(tc.in) < 1000 {
			f.Add(tc.in, uint64(1))
		}
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		want, _ := filtered(s)
		if got, _ := filtered(ibidtest.Cut(s, rand.New(rand.NewPCG(seed, 0)))...); got != want {
			t.Fatalf("%q gives %q or %q", s, got, want)
		}
	})
}
