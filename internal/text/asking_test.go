package text

import "testing"

func TestQuestionLanguage(t *testing.T) {
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
		if got := QuestionLanguage(question); got != want {
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

// The best sentence answers in each language as in English.
func TestChooseByHowALanguageAsks(t *testing.T) {
	for question, texts := range map[string][]string{ // the first sentence answers
		"Wer gründete die Firma?":                  {"Die Firma wurde von Karl Weiss gegründet.", "Die Firma wurde in den letzten Jahren oft umgebaut."},
		"Wann wurde die Firma gegründet?":          {"Die Firma wurde im März 1987 gegründet.", "Die Firma wurde von Karl Weiss gegründet."},
		"Was ist eine Ente?":                       {"Enten sind Wasservögel aus der Familie der Entenvögel.", "Im Park lebt eine Ente mit drei Jungen."},
		"¿Qué es un pato?":                         {"Un pato es un ave acuática de la familia de las anátidas.", "En el lago vive un pato con su familia."},
		"¿Cuántos empleados tiene la empresa?":     {"La empresa tiene 240 empleados.", "La empresa cuida a sus empleados."},
		"¿Quién fundó la empresa?":                 {"La empresa fue fundada por Ana Ruiz.", "La empresa fundada hace mucho cambió de sede."},
		"Qu'est-ce qu'un canard ?":                 {"Un canard est un oiseau aquatique.", "Un canard nage dans le lac avec ses petits."},
		"Quand l'entreprise a-t-elle été fondée ?": {"L'entreprise a été fondée en 1987.", "L'entreprise a été fondée par Paul Durand."},
		"Cos'è un'anatra?":                         {"L'anatra è un uccello acquatico.", "Nel lago vive un'anatra con i suoi piccoli."},
		"Chi ha fondato l'azienda?":                {"L'azienda è stata fondata da Marco Rossi.", "L'azienda fondata molto tempo fa produce scarpe."},
		"O que é um pato?":                         {"O pato é uma ave aquática.", "No lago vive um pato com os seus filhotes."},
		"Quantos funcionários tem a empresa?":      {"A empresa tem 240 funcionários.", "A empresa cuida dos funcionários."},
		"鸭子是什么？":                                   {"鸭子是一种水鸟。", "湖里住着一只鸭子和它的孩子。"},
		"青葉橋はいつ建てられましたか？":                          {"1938年に建てられました。", "青葉橋は仙台市にある橋です。"},
		"カモとは何ですか？":                                {"カモは水鳥の一種です。", "湖にカモが住んでいます。"},
	} {
		for _, order := range [][]string{{texts[0], texts[1]}, {texts[1], texts[0]}} {
			passage := order[0] + " " + order[1]
			c := Choose(question, []string{passage}, nil)[0]
			if got := passage[c.Start:c.End]; got != texts[0] {
				t.Errorf("%s\n got %s\nwant %s", question, got, texts[0])
			}
		}
	}
}

// A question in one language finds nothing in a text of another by its small words.
func TestOtherLanguagesDoNotMeet(t *testing.T) {
	for _, question := range []string{"¿Qué es un pato?", "Was ist eine Ente?", "Qu'est-ce qu'un canard ?", "Cos'è un'anatra?", "O que é um pato?"} {
		for _, c := range Choose(question, []string{"Ducks are birds. El un es of code: que = un(es) was ist ce est um o e."}, nil) {
			if c.Within > 0 {
				t.Errorf("%s: %+v", question, c)
			}
		}
	}
}
