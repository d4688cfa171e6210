package text

import (
	"slices"
	"strings"
	"unicode"
)

// A form is how a language asks for a kind of answer: words that stand in a row,
// normalized. KindAny: the words alone do not tell, but a noun after them may.
type form struct {
	words []string
	kind  Kind
}

// grammar is what the rules know of a language besides English: how it asks, and
// how it says what the answer may be.
type grammar struct {
	forms     []form // longest first
	nouns     map[Kind]map[string]bool
	defining  map[string]bool // verbs of definitions
	articles  map[string]bool // what follows them there
	narrowing map[string]bool
	naming    map[string]bool
	traits    map[string]traits
	reasons   []string
}

// grammars by language. English has its own tables.
var grammars = map[string]*grammar{
	"de": newGrammar(map[Kind]string{
		KindPerson: "wer|wen|wem|wessen",
		KindPlace:  "wo|wohin|woher",
		KindTime:   "wann|seit wann|bis wann",
		KindNumber: "wie viel|wie viele|wieviel|wieviele|wie lange|wie lang|wie hoch|wie groß|wie alt|wie weit|wie oft|wie schnell|wie schwer|wie teuer|wie breit|wie tief|wie häufig",
		KindReason: "warum|wieso|weshalb",
		KindDefine: "was ist|was sind|was war|was waren|was bedeutet|was bedeuten|was heißt|was versteht man unter|was bezeichnet",
		KindName:   "wie heißt|wie heißen|wie lautet|wie nennt man",
		KindAny: "was|wie|welche|welcher|welches|welchem|welchen|womit|wodurch|wofür|wozu|worin|woraus|worüber|was für|" +
			"was kostet|was macht|was machen|was hat|was haben|was wird|was werden|was kann|was können|was soll|was muss|was gilt|was steht|was sagt|was passiert|was geschah",
	}, map[Kind]string{
		KindTime:   "jahr jahre jahren datum tag monat jahrhundert zeitraum uhrzeit",
		KindNumber: "anzahl zahl betrag preis höhe größe länge gewicht umsatz gehalt temperatur prozentsatz anteil",
		KindPlace:  "land stadt ort staat region länder städte orte",
		KindPerson: "person präsident autor autorin könig königin gründer erfinder",
	}, "ist sind war waren bezeichnet bedeutet heißt heißen nennt", "ein eine einer der die das jede jeder jedes", "in für bei an laut im", "genannt namens",
		"januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrzehnt frühling sommer herbst winter montag dienstag mittwoch donnerstag freitag samstag sonntag",
		"zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend million millionen milliarde milliarden", "in im bei nach aus auf an",
		"weil|da |denn|wegen|aufgrund|deshalb|daher|damit|um zu|führte zu|durch "),
	"fr": newGrammar(map[Kind]string{
		KindPerson: "qui|qui est|à qui|qui a|qui sont",
		KindPlace:  "où|où est|où se",
		KindTime:   "quand|depuis quand",
		KindNumber: "combien|combien de",
		KindReason: "pourquoi",
		KindDefine: "qu est ce que|qu est ce qu|qu est-ce que|que signifie|que veut dire|c est quoi|qu est",
		KindName:   "comment s appelle|comment s appellent",
		KindAny:    "quel|quelle|quels|quelles|que|à quel|à quelle|comment est|comment sont|comment le|comment la|comment les|comment fonctionne|comment faire|comment peut|comment se|est ce que|qu est ce qui",
	}, map[Kind]string{
		KindTime:   "an année années date jour mois siècle heure époque",
		KindNumber: "nombre montant prix pourcentage taux hauteur taille longueur poids distance population coût température",
		KindPlace:  "pays ville villes lieu endroit région capitale",
		KindPerson: "personne président auteur roi reine fondateur inventeur",
	}, "est sont était étaient désigne désignent signifie appelle", "un une le la les l des", "en dans pour selon chez au aux", "appelé appelée appelés nommé nommée",
		"janvier février avril mai juin juillet août septembre octobre novembre décembre siècle décennie printemps été automne hiver lundi mardi mercredi jeudi vendredi samedi dimanche",
		"deux trois quatre cinq six sept huit neuf dix onze douze vingt trente cent mille million millions milliard milliards", "à en dans au aux vers près",
		"parce que|parce qu|car |en raison|à cause|afin d|grâce à|pour que|puisque"),
	"es": newGrammar(map[Kind]string{
		KindPerson: "quién|quiénes|quien|quienes|a quién|de quién",
		KindPlace:  "dónde|donde|adónde|en dónde",
		KindTime:   "cuándo|cuando|desde cuándo",
		KindNumber: "cuánto|cuánta|cuántos|cuántas|cuanto|cuanta|cuantos|cuantas",
		KindReason: "por qué",
		KindDefine: "qué es|qué son|qué era|qué significa|que es|que son|que significa|qué se entiende por",
		KindName:   "cómo se llama|cómo se llaman|como se llama",
		KindAny:    "qué|cuál|cuáles|cual|cuales|cómo|como se|como es|como funciona|que año",
	}, map[Kind]string{
		KindTime:   "año años fecha día mes siglo hora época",
		KindNumber: "número cantidad precio porcentaje altura tamaño longitud peso distancia población costo coste temperatura",
		KindPlace:  "país ciudad ciudades lugar región capital",
		KindPerson: "persona presidente presidenta autor autora rey reina fundador inventor",
	}, "es son era eran significa denomina llama designa", "un una el la los las unos unas", "en para según de del", "llamado llamada llamados denominado denominada",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre siglo década primavera verano otoño invierno lunes martes miércoles jueves viernes sábado domingo",
		"dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien ciento mil millón millones", "en a de desde hacia cerca",
		"porque|debido a|ya que|a causa|por lo que|para que|gracias a|puesto que"),
	"it": newGrammar(map[Kind]string{
		KindPerson: "chi|di chi|a chi",
		KindPlace:  "dove|dov è|da dove",
		KindTime:   "quando|da quando",
		KindNumber: "quanto|quanta|quanti|quante",
		KindReason: "perché|perche",
		KindDefine: "cos è|cosa è|che cos è|che cosa è|cosa sono|che cosa sono|cosa significa|cosa vuol dire|cos e|cosa si intende per",
		KindName:   "come si chiama|come si chiamano",
		KindAny:    "cosa|che cosa|quale|quali|qual|come si|come funziona|come è|in che",
	}, map[Kind]string{
		KindTime:   "anno anni data giorno mese secolo ora epoca",
		KindNumber: "numero quantità prezzo percentuale altezza dimensione lunghezza peso distanza popolazione costo temperatura importo",
		KindPlace:  "paese città luogo regione capitale stato",
		KindPerson: "persona presidente autore autrice re regina fondatore inventore",
	}, "è sono era erano significa indica chiama", "un una uno un' il lo la i gli le l", "in per secondo di del della nel nella", "chiamato chiamata detto detta",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre secolo decennio primavera estate autunno inverno lunedì martedì mercoledì giovedì venerdì sabato domenica",
		"due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta cento mille mila milione milioni miliardo miliardi", "in a ad di da nel nella presso",
		"perché|poiché|a causa|grazie a|affinché|dato che|siccome"),
	"pt": newGrammar(map[Kind]string{
		KindPerson: "quem|de quem|a quem",
		KindPlace:  "onde|aonde|de onde",
		KindTime:   "quando|desde quando",
		KindNumber: "quanto|quanta|quantos|quantas",
		KindReason: "por que|por quê|porquê",
		KindDefine: "o que é|o que são|o que e|o que era|o que significa|que é|que são|que significa|o que se entende por",
		KindName:   "como se chama|como se chamam",
		KindAny:    "o que|qual|quais|como se|como funciona|como é|em que",
	}, map[Kind]string{
		KindTime:   "ano anos data dia mês século hora época",
		KindNumber: "número quantidade preço percentagem porcentagem altura tamanho comprimento peso distância população custo temperatura",
		KindPlace:  "país cidade cidades lugar região capital",
		KindPerson: "pessoa presidente autor autora rei rainha fundador inventor",
	}, "é são era eram significa designa chama", "um uma o a os as", "em para segundo de do da no na", "chamado chamada denominado denominada",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro século década primavera verão outono inverno segunda terça quarta quinta sexta sábado domingo",
		"dois duas três quatro cinco seis sete oito nove dez onze doze vinte trinta cem cento mil milhão milhões bilhão bilhões", "em no na nos nas de do da para",
		"porque|pois|devido a|já que|por causa|graças a|uma vez que"),
}

func newGrammar(asks, nouns map[Kind]string, defining, articles, narrowing, naming, times, numbers, places, reasons string) *grammar {
	g := &grammar{nouns: map[Kind]map[string]bool{}, defining: set(defining), articles: set(articles), narrowing: set(narrowing),
		naming: set(naming), traits: map[string]traits{}, reasons: strings.Split(reasons, "|")}
	for kind, list := range asks {
		for _, s := range strings.Split(list, "|") {
			g.forms = append(g.forms, form{strings.Fields(strings.ReplaceAll(s, "-", " ")), kind})
		}
	}
	slices.SortFunc(g.forms, func(a, b form) int {
		if n := len(b.words) - len(a.words); n != 0 {
			return n
		}
		return slices.Compare(a.words, b.words)
	})
	for kind, list := range nouns {
		g.nouns[kind] = set(list)
	}
	for t, list := range map[traits]string{isTimeWord: times, isNumberWord: numbers, isPlaceBefore: places} {
		for w := range set(list) {
			g.traits[w] |= t
		}
	}
	for w := range g.defining {
		g.traits[w] |= isDefining
	}
	return g
}

// formAt is where a question has its asking words.
type formAt struct {
	form
	at int
}

// asksWithin is how far into a question its asking words may begin: "In what
// year", "Bis zu welchem Datum".
const asksWithin = 4

// find returns the first form of the language in the words of a question.
func (g *grammar) find(words []string) (formAt, bool) {
	for at := range words[:min(len(words), asksWithin)] {
		for _, f := range g.forms {
			if at+len(f.words) <= len(words) && slices.Equal(words[at:at+len(f.words)], f.words) {
				return formAt{f, at}, true
			}
		}
	}
	return formAt{}, false
}

// kindOf tells the kind of answer, and which words only ask.
func (g *grammar) kindOf(words []string) (kind Kind, asking formAt) {
	asking, ok := g.find(words)
	if !ok {
		return KindAny, formAt{}
	}
	rest := words[asking.at+len(asking.words):]
	if asking.kind != KindAny && asking.kind != KindDefine {
		return asking.kind, asking
	}
	for _, w := range rest[:min(len(rest), 4)] {
		for kind, nouns := range g.nouns {
			if nouns[w] {
				return kind, asking
			}
		}
	}
	if asking.kind == KindDefine && len(rest) > 6 {
		return KindAny, asking
	}
	return asking.kind, asking
}

// englishAsks begin a question in English.
var englishAsks = set(`who whom whose what when where which why how is are was were do does did can could will would should has have had may
	summarize summarise compare list show tell give explain describe find name and in on at`)

// QuestionLanguage is the language that a question is asked in. Most are too
// short for Language to tell, but not how they ask. "" where neither does.
func QuestionLanguage(question string) string {
	if l, ok := scriptLanguage(question); ok {
		return l
	}
	if strings.HasPrefix(strings.TrimSpace(question), "¿") {
		return "es"
	}
	words := plainWords(question)
	if len(words) == 0 {
		return ""
	}
	best, most, tie := "", 0, false
	for _, l := range []string{"en", "de", "fr", "es", "it", "pt"} {
		n := 0
		for _, w := range words {
			if slices.Contains(languageOf[w], l) {
				n++
			}
		}
		if l == "en" {
			if englishAsks[words[0]] {
				n += 3
			} else if slices.ContainsFunc(words, Asking) {
				n += 2
			}
		} else if f, ok := grammars[l].find(words); ok {
			n += 1 + len(f.words)
			if f.at == 0 && f.words[len(f.words)-1] != "was" { // an English question may begin so
				n++
			}
		}
		switch {
		case n > most:
			best, most, tie = l, n, false
		case n == most:
			tie = true
		}
	}
	if tie || most < 3 {
		return Language(question)
	}
	return best
}

// plainWords are the normalized words of s, without what is joined of them.
func plainWords(s string) []string {
	var words []string
	for w := range Words(s) {
		if !w.Joined {
			words = append(words, w.Text)
		}
	}
	return words
}

// unspacedForms are how Chinese and Japanese ask; the longer ones first.
var unspacedForms = []struct {
	words string
	kind  Kind
}{
	{"什么时候", KindTime}, {"什麼時候", KindTime}, {"哪一年", KindTime}, {"哪年", KindTime}, {"何时", KindTime}, {"何時", KindTime}, {"いつ", KindTime}, {"何年", KindTime}, {"何月", KindTime},
	{"为什么", KindReason}, {"為什麼", KindReason}, {"为何", KindReason}, {"なぜ", KindReason}, {"どうして", KindReason},
	{"多少", KindNumber}, {"几个", KindNumber}, {"幾個", KindNumber}, {"多长", KindNumber}, {"多大", KindNumber}, {"多高", KindNumber}, {"いくつ", KindNumber}, {"いくら", KindNumber},
	{"何人", KindNumber}, {"何個", KindNumber}, {"何本", KindNumber}, {"何台", KindNumber}, {"何パーセント", KindNumber}, {"どのくらい", KindNumber}, {"どれくらい", KindNumber},
	{"是什么意思", KindDefine}, {"是什么", KindDefine}, {"是什麼", KindDefine}, {"什么是", KindDefine}, {"什麼是", KindDefine}, {"とは何", KindDefine}, {"って何", KindDefine}, {"とはなん", KindDefine},
	{"哪里", KindAny}, {"哪裡", KindAny}, {"在哪", KindAny}, {"どこ", KindAny}, {"谁", KindAny}, {"誰", KindAny}, {"だれ", KindAny}, {"哪个", KindAny}, {"哪些", KindAny}, {"哪", KindAny},
	{"怎么", KindAny}, {"怎麼", KindAny}, {"如何", KindAny}, {"どのように", KindAny}, {"どう", KindAny}, {"どの", KindAny}, {"どれ", KindAny}, {"何", KindAny}, {"什么", KindAny}, {"什麼", KindAny},
}

// withoutAsking takes the asking words out of a Chinese or Japanese question, and
// the particles that tie the others together: pairs of characters across them are
// in no answer.
func withoutAsking(question, language string) (rest string, kind Kind) {
	rest = question
	for _, f := range unspacedForms {
		if strings.Contains(rest, f.words) {
			if kind == KindAny {
				kind = f.kind
			}
			rest = strings.ReplaceAll(rest, f.words, " ")
		}
	}
	if language == "ja" {
		for _, end := range []string{"でしょうか", "ましたか", "ますか", "ですか", "です", "か"} {
			if before, ok := strings.CutSuffix(strings.TrimRight(rest, "？?。 　"), end); ok {
				rest = before
				break
			}
		}
	}
	var b strings.Builder
	last := ' '
	for _, r := range rest {
		particle := language == "ja" && strings.ContainsRune("はがをのにでとも", r) && unicode.In(last, unicode.Han, unicode.Katakana)
		if particle || strings.ContainsRune("的了吗呢嗎是在有？。、，", r) {
			r = ' '
		}
		b.WriteRune(r)
		last = r
	}
	bare := b.String()
	if strings.TrimSpace(bare) == "" {
		return question, kind
	}
	return bare, kind
}
