package evidence

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

var passagesOfNormans = []string{
	"The Normans were the people who in the 10th and 11th centuries gave their name to Normandy. They were descended from Norse raiders. " +
		"Their leader Rollo agreed to swear fealty to King Charles III.",
	"Rouen is a city on the river Seine. In 1204 it fell to Philip of France.",
}

// texts are passages under nothing; scores are theirs, nil means all alike.
func texts(scores []float64, texts ...string) []Passage {
	passages := make([]Passage, len(texts))
	for i, s := range texts {
		passages[i].Text = s
		if scores != nil {
			passages[i].Score = scores[i]
		}
	}
	return passages
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct{ question, want string }{
		{"Which leader swore fealty to King Charles?", "Their leader Rollo agreed to swear fealty to King Charles III."},
		{"From whom were they descended, which raiders?", "They were descended from Norse raiders."},
		{"When did Rouen fall to France?", "In 1204 it fell to Philip of France."},
		{"On which river is Rouen?", "Rouen is a city on the river Seine."},
	} {
		c := Choose(tt.question, texts(nil, passagesOfNormans...))[0]
		if got := passagesOfNormans[c.Passage][c.Start:c.End]; got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.question, got, tt.want)
		}
	}
}

func TestChooseRanksEverySentenceOnce(t *testing.T) {
	choices := Choose("Who was Rollo?", texts([]float64{1, 0.5}, passagesOfNormans...))
	if len(choices) != 5 {
		t.Fatalf("%d choices for 5 sentences", len(choices))
	}
	for i, c := range choices {
		if c.Coverage < 0 || c.Coverage > 1 {
			t.Errorf("coverage %v", c.Coverage)
		}
		if i > 0 && c.Score > choices[i-1].Score {
			t.Errorf("choice %d is better than the one before", i)
		}
	}
}

func TestChooseHeedsThePassageScore(t *testing.T) {
	same := []string{"Rollo was here.", "Rollo was here."}
	if c := Choose("Rollo?", texts([]float64{0.2, 0.9}, same...))[0]; c.Passage != 1 {
		t.Errorf("chose passage %d", c.Passage)
	}
}

func TestChooseInOtherLanguages(t *testing.T) {
	passages := []string{"Die Brücke wurde 1890 gebaut. Häuser stehen an beiden Ufern des Flusses.", "東京は日本の首都です。大阪は西にあります。"}
	for question, want := range map[string]string{
		"Wo stehen die Häuser?": "Häuser stehen an beiden Ufern des Flusses.",
		"日本の首都はどこですか":           "東京は日本の首都です。",
	} {
		c := Choose(question, texts(nil, passages...))[0]
		if got := passages[c.Passage][c.Start:c.End]; got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("When did it fall?", "In 1204 it fell. Yes.")
	f.Add("the", "The who. \xff")
	f.Add(strings.Repeat("a1 b2 c3 ", 60), "a1 b2. c3 a1!")
	f.Add("How many rows?", "A | B\nrows: x | 5\nTotal\t7.5\n")
	f.Fuzz(func(t *testing.T, question, passage string) {
		for _, c := range Choose(question, texts(nil, passage, question)) {
			p := []string{passage, question}[c.Passage]
			if c.Start < 0 || c.End > len(p) || c.Start >= c.End || c.Score != c.Score || c.Coverage > 1.000001 {
				t.Fatalf("choice %+v in %d bytes", c, len(p))
			}
		}
	})
}

func TestChooseKnowsWhatAPassageStandsUnder(t *testing.T) {
	passages := []Passage{
		{Under: "Alpha Contract", Text: "The fee is 100 euros.", Score: 1},
		{Under: "Beta Contract\nFees", Text: "The fee is 90 euros.", Score: 1},
	}
	for i, question := range []string{"How much is the fee in the alpha contract?", "How much is the fee in the beta contract?"} {
		c := Choose(question, passages)[0]
		if c.Passage != i || c.Within <= c.Coverage {
			t.Errorf("%s: %+v", question, c)
		}
	}
}

func TestChooseReadsTables(t *testing.T) {
	passages := []string{"Year | 2018 | 2019\nNet sales:\nNorth | 141.2 | 170.5\nTotal | 300.1 | 305.2\nNorth and south grew."}
	c := Choose("How much were net sales in 2019?", texts(nil, passages...))[0]
	if got := passages[0][c.Start:c.End]; got != "Total | 300.1 | 305.2" || c.Header != "Year | 2018 | 2019\nNet sales:" || c.Sentence != 3 {
		t.Errorf("chose %q under %q: %+v", got, c.Header, c)
	}
}

func TestChooseCountsWhatIsAskedFor(t *testing.T) {
	passages := []string{"Many ships of the fleet sailed in May. The fleet lost twelve ships. Why did the ships sail?"}
	choices := Choose("How many ships did the fleet lose?", texts(nil, passages...))
	if c := choices[0]; c.Sentence != 1 || c.Asks || c.Density <= 0 {
		t.Errorf("chose %+v", c)
	}
	if c := choices[2]; c.Sentence != 2 || !c.Asks {
		t.Errorf("chose last %+v", c)
	}
}

func TestRising(t *testing.T) {
	for _, tt := range []struct {
		order []int8
		want  int
	}{{nil, 0}, {[]int8{3}, 1}, {[]int8{2, 0, 1, 1, 3}, 3}, {[]int8{5, 4, 3}, 1}, {[]int8{0, 0, 0}, 1}} {
		if got := rising(tt.order); got != tt.want {
			t.Errorf("rising(%v) = %d, want %d", tt.order, got, tt.want)
		}
	}
}

// prose is a paragraph to measure with.
const prose = `The committee, which met on 12 March 2018 in Geneva, found that the company's revenues had grown by 3.5% to
$1,577 million. "We don't expect this to last," said J. R. Smith of Acme Inc. at the U.S. headquarters. The reports E-1042 and
E-1043 describe the details. However, several members, e.g. Dr. Jones, disagreed with the findings of the first report.`

// BenchmarkChoose ranks what a search returns: 7 and 20 passages of a thousand
// bytes.
func BenchmarkChoose(b *testing.B) {
	for _, n := range []int{7, 20} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			passages := slices.Repeat([]string{strings.Repeat(prose+" ", 2)}, n)
			for b.Loop() {
				Choose("Who said that the company's revenues had grown?", texts(nil, passages...))
			}
		})
	}
}

// TestIdentifiersAreQuotedAsTheyAreWritten: a sentence with parts of an
// identifier is not about it.
func TestIdentifiersAreQuotedAsTheyAreWritten(t *testing.T) {
	passage := "The code E1042B is reserved. The code E-1042 means that the pump has lost pressure. The code E-1043 means that the motor is too hot. " +
		"Parsing a config is slow; a file is read once. The function parseConfigFile reads its file and calls max_retry_count afterwards, in this order."
	for question, want := range map[string]string{"E-1042": "lost pressure", "What does E1042 mean?": "lost pressure", "parseConfigFile": "The function",
		"What does parseConfigFile do?": "The function", "max_retry_count": "The function", "E1042B": "is reserved"} {
		best := Choose(question, texts(nil, passage))[0]
		if got := passage[best.Start:best.End]; !strings.Contains(got, want) {
			t.Errorf("%s: %q", question, got)
		}
	}
}
