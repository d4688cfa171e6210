package evidence

import "testing"

// The best sentence answers in each language as in English.
func TestChooseByHowALanguageAsks(t *testing.T) {
	for question, sentences := range map[string][]string{ // the first sentence answers
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
		for _, order := range [][]string{{sentences[0], sentences[1]}, {sentences[1], sentences[0]}} {
			passage := order[0] + " " + order[1]
			c := Choose(question, texts(nil, passage))[0]
			if got := passage[c.Start:c.End]; got != sentences[0] {
				t.Errorf("%s\n got %s\nwant %s", question, got, sentences[0])
			}
		}
	}
}

// A question in one language finds nothing in a text of another by its small words.
func TestOtherLanguagesDoNotMeet(t *testing.T) {
	for _, question := range []string{"¿Qué es un pato?", "Was ist eine Ente?", "Qu'est-ce qu'un canard ?", "Cos'è un'anatra?", "O que é um pato?"} {
		for _, c := range Choose(question, texts(nil, "Ducks are birds. El un es of code: que = un(es) was ist ce est um o e.")) {
			if c.Within > 0 {
				t.Errorf("%s: %+v", question, c)
			}
		}
	}
}
