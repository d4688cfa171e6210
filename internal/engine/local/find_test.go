package local

import (
	"fmt"
	"strings"
	"testing"

	"ibid"
)

// texts indexes one document per text, with the text's number as id.
func indexOf(texts ...string) *Index {
	x := New(Config{})
	for i, s := range texts {
		id := fmt.Sprint(i)
		x.put(0, ibid.Document{ID: "d" + id}, []ibid.Chunk{{ID: id, DocumentID: "d" + id, Text: s}})
	}
	return x
}

func order(t *testing.T, x *Index, query string) string {
	t.Helper()
	var ids []string
	for _, c := range lexical(t, x, query, 10, ibid.Scope{}) {
		ids = append(ids, c.ChunkID)
	}
	return strings.Join(ids, " ")
}

func TestIdentifiers(t *testing.T) {
	x := indexOf(
		"Error E-1042 means that the pump is dry; E-1043 is something else.",
		"Error E-1043 is raised when section 1042 of the e manual is lost.",
		"Form 404B replaces the older form.",
		"Form 404 has a part B. The 404 B is not it, 404 is.",
		"The function parse_config reads src/config/load.go at start.",
		"We parse the config; then load what go needs from config and src.",
		"In FY2018 revenue was $1,577 million.",
		"In the fiscal year 2018 revenue was 1577 units of 577.",
	)
	for query, want := range map[string]string{
		"E-1042":             "0",
		"what is e1042?":     "0",
		"E-1043":             "1",
		"404B":               "2",
		"parseConfig":        "4",
		"ParseConfig()":      "4",
		"src/config/load.go": "4",
		"load.go":            "4",
		"FY2018":             "6",
		"$1,577":             "6",
	} {
		if got := order(t, x, query); !strings.HasPrefix(got, want) {
			t.Errorf("%q finds %s, want %s first", query, got, want)
		}
	}
}

func TestQuotations(t *testing.T) {
	x := indexOf(
		"The old man sat by the sea. Man is old.",
		"The man is old, the sea is older; old sea, old man of the mountain.",
		"Nothing of the kind.",
	)
	for query, want := range map[string]string{
		`"sat by the sea"`:              "0",
		`"the old man of the mountain"`: "1",
		`“old sea” and "old man"`:       "1",
		`"mountain sea"`:                "1 0", // nobody says so: the words alone count
		`"unheard-of" man`:              "0 1",
		`an "unclosed man`:              "0 1",
		`""`:                            "",
	} {
		if got := order(t, x, query); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	// A quotation outside the scope filters nothing inside it.
	if got := lexical(t, x, `"sat by the sea"`, 5, ibid.Scope{Documents: []string{"d1"}}); len(got) != 1 || got[0].ChunkID != "1" {
		t.Errorf("in scope: %v", got)
	}
}

func TestPhrasesAcrossSegments(t *testing.T) {
	x := New(Config{SegmentChunks: 2})
	for i := range 9 {
		x.put(0, ibid.Document{ID: fmt.Sprint(i)}, []ibid.Chunk{{ID: fmt.Sprint(i), Text: []string{"red apple", "apple red", "green"}[i%3]}})
	}
	if got := order(t, x, `"red apple"`); got != "0 3 6" {
		t.Errorf("finds %s", got)
	}
}

func TestLanguages(t *testing.T) {
	x := New(Config{})
	put := func(id, language, text string) {
		x.put(0, ibid.Document{ID: id, Language: language}, []ibid.Chunk{{ID: id, Text: text}})
	}
	put("de", "", "Die Häuser der Bürger stehen nicht weit von dem Fluss und sind aus Stein.")
	put("en", "", "The houses of the citizens are not far from the river and are made of stone.")
	put("zh", "", "北京是中华人民共和国的首都。")
	put("ja", "", "東京は日本の首都です。")
	put("xx", "xx", "Lorem ipsum dolor sit amet consectetur")
	put("fr", "fr", "Les élèves étudient à l'école.")
	for query, want := range map[string]string{
		"Haus": "de", "Haeuser Häusern": "de", "house": "en", "Citizen": "en",
		"首都": "ja zh", "日本の首都": "ja", "北京": "zh", "DOLOR": "xx", "eleve": "fr", "l’école": "fr",
	} {
		if got := order(t, x, query); !strings.HasPrefix(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

func TestFields(t *testing.T) {
	x := New(Config{})
	x.put(0, ibid.Document{ID: "a", Title: "Annual report of Acme", Name: "acme-2018.pdf"}, []ibid.Chunk{
		{ID: "a0", Text: "Revenue grew."}, {ID: "a1", Heading: []string{"Risks", "Currency"}, Text: "The dollar may fall."}})
	x.put(0, ibid.Document{ID: "b", Title: "Annual report of Bolt", Name: "bolt-2018.pdf"}, []ibid.Chunk{
		{ID: "b0", Text: "Revenue grew."}, {ID: "b1", Text: "The dollar may fall, a currency among many, and other text goes on."}})
	x.put(0, ibid.Document{ID: "w", Title: "The Who"}, []ibid.Chunk{{ID: "w0", Text: "A band."}})
	for query, want := range map[string]string{
		"acme revenue":      "a0",
		"bolt revenue":      "b0",
		"revenue bolt-2018": "b0",
		"currency risk":     "a1",
		"currency":          "a1",
	} {
		if got := order(t, x, query); !strings.HasPrefix(got, want) {
			t.Errorf("%q finds %s, want %s first", query, got, want)
		}
	}
}

// TestNamesTellAlikeDocumentsApart asks for one of many reports that say the
// same. In one of another company the words asked for are more frequent.
func TestNamesTellAlikeDocumentsApart(t *testing.T) {
	x := New(Config{})
	put := func(company string, year int) {
		id := fmt.Sprint(company, year)
		var chunks []ibid.Chunk
		for i := range 6 {
			text := "The company had capital expenditure and other cash flows in the year."
			if company == "Bolt" && i == 3 {
				text = "Capital expenditure: capital expenditure of plants, capital expenditure of offices, expenditure."
			}
			chunks = append(chunks, ibid.Chunk{ID: fmt.Sprint(id, "/", i), Text: text})
		}
		x.put(0, ibid.Document{ID: id, Title: fmt.Sprint(company, " annual report ", year)}, chunks)
	}
	for _, company := range []string{"Acme", "Bolt", "Core", "Dyna"} {
		for year := 2018; year < 2021; year++ {
			put(company, year)
		}
	}
	if got := order(t, x, "capital expenditure of Acme 2019"); !strings.HasPrefix(got, "Acme2019/") {
		t.Errorf("finds %s", got)
	}
	if w := x.titles.weight(x.totals.chunks); w != familyWeight {
		t.Errorf("titles count %v", w)
	}
	for i := range 40 {
		id := fmt.Sprint("x", i)
		x.put(0, ibid.Document{ID: id, Title: fmt.Sprintf("quite%c alone%c%c", 'a'+i%26, 'a'+i/26, 'a'+i%26)}, []ibid.Chunk{{ID: id}, {ID: id + "b"}, {ID: id + "c"}, {ID: id + "d"}})
	}
	if w := x.titles.weight(x.totals.chunks); w != titleWeight {
		t.Errorf("among other titles they count %v", w)
	}
}

func TestStats(t *testing.T) {
	x := indexOf("one river", "two rivers")
	if err := x.putVectors("s", []string{"0", "gone"}, [][]float32{{1, 0}, {0, 1}}); err != nil {
		t.Fatal(err)
	}
	if s := x.Stats(); s.Documents != 2 || s.Chunks != 2 || s.Vectors["s"] != 1 || s.Bytes <= 0 {
		t.Errorf("%+v", s)
	}
	if got, next, err := x.Lacking(t.Context(), "s", ibid.Page{}); err != nil || next != "" || len(got) != 1 || got[0] != "1" {
		t.Errorf("lacking %v, %q, %v", got, next, err)
	}
	first, next, err := x.Lacking(t.Context(), "other", ibid.Page{Limit: 1})
	if err != nil || len(first) != 1 || next == "" {
		t.Fatalf("lacking in a space that is not there: %v, %q, %v", first, next, err)
	}
	second, next, err := x.Lacking(t.Context(), "other", ibid.Page{Limit: 1, Cursor: next})
	if err != nil || len(second) != 1 || second[0] == first[0] || next != "" {
		t.Errorf("then %v, %q, %v", second, next, err)
	}
	x.forget("s")
	if s := x.Stats(); len(s.Vectors) != 0 {
		t.Errorf("after forget: %+v", s)
	}
}
