package question

import "testing"

func TestKindOf(t *testing.T) {
	for question, want := range map[string]Kind{
		"How many people live there?":          KindNumber,
		"How does it work?":                    KindAny,
		"In what year did it end?":             KindTime,
		"Who wrote it?":                        KindPerson,
		"Where is it?":                         KindPlace,
		"Why did it fail?":                     KindReason,
		"Which party won the vote?":            KindName,
		"What is a chloroplast?":               KindDefine,
		"When did the number of people double": KindTime,
		"how":                                  KindAny,
		"":                                     KindAny,
	} {
		if got := KindOf(question); got != want {
			t.Errorf("KindOf(%q) = %d, want %d", question, got, want)
		}
	}
}
