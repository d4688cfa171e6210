package evidence

import "testing"

func TestGrade(t *testing.T) {
	const question = "How long does the warranty last?"
	passages := []Passage{
		{Under: "Terms", Text: "Goods are delivered within ten days. The warranty lasts two years.", Score: 0.9},
		{Under: "Terms", Text: "The rent is due on the first of each month.", Score: 0.3},
		{Under: "Terms", Text: "A warranty may be void.", Score: 0.4},
	}
	grades := Grade(question, passages)
	if GradeScale.Class(grades[0]) != Correct || GradeScale.Class(grades[1]) == Correct || grades[0] <= grades[2] || grades[2] <= grades[1] {
		t.Errorf("grades %.3f", grades)
	}
	closer := append([]Passage{}, passages...)
	closer[2].Score = 0.89
	if again := Grade(question, closer); again[0] >= grades[0] {
		t.Errorf("far ahead of the others it is graded %.3f, side by side %.3f", grades[0], again[0])
	}
	if alone := Grade(question, []Passage{{}}); len(alone) != 1 || GradeScale.Class(alone[0]) != Incorrect {
		t.Errorf("a passage without words is graded %.3f", alone)
	}
}

func TestClass(t *testing.T) {
	s := Scale{CorrectFrom: 0.7, IncorrectBelow: 0.3}
	for grade, want := range map[float64]string{0.7: Correct, 0.69: Ambiguous, 0.3: Ambiguous, 0.29: Incorrect} {
		if got := s.Class(grade); got != want {
			t.Errorf("%v is %s, want %s", grade, got, want)
		}
	}
}

func TestConfidence(t *testing.T) {
	passages := texts(nil, "The company sold 40 ships in 2019. It was founded in Lund.", "The weather was fine.")
	sure := Confidence(Choose("How many ships did the company sell in 2019?", passages))
	other := Confidence(Choose("How many ships did the company sell in 2017?", passages))
	far := Confidence(Choose("Who painted the ceiling of the chapel?", passages))
	if !(sure > other && other > far) {
		t.Errorf("of what is asked %.3f, of another year %.3f, of something else %.3f", sure, other, far)
	}
	ranked := Choose("How many ships did the company sell in 2017?", passages)
	if ranked[0].Figure = false; Confidence(ranked) <= other {
		t.Errorf("a figure that stands nowhere takes nothing off %.3f", other)
	}
}

// What no language file knows is read with the words of English.
func TestLexicons(t *testing.T) {
	for _, language := range []string{"", "sv", "xx", "en"} {
		if l := lexiconOf(language); !l.defining["means"] || l.traitsOf("july")&isMonth == 0 {
			t.Errorf("%q has no English words", language)
		}
	}
	german := lexiconOf("de")
	if german.traitsOf("juli")&isTimeWord == 0 || german.traitsOf("july")&isMonth == 0 || german.traitsOf("bedeutet")&isDefining == 0 || !german.defining["bedeutet"] || german.defining["means"] {
		t.Errorf("German: %+v", german)
	}
	if got := german.traitsOf("1999"); got != isFigures|isYear || german.traitsOf("19999") != isFigures || german.traitsOf("x1") != 0 {
		t.Errorf("1999 is %b", got)
	}
}
