package question

import (
	"strings"
	"testing"
)

func TestStandalone(t *testing.T) {
	for _, tc := range []struct {
		earlier  string // separated by " / "
		question string
		want     string
		unsure   bool
	}{
		{"What was the revenue in 2022?", "And in 2023?", "What was the revenue in 2023?", false},
		{"What was the revenue in 2022? / And in 2023?", "and 2024?", "What was the revenue in 2024?", false},
		{"What is the rent?", "And the deposit?", "What is the deposit?", false},
		{"What is the rent?", "What about the deposit?", "What is the deposit?", false},
		{"Who founded Acme Ltd?", "Where is it based?", "Where is Acme Ltd based?", false},
		{"Who founded Acme Ltd?", "What are its products?", "What are Acme Ltd's products?", false},
		{"When was Ada Lovelace born?", "When did she die?", "When did Ada Lovelace die?", false},
		{"What is the population of Norway?", "And of Sweden?", "What is the population of Sweden?", false},
		{"What is the population of Norway?", "How about Sweden?", "What is the population of Sweden?", false},
		{"How long is the lease?", "Who signed it?", "Who signed the lease?", false},
		{"What was the revenue of Acme in Germany?", "And in France?", "What was the revenue of Acme in France?", false},
		{"Wie hoch war der Umsatz 2022?", "Und 2023?", "Wie hoch war der Umsatz 2023?", false},
		{"Wie hoch war der Umsatz in Deutschland?", "und in Frankreich?", "Wie hoch war der Umsatz in Frankreich?", false},
		{"¿Cuáles fueron los ingresos en 2022?", "¿Y en 2023?", "¿Cuáles fueron los ingresos en 2023?", false},
		{"Quel était le chiffre d'affaires en 2022 ?", "Et en 2023 ?", "Quel était le chiffre d'affaires en 2023 ?", false},
		{"Quanti dipendenti aveva la società nel 2022?", "E nel 2023?", "Quanti dipendenti aveva la società nel 2023?", false},
		{"Quantos funcionários havia em 2022?", "E em 2023?", "Quantos funcionários havia em 2023?", false},
		// They stand alone.
		{"Wie hoch ist die Miete?", "Wer hat den Vertrag mit der Firma unterschrieben?", "Wer hat den Vertrag mit der Firma unterschrieben?", false},
		{"Who founded Acme Ltd?", "How long does the lease run?", "How long does the lease run?", false},
		{"Who founded Acme Ltd?", "What did Tesla do after he left Edison?", "What did Tesla do after he left Edison?", false},
		{"Who founded Acme Ltd?", "Is it possible to end the lease early?", "Is it possible to end the lease early?", false},
		{"What is the rent?", "Are there any pets that are allowed?", "Are there any pets that are allowed?", false},
		{"How long is the notice period?", "and how much is the rent?", "how much is the rent?", false},
		{"", "And in 2023?", "And in 2023?", false},
		// No rule knows, so the words are taken over.
		{"Wer gründete Acme?", "Wann wurde sie verkauft?", "Wann wurde sie verkauft? (gründete Acme)", true},
		{"Qui a fondé Acme ?", "Quand est-elle née ?", "Quand est-elle née ? (a fondé Acme)", true},
		{"¿Quién fundó Acme?", "¿Cuándo?", "¿Cuándo? (fundó Acme)", true},
		{"Who founded Acme Ltd in Lund?", "Why?", "Why? (founded Acme Ltd Lund)", true},
		{"Did Ada Lovelace write to Charles Babbage?", "When did she die?", "When did she die? (Ada Lovelace write Charles Babbage)", true},
		{"What was the revenue in 2022 and in 2021?", "And in 2023?", "And in 2023? (revenue 2022 2021)", true},
		{"How long is the lease of Lund?", "And how much is the rent?", "And how much is the rent? (lease Lund)", true},
		{"How long does the lease run?", "And the rent?", "And the rent? (lease run)", true},
	} {
		var earlier []string
		if tc.earlier != "" {
			earlier = strings.Split(tc.earlier, " / ")
		}
		got, sure := Standalone(tc.question, earlier)
		if got != tc.want || sure == tc.unsure {
			t.Errorf("%s | %s → %q, sure %t; want %q", tc.earlier, tc.question, got, sure, tc.want)
		}
	}
}

func TestParts(t *testing.T) {
	for question, want := range map[string]string{
		"How long does the lease run, and what is the rent?":                "How long does the lease run? / What is the rent?",
		"Who signed the lease? When does it end?":                           "Who signed the lease? / When does the lease end?",
		"Who is Ada Lovelace? Where was she born? When did she die?":        "Who is Ada Lovelace? / Where was Ada Lovelace born? / When did Ada Lovelace die?",
		"Compare the lease and the deed on pets":                            "pets the lease / pets the deed",
		"What is the difference between the old lease and the new lease?":   "the old lease / the new lease",
		"How does the 2022 report differ from the 2023 report on earnings?": "earnings the 2022 report / earnings the 2023 report",
		"How does authentication relate to compliance?":                     "authentication / compliance / How does authentication relate to compliance?",
		"What is the impact of rates on rents?":                             "rates / rents / What is the impact of rates on rents?",
		"BM25 vs. vectors":                                                  "BM25 / vectors",
		"Was ist der Unterschied zwischen der Miete und der Pacht?":         "der Miete / der Pacht",
		"Quelle est la différence entre le bail et le loyer ?":              "le bail / le loyer",
		"¿Cuál es la diferencia entre un pato y un ganso?":                  "un pato / un ganso",
		"Qual è la differenza tra un'anatra e un'oca?":                      "un'anatra / un'oca",
		"Qual é a diferença entre um pato e um ganso?":                      "um pato / um ganso",
		"Wann endet der Vertrag und wie hoch ist die Miete?":                "Wann endet der Vertrag? / Wie hoch ist die Miete?",
		"¿Quién firmó el contrato y cuándo termina el plazo?":               "Quién firmó el contrato? / Cuándo termina el plazo?",
		"Qui a signé le bail et combien coûte le loyer ?":                   "Qui a signé le bail? / Combien coûte le loyer?",
		"Chi ha firmato il contratto e quanto costa l'affitto?":             "Chi ha firmato il contratto? / Quanto costa l'affitto?",
		"Wer hat den Vertrag und die Anlage unterschrieben?":                "",
		"Who wrote the lease?":                                              "",
		"What are the rights and duties?":                                   "",
		"Who wrote and who signed?":                                         "Who wrote? / Who signed?",
		"Tell me when it ends and what then":                                "",
	} {
		if got := strings.Join(Parts(question), " / "); got != want {
			t.Errorf("%s → %q, want %q", question, got, want)
		}
	}
}
