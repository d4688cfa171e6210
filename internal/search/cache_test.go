package search

import "testing"

// Pairs of questions: those that ask the same, and those that differ by what a
// vector hardly sees.
func TestSameQuestion(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"When did the lease begin?", "when did the lease begin", true},
		{"When did the lease begin?", "Can you tell me when the lease began?", false}, // irregular forms are not known
		{"When does the lease begin?", "Please tell me when the lease begins.", true},
		{"What's the rent of the flat?", "What is the rent for the flat?", true},
		{"How many rooms does the house have?", "How many rooms are there in the house?", true},
		{"What was the revenue of Acme in 2022?", "What was Acme's revenue in 2022?", false}, // what beat whom may hang on the order
		{"In which year was the house built?", "The house was built in which year?", true},

		{"What was the revenue in 2022?", "What was the revenue in 2023?", false},
		{"What was the revenue of Acme in 2022?", "What was the revenue of Apex in 2022?", false},
		{"Which goods are covered?", "Which goods are not covered?", false},
		{"Who beat Ada?", "Who did Ada beat?", false},
		{"When did Germany attack France?", "When did France attack Germany?", false},
		{"Who founded Acme?", "When was Acme founded?", false},
		{"What is the highest rent?", "What is the lowest rent?", false},
		{"Who was the first owner?", "Who was the last owner?", false},
		{"What happened before the war?", "What happened after the war?", false},
		{"How long is the lease?", "How old is the lease?", false},
		{"What must be paid within 30 days?", "What must be paid within 14 days?", false},
		{"Is it?", "Was it?", false},
	} {
		if got := SameQuestion(tc.a, tc.b); got != tc.same {
			t.Errorf("%s | %s: %t\n%+v\n%+v", tc.a, tc.b, got, formOf(tc.a), formOf(tc.b))
		}
	}
}
