package question

import "testing"

func TestLanguage(t *testing.T) {
	for question, want := range map[string]string{
		"¿Qué es un pato?":                       "es",
		"Que es un pato?":                        "es",
		"¿Cuántos empleados tiene la empresa?":   "es",
		"Was ist eine Ente?":                     "de",
		"Wer hat die Firma gegründet?":           "de",
		"Wie viele Mitarbeiter hat die Firma?":   "de",
		"In welchem Jahr wurde sie gegründet?":   "de",
		"Qu'est-ce qu'un canard ?":               "fr",
		"Qui a fondé l'entreprise ?":             "fr",
		"Combien d'employés y a-t-il ?":          "fr",
		"Cos'è un'anatra?":                       "it",
		"Chi ha fondato l'azienda?":              "it",
		"Quanti dipendenti ha la società?":       "it",
		"O que é um pato?":                       "pt",
		"Quem fundou a empresa?":                 "pt",
		"鸭子是什么？":                                 "zh",
		"カモとは何ですか？":                              "ja",
		"Who was Luther?":                        "en",
		"Was Luther born in Germany?":            "en",
		"What is the die made of?":               "en",
		"Come si chiama il presidente?":          "it",
		"Comment on the results of the trial":    "en",
		"How do you say duck in French?":         "en",
		"In what year did Que Sera Sera appear?": "en",
		"":                                       "",
	} {
		if got := Language(question); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

func TestKindInOtherLanguages(t *testing.T) {
	for question, want := range map[string]Kind{
		"Wer hat die Firma gegründet?":             KindPerson,
		"Wann wurde die Firma gegründet?":          KindTime,
		"In welchem Jahr wurde sie gegründet?":     KindTime,
		"Wie viele Mitarbeiter hat die Firma?":     KindNumber,
		"Wie hoch ist der Umsatz?":                 KindNumber,
		"Wo ist der Sitz der Firma?":               KindPlace,
		"Was ist eine Ente?":                       KindDefine,
		"Warum steigt der Umsatz?":                 KindReason,
		"¿Quién fundó la empresa?":                 KindPerson,
		"¿Cuándo se fundó la empresa?":             KindTime,
		"¿En qué año se fundó la empresa?":         KindTime,
		"¿Cuántos empleados tiene?":                KindNumber,
		"¿Dónde está la sede?":                     KindPlace,
		"¿Qué es un pato?":                         KindDefine,
		"¿Por qué suben los precios?":              KindReason,
		"Qui a fondé l'entreprise ?":               KindPerson,
		"Quand l'entreprise a-t-elle été fondée ?": KindTime,
		"Combien d'employés y a-t-il ?":            KindNumber,
		"Où se trouve le siège ?":                  KindPlace,
		"Qu'est-ce qu'un canard ?":                 KindDefine,
		"Chi ha fondato l'azienda?":                KindPerson,
		"Quando è stata fondata l'azienda?":        KindTime,
		"Quanti dipendenti ha la società?":         KindNumber,
		"Cos'è un'anatra?":                         KindDefine,
		"Quem fundou a empresa?":                   KindPerson,
		"Quando a empresa foi fundada?":            KindTime,
		"Quantos funcionários tem a empresa?":      KindNumber,
		"Onde fica a sede da empresa?":             KindPlace,
		"O que é um pato?":                         KindDefine,
		"鸭子是什么？":                                   KindDefine,
		"这座桥是什么时候建成的？":                             KindTime,
		"カモとは何ですか？":                                KindDefine,
		"橋はいつ建てられましたか":                             KindTime,
	} {
		if got := KindOf(question); got != want {
			t.Errorf("%s: %v, want %v", question, got, want)
		}
	}
}
