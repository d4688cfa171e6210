package sift

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ibid"
)

var siftTools = []ibid.ToolSpec{{Name: "get_weather"}, {Name: "calculator"}}

// sifted is what came of a text: what is shown, and the calls.
type sifted struct {
	text, calls string
	lost        bool
}

func sift(tools []ibid.ToolSpec, chunks ...string) sifted {
	s := NewCalls(tools)
	var text strings.Builder
	emit := func(t string) { text.WriteString(t) }
	for _, c := range chunks {
		s.Write(c, emit)
	}
	s.Close(emit)
	got := sifted{text: text.String(), lost: s.lost}
	for _, c := range s.Found {
		got.calls += fmt.Sprintf("%s%s;", c.Name, c.Arguments)
	}
	return got
}

const lima = `{"name": "get_weather", "arguments": {"city": "Lima"}}`

var siftCases = []struct {
	name, in string
	want     sifted
}{
	{"plain text", "It is 21°C.", sifted{text: "It is 21°C."}},
	{"tagged", "<tool_call>\n" + lima + "\n</tool_call>", sifted{calls: `get_weather{"city": "Lima"};`}},
	{"as recorded, with a second half call", "<tool_call>\n" + lima + "\n</tool_call>\t{\"name\"", sifted{calls: `get_weather{"city": "Lima"};`}},
	{"after text", "I look.<tool_call>" + lima + "</tool_call>", sifted{text: "I look.", calls: `get_weather{"city": "Lima"};`}},
	{"two", "<tool_call>" + lima + "</tool_call>\n<tool_call>" + lima + "</tool_call>\n",
		sifted{calls: `get_weather{"city": "Lima"};get_weather{"city": "Lima"};`}},
	{"two, the first not closed", "<tool_call>" + lima + "\n<tool_call>" + lima + "</tool_call>",
		sifted{calls: `get_weather{"city": "Lima"};get_weather{"city": "Lima"};`}},
	{"not closed", "<tool_call>" + lima, sifted{calls: `get_weather{"city": "Lima"};`}},
	{"half", "<tool_call>{\"name\": \"get_wea", sifted{lost: true}},
	{"tagged, unknown tool", `<tool_call>{"name":"fly","arguments":{}}</tool_call>`, sifted{calls: "fly{};"}},
	{"bare", lima, sifted{calls: `get_weather{"city": "Lima"};`}},
	{"bare after text", "I look.\n" + lima + "\nDone", sifted{text: "I look.\nDone", calls: `get_weather{"city": "Lima"};`}},
	{"bare, parameters", `{"name": "get_weather", "parameters": {"city": "Lima"}}`, sifted{calls: `get_weather{"city": "Lima"};`}},
	{"bare, arguments as text", `{"name": "get_weather", "arguments": "{\"city\": 1}"}`, sifted{calls: `get_weather{"city": 1};`}},
	{"bare, as the API has it", `{"type":"function","function":` + lima + `}`, sifted{calls: `get_weather{"city": "Lima"};`}},
	{"bare list", "[" + lima + ", " + lima + "]", sifted{calls: `get_weather{"city": "Lima"};get_weather{"city": "Lima"};`}},
	{"bare half", `{"name": "get_weather", "argum`, sifted{lost: true}},
	{"fenced", "```json\n" + lima + "\n```", sifted{calls: `get_weather{"city": "Lima"};`}},
	{"fenced half", "```json\n{\"name\": \"get_weather\", ", sifted{lost: true}},

	{"other JSON", `{"city": "Lima"}`, sifted{text: `{"city": "Lima"}`}},
	{"JSON with a name", `{"name": "Ann", "age": 3}`, sifted{text: `{"name": "Ann", "age": 3}`}},
	{"another tool", `{"name": "fly", "arguments": {}}`, sifted{text: `{"name": "fly", "arguments": {}}`}},
	{"name without arguments", `{"name": "get_weather"}`, sifted{text: `{"name": "get_weather"}`}},
	{"a citation", "[c3] says so", sifted{text: "[c3] says so"}},
	{"in a fence in the answer", "For example:\n```json\n" + lima + "\n```\n", sifted{text: "For example:\n```json\n" + lima + "\n```\n"}},
	{"in inline code", "Write `" + lima + "`.", sifted{text: "Write `" + lima + "`."}},
	{"tag in a sentence", "The <tool_call> tag", sifted{text: "The <tool_call> tag"}},
	{"code answer", "```go\nx := 1\n```", sifted{text: "```go\nx := 1\n```"}},
	{"fence with other JSON", "```json\n{\"a\": 1}\n```", sifted{text: "```json\n{\"a\": 1}\n```"}},
}

func TestCallSifter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range siftCases {
		t.Run(c.name, func(t *testing.T) {
			if got := sift(siftTools, c.in); got != c.want {
				t.Errorf("in one chunk:\n got %+v\nwant %+v", got, c.want)
			}
			for range 20 {
				chunks := cuts(c.in, r)
				if got := sift(siftTools, chunks...); got != c.want {
					t.Fatalf("cut as %q:\n got %+v\nwant %+v", chunks, got, c.want)
				}
			}
		})
	}
}

func TestCallSifterWithoutTools(t *testing.T) {
	got := sift(nil, "Yes.\n<tool_call>"+lima+"</tool_call>\n"+lima)
	if want := (sifted{text: "Yes.\n" + lima, lost: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func cuts(s string, r *rand.Rand) []string {
	var chunks []string
	for s != "" {
		n := 1 + r.IntN(min(len(s), 7))
		chunks = append(chunks, s[:n])
		s = s[n:]
	}
	return chunks
}

func FuzzCallSifter(f *testing.F) {
	for _, c := range siftCases {
		f.Add(c.in, uint64(1))
	}
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		if len(in) > maxHeldCall/2 {
			return
		}
		want := sift(siftTools, in)
		chunks := cuts(in, rand.New(rand.NewPCG(seed, 0)))
		if got := sift(siftTools, chunks...); got != want {
			t.Fatalf("%q cut as %q:\n got %+v\nwant %+v", in, chunks, got, want)
		}
		if want.calls == "" && !want.lost && want.text != in {
			t.Fatalf("%q: text without calls was changed: %q", in, want.text)
		}
	})
}
