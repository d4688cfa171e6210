package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"The quick, brown fox.", "the quick brown fox"},
		{"revenue in FY2018", "revenue in fy 2018 +fy2018"},
		{"error E-1042 on 404B", "error e 1042 +e1042 on 404 b +404b"},
		{"call max_retry or maxRetry or MaxRetry()", "call max retry +maxretry or max retry +maxretry or max retry +maxretry"},
		{"HTTPServer IDs iPhone", "http server +httpserver ids i phone +iphone"},
		{"$1,577 at 3.5%, or 35", "1 577 +1577 at 3 5 +3.5 or 35"},
		{"10.0.0.1:8080", "10 0 0 1 8080 +10.0.0.18080"},
		{"a well-known net/http client's", "a well known net http +nethttp client s"},
		{"src/main.go, e.g. in the U.S.", "src main go +maingo +srcmaingo e g in the u s"},
		{"Ünïcode ﬁnance ＡＢＣ", "ünïcode finance abc"},
		{"東京タワー", "東京 京タ タワー"},
		{"猫", "猫"},
		{"GPT模型4号", "gpt 模型 4 号"},
		{"e-mail x.", "e mail x"},
		{"", ""},
	} {
		var got []string
		for w := range Words(tt.in) {
			if w.Joined {
				w.Text = "+" + w.Text
			}
			got = append(got, w.Text)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("Words(%q)\n got %s\nwant %s", tt.in, s, tt.want)
		}
	}
}

func TestWordsStopsEarly(t *testing.T) {
	for _, s := range []string{"one two", "FY2018 x", "a_b c", "東京タワー"} {
		n := 0
		for range Words(s) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%q: yielded %d words after break", s, n)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"FY2018 E-1042 max_retry", "東京タワー 3.5% \xff\xfe", "1,577 a-1.b_2/c:d", "İSTANBUL ǅ ﬁ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for w := range Words(s) {
			if w.Start < 0 || w.End > len(s) || w.Start >= w.End {
				t.Fatalf("span %v outside %d bytes", w.Span, len(s))
			}
			if w.Text == "" {
				t.Fatalf("empty word at %v", w.Span)
			}
			if utf8.ValidString(s) && !utf8.ValidString(w.Text) {
				t.Fatalf("word %q is not UTF-8", w.Text)
			}
			if !w.Joined {
				if w.Start < last {
					t.Fatalf("word %q at %v goes back before %d", w.Text, w.Span, last)
				}
				last = w.Start
			}
		}
	})
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"plain", "One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"abbreviations", "Dr. Smith met Mr. Jones at 5 p.m. on Friday. They spoke, e.g. about Fig. 3 of Vol. 2.",
			[]string{"Dr. Smith met Mr. Jones at 5 p.m. on Friday.", "They spoke, e.g. about Fig. 3 of Vol. 2."}},
		{"initials", "J. R. R. Tolkien wrote it. It sold.", []string{"J. R. R. Tolkien wrote it.", "It sold."}},
		{"acronym", "The U.S. Army left the U.S. The war ended.", []string{"The U.S. Army left the U.S.", "The war ended."}},
		{"company", "Acme Inc. Chairman Bob left Acme Inc. The shares fell.",
			[]string{"Acme Inc. Chairman Bob left Acme Inc.", "The shares fell."}},
		{"decimals", "It grew 3.5% to $1.2 million. See example.org for v1.2.3.",
			[]string{"It grew 3.5% to $1.2 million.", "See example.org for v1.2.3."}},
		{"ellipsis", "He waited... and waited... Then he left… Gone.",
			[]string{"He waited... and waited...", "Then he left…", "Gone."}},
		{"quotes", `"Stop!" he said. "Why?" She left. (It rained.) "No."`,
			[]string{`"Stop!" he said.`, `"Why?"`, "She left.", "(It rained.)", `"No."`}},
		{"footnotes", "It began in 1973.[12] It ended in 1974.[3][4] Yes.",
			[]string{"It began in 1973.[12]", "It ended in 1974.[3][4]", "Yes."}},
		{"cjk", "东京是首都。大阪很大！是吗？「はい。」次の文", []string{"东京是首都。", "大阪很大！", "是吗？", "「はい。」", "次の文"}},
		{"paragraphs", "A heading\n\nFirst line\ngoes on. Next.", []string{"A heading", "First line\ngoes on.", "Next."}},
		{"list", "We need:\n- apples and\n  pears\n- plums\n1. one\n2. two", []string{"We need:", "- apples and\n  pears", "- plums", "1. one", "2. two"}},
		{"table", "Year | Sales\n2018 | 5\n2019 | 6\nEnd", []string{"Year | Sales", "2018 | 5", "2019 | 6", "End"}},
		{"tokenised", "one thing . another thing .", []string{"one thing .", "another thing ."}},
		{"months", "On Jan. 5 it began. In Dec. The end came.", []string{"On Jan. 5 it began.", "In Dec.", "The end came."}},
		{"blank", " \n\t ", nil},
		{"empty", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, sp := range Sentences(tt.in) {
				got = append(got, tt.in[sp.Start:sp.End])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSentencesIsLinear(t *testing.T) {
	for _, unit := range []string{".", "!)", ". ", "\n ", "a.", "。", "\n", "a\n", "\t|"} {
		s := strings.Repeat(unit, 1<<20) + "x"
		if len(Sentences(s)) == 0 {
			t.Errorf("no sentence in a run of %q", unit)
		}
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"Dr. No. 5 p.m. U.S. x", "a.\n\n- b\n1. c", "「はい。」…?!", "\xff. \xfe", ".[1] .[", " . . .\u2028x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, sp := range Sentences(s) {
			if sp.Start < at || sp.End <= sp.Start || sp.End > len(s) {
				t.Fatalf("span %v after %d in %d bytes", sp, at, len(s))
			}
			if strings.TrimSpace(s[at:sp.Start]) != "" {
				t.Fatalf("text lost before %v: %q", sp, s[at:sp.Start])
			}
			if strings.TrimSpace(s[sp.Start:sp.End]) != s[sp.Start:sp.End] {
				t.Fatalf("%q is not trimmed", s[sp.Start:sp.End])
			}
			at = sp.End
		}
		if strings.TrimFunc(s[at:], unicode.IsSpace) != "" {
			t.Fatalf("text lost at the end: %q", s[at:])
		}
	})
}

func TestAnalyzer(t *testing.T) {
	for _, tt := range []struct{ lang, in, want string }{
		{"en", "What were the companies' revenues in FY2018?", "compani revenu fy 2018 fy2018"},
		{"en-GB", "Running runners ran", "run runner ran"},
		{"en", "to be or not to be", "to be or not to be"},
		{"de", "Die Häuser der Bürgermeister", "haus burgermeist"},
		{"fr", "Les élèves de l'école", "elev ecol"},
		{"es", "¿Dónde están las canciones?", "cancion"},
		{"ru", "Книги и книга", "книг книг"},
		{"xx", "Running THE café", "running the cafe"},
		{"ja", "東京タワー", "東京 京タ タワー"},
	} {
		if got := strings.Join(NewAnalyzer(tt.lang).Terms(tt.in), " "); got != tt.want {
			t.Errorf("%s Terms(%q)\n got %s\nwant %s", tt.lang, tt.in, got, tt.want)
		}
	}
}

func FuzzAnalyzer(f *testing.F) {
	f.Add("en", "The companies' FY2018")
	f.Add("fr", "élèves l'école \xff")
	f.Add("fi", "kirjastoissa")
	f.Fuzz(func(t *testing.T, lang, s string) {
		a := NewAnalyzer(lang)
		once := a.Terms(s)
		if again := a.Terms(s); !slices.Equal(once, again) {
			t.Fatalf("terms differ from call to call: %q, %q", once, again)
		}
	})
}

func TestLanguage(t *testing.T) {
	for want, s := range map[string]string{
		"en": "The company said that it would not pay a dividend this year because of its losses.",
		"de": "Das Unternehmen teilte mit, dass es wegen der Verluste in diesem Jahr keine Dividende zahlen wird.",
		"fr": "La société a annoncé qu'elle ne verserait pas de dividende cette année en raison de ses pertes.",
		"es": "La empresa dijo que no pagaría un dividendo este año debido a las pérdidas que tiene.",
		"it": "La società ha detto che non pagherà un dividendo quest'anno a causa delle sue perdite.",
		"pt": "A empresa disse que não vai pagar dividendos este ano por causa das suas perdas.",
		"nl": "Het bedrijf zei dat het dit jaar geen dividend zal uitkeren vanwege de verliezen die het heeft.",
		"sv": "Företaget sade att det inte kommer att betala någon utdelning i år på grund av sina förluster.",
		"ru": "Компания сообщила, что не будет выплачивать дивиденды в этом году.",
		"uk": "Компанія повідомила, що цього року не виплачуватиме дивіденди її власникам.",
		"ja": "会社は今年、損失のため配当を支払わないと発表した。",
		"zh": "公司表示，由于亏损，今年将不支付股息。",
		"ko": "회사는 손실로 인해 올해 배당금을 지급하지 않을 것이라고 밝혔다.",
		"ar": "قالت الشركة إنها لن تدفع أرباحا هذا العام",
		"el": "Η εταιρεία δήλωσε ότι δεν θα πληρώσει μέρισμα φέτος.",
		"":   "E-1042 4711 foo bar",
	} {
		if got := Language(s); got != want {
			t.Errorf("Language(%q) = %q, want %q", s, got, want)
		}
	}
	if got := Language(""); got != "" {
		t.Errorf("Language of nothing = %q", got)
	}
}

func TestMemoAgreesWithItsAnalyzer(t *testing.T) {
	a := NewAnalyzer("en")
	m := NewMemo(a)
	s := "The companies' revenues of the company in FY2018 were the highest revenues"
	for range 2 { // the second time from memory
		for w := range Words(s) {
			want, wantOK := a.Term(w.Text)
			if got, ok := m.Term(w.Text); got != want || ok != wantOK {
				t.Errorf("Term(%q) = %q, %v, want %q, %v", w.Text, got, ok, want, wantOK)
			}
		}
	}
}

func TestPassage(t *testing.T) {
	if got, want := Passage("T", []string{"A", "", "B"}, "body"), "T\nA\nB\nbody"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Passage("", nil, "body"); got != "body" {
		t.Errorf("got %q", got)
	}
}

// prose is a paragraph to measure with.
const prose = `The committee, which met on 12 March 2018 in Geneva, found that the company's revenues had grown by 3.5% to
$1,577 million. "We don't expect this to last," said J. R. Smith of Acme Inc. at the U.S. headquarters. The reports E-1042 and
E-1043 describe the details. However, several members, e.g. Dr. Jones, disagreed with the findings of the first report.`

func BenchmarkWords(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		for range Words(prose) {
		}
	}
}

func BenchmarkMemoTerms(b *testing.B) {
	m := NewMemo(NewAnalyzer("en"))
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		for w := range Words(prose) {
			m.Term(w.Text)
		}
	}
}

func BenchmarkSentences(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Sentences(prose)
	}
}

func BenchmarkLanguage(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Language(prose)
	}
}

func TestSentencesGoOnBehindAPage(t *testing.T) {
	for in, want := range map[string]int{
		"Once the several analyses have been conducted\n\nin the same directory, compare them. Done.": 2,
		"Short line\n\nwhich begins low here":                                   2, // a heading is short
		"The following were found in the box:\n\napples and pears and plums":    2,
		"The sentence has come to its end.\n\nthe next begins low":              2,
		"Before it had come to its end the page\n\nEnded with a capital letter": 2,
		"Before it had come to its end the page\n\n- an item of a list":         2,
	} {
		if got := Sentences(in); len(got) != want {
			t.Errorf("%q has %d sentences, want %d: %v", in, len(got), want, got)
		}
	}
}

func TestEntities(t *testing.T) {
	got := strings.Join(Entities("The Bank of England raised rates. In New\nYork, Ada Lovelace saw error E-1042 of TraceMonkey, max_size and the IBM of 1990. The Bank closed. ada lovelace"), "|")
	if want := "Bank of England|New York|Ada Lovelace|E-1042|TraceMonkey|max_size|IBM"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = strings.Join(Entities("Details\nThe Bank of\n England lends.\n\nValue\n\nNew Line In\nHarbour   Bridge\n\nThe End"), "|")
	if want := "Bank of England|New Line In Harbour Bridge"; got != want {
		t.Errorf("beside headings %s, want %s", got, want)
	}
}
