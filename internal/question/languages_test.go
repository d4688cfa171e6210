package question

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ibid/internal/text"
)

// Every role of a language is one that somebody asks for: a role that is misspelt plays
// none. English has all of them.
func TestRoles(t *testing.T) {
	known := map[string]bool{}
	for _, name := range strings.Split(rolesOfTests, ",") {
		known[strings.Join(strings.Fields(name), " ")] = true
		if !slices.Contains(text.Roles("en"), strings.TrimSpace(name)) {
			t.Errorf("English has no %q", name)
		}
	}
	for _, code := range text.Languages() {
		for _, name := range text.Roles(code) {
			if !known[name] && !rolesOfText.MatchString(name) {
				t.Errorf("%s has a role %q", code, name)
			}
			for _, p := range text.Phrases(code, name) {
				if _, err := regexp.Compile(p); err != nil || strings.TrimSpace(p) == "" || strings.HasPrefix(p, " ") {
					t.Errorf("%s, %s: %q: %v", code, name, p, err)
				}
			}
		}
	}
}

const rolesOfTests = `ask, lead, and, vs, with, on, compare, difference, greeting, address, thanks, much, word, identity, clock, zone, calculate, result,
	plus, minus, times, over, power, squared, cubed, percent, root, summarise, complex, explain, elsewhere, go on, alone, pronoun, preposition, within name, not a name,
	about, what is, document, titled, determiner, reads, according, per, inside, beside, says, does, in passing, hints, telling, filler, measured, counts, comparing`

// rolesOfText are the roles of kinds of answers, of what evidence asks for, and those that
// English does not have.
var rolesOfText = regexp.MustCompile(`^(asks|noun) (person|place|time|number|reason|define|name|other)$|^(begins|defines|article|narrows|calls|month|time word|number word|place before|is or means|is|reason|sums up|joins|denies|starts|tie|particle|ends|apart)$`)

func TestSmallTalk(t *testing.T) {
	for message, want := range map[string]Talk{
		"": Nothing, " ?! ": Nothing, "Hi!": Greeting, "hello there 👋": Greeting, "Guten Tag!": Greeting, "¡Hola!": Greeting, "你好": Greeting,
		"Thanks": Thanks, "thank you very much for the help": Thanks, "Merci beaucoup.": Thanks, "Who are you?": Identity, "help": Identity,
		"What’s up?": Word, "Tschüss": Word, "Thanks, great!": Word,
		"Hi, how long does the lease run?": NoTalk, "great news?": NoTalk, "What are you allowed to do in the yard?": NoTalk, "helpers": NoTalk, "No pets?": NoTalk,
	} {
		if got := SmallTalk(message); got != want {
			t.Errorf("%q is %d, want %d", message, got, want)
		}
	}
}

func TestClockAndArithmetic(t *testing.T) {
	for message, want := range map[string]string{
		"What time is it in New York?": "New York", "what's today's date": "here", "Wie spät ist es?": "here", "What is the current time and date?": "here",
		"What is the time limit for returns?": "", "What is the date of the contract?": "", "When is it time?": "",
	} {
		zone, ok := Clock(message)
		if zone == "" && ok {
			zone = "here"
		}
		if zone != want {
			t.Errorf("%q: %q, want %q", message, zone, want)
		}
	}
	for message, want := range map[string]string{
		"What is 15% of 2,340?": "15 / 100 * 2340", "2 x 3 x 4 =": "2 * 3 * 4", "Was ist 3 mal 4?": "3 * 4", "Berechne 12 geteilt durch 4": "12 / 4", "what's 20 prozent von 50": "20 / 100 * 50",
		"2023-2024": "", "What happened in 1984?": "", "3 mal 4 Leute": "",
	} {
		if got, _ := Arithmetic(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// What asks for one thing in one language asks for it in all.
func TestFormsInOtherLanguages(t *testing.T) {
	for _, q := range []string{"How long does it run", "Wie lange läuft er", "Combien de temps dure le bail", "¿Cuánto dura", "Quanto dura", "Em que ano foi", "Where", "Na und?"} {
		if !Is(q) {
			t.Errorf("%q asks nothing", q)
		}
	}
	for _, q := range []string{"However it may be", "Where's", "The lease", "Womit", "Queue up", "Come on"} {
		if want := q == "Where's" || q == "Come on"; Is(q) != want { // "come" asks in Italian
			t.Errorf("%q asks: %t", q, !want)
		}
	}
	for q, want := range map[string]string{
		"Compare the lease and the deed on pets":                     "the lease|the deed|pets",
		"Vergleiche den Mietvertrag mit der Urkunde":                 "den Mietvertrag|der Urkunde|",
		"¿Cuál es la diferencia entre un pato y un ganso?":           "un pato|un ganso|",
		"How does a.pdf differ from b.pdf regarding rents?":          "a.pdf|b.pdf|rents",
		"What is the difference in price between gold and silver?":   "gold|silver|price",
		"What does the lease say about pets?":                        "||",
		"How does the tenant pay and with what?":                     "||",
		"Who compares the lease and the deed?":                       "||",
		"Lease vs. deed":                                             "Lease|deed|",
		"What's the difference between the lease and the deed then?": "the lease|the deed then|",
	} {
		a, b, topic, _ := Comparison(q)
		if got := a + "|" + b + "|" + topic; got != want {
			t.Errorf("%q: %q, want %q", q, got, want)
		}
	}
	for q, want := range map[string]string{"Résumez le bail": "le bail", "Riassunto del contratto": "contratto", "Summarise report.pdf": "report.pdf", "What's in the lease?": "lease", "Who signed the lease?": ""} {
		if got, _ := Whole(q); got != want {
			t.Errorf("%q: %q, want %q", q, got, want)
		}
	}
}

func TestTakenOver(t *testing.T) {
	for _, tc := range []struct{ earlier, question, want string }{
		{"", "Why?", ""},
		{"Who founded Acme Ltd in Lund?", "Who signed the lease of the mill?", ""},
		{"Who founded Acme Ltd in Lund?", "Why?", "founded Acme Ltd Lund"},
		{"Who founded Acme Ltd in Lund? / And when?", "Where is it based?", "founded Acme Ltd Lund"},
	} {
		var earlier []string
		if tc.earlier != "" {
			earlier = strings.Split(tc.earlier, " / ")
		}
		if got := TakenOver(tc.question, earlier); got != tc.want {
			t.Errorf("%s | %s: %q, want %q", tc.earlier, tc.question, got, tc.want)
		}
	}
}
