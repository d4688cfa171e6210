package text

import (
	"strings"
	"testing"
)

var passagesOfNormans = []string{
	"The Normans were the people who in the 10th and 11th centuries gave their name to Normandy. They were descended from Norse raiders. " +
		"Their leader Rollo agreed to swear fealty to King Charles III.",
	"Rouen is a city on the river Seine. In 1204 it fell to Philip of France.",
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct{ question, want string }{
		{"Which leader swore fealty to King Charles?", "Their leader Rollo agreed to swear fealty to King Charles III."},
		{"From whom were they descended, which raiders?", "They were descended from Norse raiders."},
		{"When did Rouen fall to France?", "In 1204 it fell to Philip of France."},
		{"On which river is Rouen?", "Rouen is a city on the river Seine."},
	} {
		c := Choose(tt.question, passagesOfNormans, nil)[0]
		if got := passagesOfNormans[c.Passage][c.Start:c.End]; got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.question, got, tt.want)
		}
	}
}

func TestChooseRanksEverySentenceOnce(t *testing.T) {
	choices := Choose("Who was Rollo?", passagesOfNormans, []float64{1, 0.5})
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
	if c := Choose("Rollo?", same, []float64{0.2, 0.9})[0]; c.Passage != 1 {
		t.Errorf("chose passage %d", c.Passage)
	}
}

func TestChooseInOtherLanguages(t *testing.T) {
	passages := []string{"Die Brücke wurde 1890 gebaut. Häuser stehen an beiden Ufern des Flusses.", "東京は日本の首都です。大阪は西にあります。"}
	for question, want := range map[string]string{
		"Wo stehen die Häuser?": "Häuser stehen an beiden Ufern des Flusses.",
		"日本の首都はどこですか":           "東京は日本の首都です。",
	} {
		c := Choose(question, passages, nil)[0]
		if got := passages[c.Passage][c.Start:c.End]; got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for question, want := range map[string]kind{
		"How many people live there?":          kindNumber,
		"In what year did it end?":             kindTime,
		"Who wrote it?":                        kindPerson,
		"Where is it?":                         kindPlace,
		"Why did it fail?":                     kindReason,
		"What is a chloroplast?":               kindAny,
		"When did the number of people double": kindTime,
		"":                                     kindAny,
	} {
		if got := kindOf(question); got != want {
			t.Errorf("kindOf(%q) = %d, want %d", question, got, want)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("When did it fall?", "In 1204 it fell. Yes.")
	f.Add("the", "The who. \xff")
	f.Add(strings.Repeat("a1 b2 c3 ", 60), "a1 b2. c3 a1!")
	f.Fuzz(func(t *testing.T, question, passage string) {
		for _, c := range Choose(question, []string{passage, question}, nil) {
			p := []string{passage, question}[c.Passage]
			if c.Start < 0 || c.End > len(p) || c.Start >= c.End || c.Score != c.Score || c.Coverage > 1.000001 {
				t.Fatalf("choice %+v in %d bytes", c, len(p))
			}
		}
	})
}

func BenchmarkChoose(b *testing.B) {
	passages := []string{prose, prose, prose, prose, prose, prose, prose}
	for b.Loop() {
		Choose("Who said that the company's revenues had grown?", passages, nil)
	}
}
