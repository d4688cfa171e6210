package sift_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ibid/internal/llm/sift"
)

// told is what came of a stream: reasoning and text as a reader has them in the
// end, and how often text was declared void.
type told struct {
	reasoning, text string
	voids           int
}

// String keeps failures of long cases readable.
func (g told) String() string {
	return fmt.Sprintf("reasoning %.120q text %.120q voids %d", g.reasoning, g.text, g.voids)
}

func split(s *sift.ThinkSplitter, chunks []string) told {
	var got told
	var reasoning, text strings.Builder
	take := func(p sift.Piece) {
		switch p.Kind {
		case sift.PieceReasoning:
			reasoning.WriteString(p.Text)
		case sift.PieceText:
			text.WriteString(p.Text)
		case sift.PieceVoid:
			reasoning.WriteString(text.String())
			text.Reset()
			got.voids++
		}
	}
	for _, c := range chunks {
		s.Write(c, take)
	}
	s.Close(take)
	got.reasoning, got.text = reasoning.String(), text.String()
	return got
}

var thinkCases = []struct {
	name, in string
	want     told
}{
	{"no thinking", "The answer is 42.", told{text: "The answer is 42."}},
	{"think", "<think>\nLet me see.\n</think>\n\nIt is 42.", told{reasoning: "Let me see.\n", text: "It is 42."}},
	{"thinking", "<thinking>a < b</thinking>yes", told{reasoning: "a < b", text: "yes"}},
	{"reasoning", "\n <reasoning>r</reasoning> t", told{reasoning: "r", text: "t"}},
	{"capitals", "<Think>r</THINK>t", told{reasoning: "r", text: "t"}},
	{"empty block", "<think>\n\n</think>\n\nHello", told{text: "Hello"}},
	{"two blocks before text", "<think>a</think>\n<think>b</think>c", told{reasoning: "ab", text: "c"}},
	{"never closed", "<think>on and on", told{reasoning: "on and on"}},
	{"only the opening tag", "<think>", told{}},
	{"half a tag at the end", "<think>a</thin", told{reasoning: "a</thin"}},
	{"half a tag is text", "<thin", told{text: "<thin"}},
	{"another closing tag does not close", "<think>a</reasoning>b</think>c", told{reasoning: "a</reasoning>b", text: "c"}},
	{"closing tag in code while thinking", "<think>the `</think>` tag</think>x", told{reasoning: "the `</think>` tag", text: "x"}},
	{"opening tag inside thinking", "<think>a <think> b</think>x", told{reasoning: "a <think> b", text: "x"}},
	{"closed twice", "<think>a</think></think>b", told{reasoning: "a", text: "b"}},

	{"template opened it", "Let me see.\n</think>\n\nIt is 42.", told{reasoning: "Let me see.\n", text: "It is 42.", voids: 1}},
	{"template opened it, same line", "Let me see.</think>\nIt is 42.", told{reasoning: "Let me see.", text: "It is 42.", voids: 1}},
	{"template opened it, nothing thought", "</think>\n\nIt is 42.", told{text: "It is 42."}},

	{"mentioned in a sentence", "Models use <think> and </think> tags.", told{text: "Models use <think> and </think> tags."}},
	{"mentioned in inline code", "Use `<think>` first.\n`</think>` ends it.", told{text: "Use `<think>` first.\n`</think>` ends it."}},
	{"mentioned in a fence", "Like so:\n```\n<think>\nx\n</think>\n```\nDone.", told{text: "Like so:\n```\n<think>\nx\n</think>\n```\nDone."}},
	{"mentioned in a tilde fence", "So:\n~~~xml\n<think>\n~~~\nDone.", told{text: "So:\n~~~xml\n<think>\n~~~\nDone."}},
	{"answer starts with code", "`<think>` opens it", told{text: "`<think>` opens it"}},
	{"line begins with a mention", "Tags:\n<think> opens, </think> closes.\nEnd", told{text: "Tags:\n<think> opens, </think> closes.\nEnd"}},
	{"a backtick left open does not hide the next line", "a ` b\n<think>\nr\n</think>\nc", told{reasoning: "r\n", text: "a ` b\nc"}},
	{"block between paragraphs", "I look.\n<think>\nhm\n</think>\nIt is 42.", told{reasoning: "hm\n", text: "I look.\nIt is 42."}},
	{"block on one line between paragraphs", "I look.\n<think>hm</think>\nIt is 42.", told{reasoning: "hm", text: "I look.\nIt is 42."}},
	{"a closing tag left over on its own line", "<think>a</think>b\n</think>\nc", told{reasoning: "a", text: "b\nc"}},
	{"very long line after a mention", "a\n<think> " + strings.Repeat("x", 5000) + "</think> b",
		told{text: "a\n<think> " + strings.Repeat("x", 5000) + "</think> b"}},
	{"not ours", "<thinker>a</thinker> <b>x</b>", told{text: "<thinker>a</thinker> <b>x</b>"}},
	{"emoji", "<think>🤔</think>😀", told{reasoning: "🤔", text: "😀"}},
}

func TestThinkSplitter(t *testing.T) {
	for _, c := range thinkCases {
		t.Run(c.name, func(t *testing.T) {
			if got := split(&sift.ThinkSplitter{}, []string{c.in}); got != c.want {
				t.Errorf("in one chunk:\n got %v\nwant %v", got, c.want)
			}
			if got := split(&sift.ThinkSplitter{}, strings.Split(c.in, "")); got != c.want {
				t.Errorf("rune by rune:\n got %v\nwant %v", got, c.want)
			}
		})
	}
}

func TestThinkSplitterOpenedByTemplate(t *testing.T) {
	for in, want := range map[string]told{
		"Let me see.\n</think>\nIt is 42.":        {reasoning: "Let me see.\n", text: "It is 42."},
		"<think>Let me see.\n</think>\nIt is 42.": {reasoning: "<think>Let me see.\n", text: "It is 42."},
		"It is 42.":            {reasoning: "It is 42.", text: "It is 42."}, // never closed: shown after all
		"a</think>b</think> c": {reasoning: "a", text: "b</think> c"},
	} {
		if got := split(sift.NewOpenThinkSplitter(), []string{in}); got != want {
			t.Errorf("%q:\n got %v\nwant %v", in, got, want)
		}
	}
}

// chunked cuts s at random places.
func chunked(s string, r *rand.Rand) []string {
	var chunks []string
	for s != "" {
		n := 1 + r.IntN(min(len(s), 9))
		chunks = append(chunks, s[:n])
		s = s[n:]
	}
	return chunks
}

// thinkAlphabet is what random streams are put together from.
var thinkAlphabet = []string{"<think>", "</think>", "<thinking>", "</thinking>", "<reasoning>", "</reasoning>",
	"<", ">", "/", "\n", "\n\n", " ", "`", "```", "~~~", "word", "two words", "ü", "<tool_call>", "\r\n"}

func TestThinkSplitterAnyChunking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range r.IntN(14) {
			b.WriteString(thinkAlphabet[r.IntN(len(thinkAlphabet))])
		}
		in := b.String()
		want := split(&sift.ThinkSplitter{}, []string{in})
		for range 5 {
			chunks := chunked(in, r)
			if got := split(&sift.ThinkSplitter{}, chunks); got != want {
				t.Fatalf("%q cut as %q:\n got %v\nwant %v", in, chunks, got, want)
			}
		}
	}
}

func FuzzThinkSplitter(f *testing.F) {
	for _, c := range thinkCases {
		f.Add(c.in, uint64(1), false)
	}
	f.Fuzz(func(t *testing.T, in string, seed uint64, open bool) {
		splitter := func() *sift.ThinkSplitter {
			if open {
				return sift.NewOpenThinkSplitter()
			}
			return &sift.ThinkSplitter{}
		}
		want := split(splitter(), []string{in})
		chunks := chunked(in, rand.New(rand.NewPCG(seed, 0)))
		if got := split(splitter(), chunks); got != want {
			t.Fatalf("%q cut as %q:\n got %v\nwant %v", in, chunks, got, want)
		}
		if open {
			return
		}
		if len(want.reasoning)+len(want.text) > len(in) {
			t.Fatalf("%q: more came out than went in: %+v", in, want)
		}
		if !strings.Contains(in, "<") && want.text != strings.TrimLeft(in, " \t\r\n") {
			t.Fatalf("%q: text without tags was changed: %+v", in, want)
		}
	})
}
