package cite

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/ibidtest"
)

// sevenPassages is a ledger of c1 to c7 with the chunk ids c_aaaaaa1 to
// c_aaaaaa7.
func sevenPassages() *Ledger {
	var l Ledger
	for n := range 7 {
		l.Add(ibid.Citation{N: n + 1, ChunkID: "c_aaaaaa" + string(rune('1'+n))})
	}
	return &l
}

func resolved(l *Ledger, pieces ...string) (string, *Resolver) {
	r := &Resolver{ledger: l}
	var out string
	for _, p := range pieces {
		out += written(r.Write(p))
	}
	return out + written(r.Close()), r
}

// written shows segments as text: a marker as "[id1][id2]".
func written(all Segments) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.text)
		for _, id := range s.ids {
			b.WriteString("[" + id + "]")
		}
	}
	return b.String()
}

// In the expected texts, {3} stands for the marker of passage 3.
var citationCases = []struct {
	in, want string
	dropped  int
}{
	// All the forms that handles come in.
	{"Five years [c3].", "Five years {3}.", 0},
	{"Five years[c3].", "Five years{3}.", 0},
	{"Five years [c1, c2].", "Five years {1}{2}.", 0},
	{"Five years [c1][c2]", "Five years {1}{2}", 0},
	{"Five years [c1; c2 and c3]", "Five years {1}{2}{3}", 0},
	{"Five years [c1-c3]", "Five years {1}{2}{3}", 0},
	{"Five years [c1–3]", "Five years {1}{2}{3}", 0},
	{"Five years [c1 - c3]", "Five years {1}{3}", 0},
	{"Five years 【c3】", "Five years {3}", 0},
	{"Five years 【3†source】", "Five years {3}", 0},
	{"五年［c3］。", "五年{3}。", 0},
	{"五年[3]。", "五年{3}。", 0},
	{"Five years (c3).", "Five years {3}.", 0},
	{"Five years (see c3, p. 4).", "Five years {3}.", 0},
	{"Five years [^c3]", "Five years {3}", 0},
	{"Five years [^3]", "Five years {3}", 0},
	{"Five years [3]", "Five years {3}", 0},
	{"Five years [1][2]", "Five years {1}{2}", 0},
	{"Five years [1, 2]", "Five years {1}{2}", 0},
	{"Five years [C3]", "Five years {3}", 0},
	{"Five years [c03]", "Five years {3}", 0},
	{"Five years [[c3]]", "Five years {3}", 0},
	{`Five years \[c3\]`, "Five years {3}", 0},
	{"Five years [`c3`]", "Five years {3}", 0},
	{`Five years ["c3"]`, "Five years {3}", 0},
	{"Five years [c_aaaaaa3]", "Five years {3}", 0},
	{"Five years [c_aaaaaa3, c_aaaaaa4]", "Five years {3}{4}", 0},
	{"Five years (c_aaaaaa3)", "Five years {3}", 0},
	{"Five years [c3 p.4]", "Five years {3}", 0},
	{"Five years [c3, p. 4, 5]", "Five years {3}", 0},
	{"Five years [c3, pp. 4-5; c4 § 2]", "Five years {3}{4}", 0},
	{"Five years [source c3]", "Five years {3}", 0},
	{"Five years [Source: c3]", "Five years {3}", 0},
	{"Five years [passage 3]", "Five years {3}", 0},
	{"Five years [id=c3]", "Five years {3}", 0},
	{"Five years [c3][c3]", "Five years {3}{3}", 0},
	{"Five years [c3, c3]", "Five years {3}", 0},
	{"All (c3) of [c4] it", "All {3} of {4} it", 0},
	{"Revenue was 42[1].", "Revenue was 42{1}.", 0},
	{"As \"said\"[1]", "As \"said\"{1}", 0},
	{"1. First [c1]\n2. Second [2]", "1. First {1}\n2. Second {2}", 0},
	{"**bold**[1]", "**bold**{1}", 0},
	{"[c3]", "{3}", 0},
	{"[c3] opens", "{3} opens", 0},
	// A link of the model's does not pass as a footnote.
	{"Five years [c3](https://evil.example/x).", "Five years {3}.", 0},
	{"Five years [c3](c4)", "Five years {3}{4}", 0},
	{"Five years [c3](as said)", "Five years {3}(as said)", 0},
	// What resolves to nothing is dropped, with the space before it.
	{"Five years [c9].", "Five years.", 1},
	{"Five years [c9]", "Five years", 1},
	{"Five years [c9] and more", "Five years and more", 1},
	{"Five[c9] years", "Five years", 1},
	{"Five [c9]years", "Five years", 1},
	{"Five years [c9][c1]", "Five years {1}", 1},
	{"Five years [c1][c9].", "Five years {1}.", 1},
	{"Five years [c9][c8].", "Five years.", 2},
	{"Five years [c1, c9].", "Five years {1}.", 1},
	{"Five years [c_ffffffff].", "Five years.", 1},
	{"Five years (c9).", "Five years.", 1},
	{"Five years [c9](https://evil.example).", "Five years.", 1},
	{"Five years [c9]\nSix", "Five years\nSix", 1},
	// What only looks like a marker is left alone.
	{"In [2024] and [9]", "In [2024] and [9]", 0},
	{"The interval [0, 1]", "The interval [0, 1]", 0},
	{"a[3] and m[1][2] and x_1[2] and f2[1]", "a[3] and m[1][2] and x_1[2] and f2[1]", 0},
	{"- [x] done\n- [ ] open", "- [x] done\n- [ ] open", 0},
	{"[the report](https://a.example)", "[the report](https://a.example)", 0},
	{"[3](https://a.example) and ![3](a.png)", "[3](https://a.example) and ![3](a.png)", 0},
	{"[1]: https://a.example", "[1]: https://a.example", 0},
	{"[report][1]", "[report][1]", 0},
	{"[2]rotaxane", "[2]rotaxane", 0},
	{"(c) 2024, (C3), (3), (1, 2), (see below), f(c3)", "(c) 2024, (C3), (3), (1, 2), (see below), f(c3)", 0},
	{"[c], [cat], [see], [p. 4], [section 3], []", "[c], [cat], [see], [p. 4], [section 3], []", 0},
	{"`[c3]` and ``x`[c3]`` and [c3]", "`[c3]` and ``x`[c3]`` and {3}", 0},
	{"```\nx = a[3] [c3]\n```\n[c3]", "```\nx = a[3] [c3]\n```\n{3}", 0},
	{"- ```go\n  [c3]\n  ```\n[c3]", "- ```go\n  [c3]\n  ```\n{3}", 0},
	{"~~~\n```\n[c3]\n~~~\n[c3]", "~~~\n```\n[c3]\n~~~\n{3}", 0},
	{"A lone ` is no code [c3]", "A lone ` is no code {3}", 0},
	{`\[ x[3] = 1 \]`, `\[ x[3] = 1 \]`, 0},
	{"[[the report]] and [[c3], [c4]]", "[[the report]] and [{3}, {4}]", 0},
	{"[c3", "[c3", 0},
	{"[c3 " + strings.Repeat("c3 ", 60) + "]", "[c3 " + strings.Repeat("c3 ", 60) + "]", 0},
	{"[\nc3]", "[\nc3]", 0},
	{strings.Repeat(" ", 100) + "[c9]!", strings.Repeat(" ", 64) + "!", 1},
}

var marks = strings.NewReplacer("{1}", "[c_aaaaaa1]", "{2}", "[c_aaaaaa2]", "{3}", "[c_aaaaaa3]", "{4}", "[c_aaaaaa4]")

func TestCitations(t *testing.T) {
	for _, tc := range citationCases {
		got, r := resolved(sevenPassages(), tc.in)
		if diff := cmp.Diff(marks.Replace(tc.want), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.in, diff)
		}
		if r.Dropped != tc.dropped {
			t.Errorf("%q: %d dropped, want %d", tc.in, r.Dropped, tc.dropped)
		}
	}
}

func TestCitationsWithoutPassages(t *testing.T) {
	for in, want := range map[string]string{
		"A claim [c1].":  "A claim.",
		"A claim [1].":   "A claim [1].",
		"Squares (c1).":  "Squares (c1).",
		"An id [c_abc].": "An id [c_abc].",
	} {
		if got, _ := resolved(&Ledger{}, in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestCitedPassagesAreListedOnce(t *testing.T) {
	_, r := resolved(sevenPassages(), "A [c2] b [c1] c [2].")
	if diff := cmp.Diff([]string{"c_aaaaaa2", "c_aaaaaa1"}, r.Cited); diff != "" {
		t.Errorf("cited (-want +got):\n%s", diff)
	}
}

// cutRunes is cut, between characters.
func cutRunes(s string, r *rand.Rand) []string {
	longest := 1 + r.IntN(20)
	var pieces []string
	runes := []rune(s)
	for len(runes) > 0 {
		n := min(len(runes), 1+r.IntN(longest))
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return pieces
}

func TestCitationsDoNotDependOnChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tc := range citationCases {
		for range 50 {
			pieces := cutRunes(tc.in, r)
			got, res := resolved(sevenPassages(), pieces...)
			if want := marks.Replace(tc.want); got != want || res.Dropped != tc.dropped {
				t.Fatalf("cut as %q\ngives %q\nnot   %q", pieces, got, want)
			}
		}
	}
}

func TestCitationSoup(t *testing.T) {
	ibidtest.WithoutRace(t, "random texts, one after the other")
	fragments := []string{"[", "]", "[[", "]]", "(", ")", "【", "】", `\[`, `\]`, "c3", "c", "3", "c9", "1", "2024", ",", ", ", " ", "  ", "\n",
		"p. 4", "p", "page", "see ", "source", "and", "-", "–", "§", "†", "^", "c_aaaaaa1", "c_", "c_ffffffff", "word", "a", "`", "``", "\n```\n", ".", ":", "年", "[c3]", "[c9]", "(c3)", "https://x"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 60000 {
		s := ibidtest.Soup(r, fragments)
		want, whole := resolved(sevenPassages(), s)
		pieces := cutRunes(s, r)
		got, res := resolved(sevenPassages(), pieces...)
		if got != want || res.Dropped != whole.Dropped {
			t.Fatalf("%q\ncut as %q\ngives %q (%d dropped)\nnot   %q (%d)", s, pieces, got, res.Dropped, want, whole.Dropped)
		}
	}
}

func TestHeldMarkersAreBounded(t *testing.T) {
	r := &Resolver{ledger: sevenPassages()}
	in, out := strings.Repeat("[c3 ", 1000), 0
	for i := range len(in) {
		out += len(written(r.Write(in[i : i+1])))
		if held := i + 1 - out; held > markerLimit+10 {
			t.Fatalf("%d bytes are held", held)
		}
	}
}

func TestProseIsNotHeld(t *testing.T) {
	r := &Resolver{ledger: sevenPassages()}
	in := "The report (which is long) says [in brackets] that things happen"
	if got := written(r.Write(in)); got != in {
		t.Errorf("only %q was let through", got)
	}
	if got := written(r.Write(" (and")); got != "" {
		t.Errorf("%q was let through, though it may become a marker", got)
	}
	if got := written(r.Write(" more")); got != " (and more" {
		t.Errorf("%q was let through", got)
	}
}

func FuzzCitations(f *testing.F) {
	for _, tc := range citationCases {
		f.Add(tc.in, uint64(1))
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		s = strings.ToValidUTF8(s, "?")
		want, _ := resolved(sevenPassages(), s)
		if got, _ := resolved(sevenPassages(), cutRunes(s, rand.New(rand.NewPCG(seed, 0)))...); got != want {
			t.Fatalf("%q gives %q or %q", s, got, want)
		}
	})
}
