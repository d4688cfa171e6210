package charset

import (
	"bytes"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// A text file does not say in which encoding it was written. Every candidate is
// tried on a sample and marked between -1 and 1 by what it makes of the bytes
// beyond ASCII: the characters of a language stand in words, in a certain case,
// some of them far more often than others. East Asian encodings are marked by
// the pairs of bytes themselves (charset_asian.go).

// Guess returns the encoding of text that is not Unicode. Windows-1252,
// of which Latin-1 is a part, is what remains when nothing fits better.
func Guess(data []byte) encoding.Encoding {
	sample := telling(data)
	if bytes.Contains(sample, []byte("\x1B$")) && !hasHighBytes(sample) {
		return japanese.ISO2022JP
	}
	var best encoding.Encoding = charmap.Windows1252
	const ahead = 0.05 // what fits only a little better than Windows-1252 is a coincidence
	most := markAlphabets(charmap.Windows1252, latinAlphabets, sample) + ahead
	for _, c := range singleByte {
		if mark := markAlphabets(c.charmap, c.alphabets, sample) - c.handicap; mark > most {
			best, most = c.charmap, mark
		}
	}
	for _, c := range multiByte {
		if mark := c.mark(sample); mark > most {
			best, most = c.encoding, mark
		}
	}
	return best
}

// tellingBytes of lines with bytes beyond ASCII tell how a text is written.
const tellingBytes = 16 << 10

// telling returns the first lines of a text that have bytes beyond ASCII, or
// escapes.
func telling(data []byte) []byte {
	var sample []byte
	for line := range bytes.SplitSeq(data[:min(len(data), 64*tellingBytes)], []byte("\n")) {
		if tells(line) {
			sample = append(append(sample, line[:min(len(line), tellingBytes)]...), '\n')
		}
		if len(sample) >= tellingBytes {
			break
		}
	}
	return sample
}

func tells(line []byte) bool { return hasHighBytes(line) || bytes.IndexByte(line, 0x1B) >= 0 }

func hasHighBytes(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return true
		}
	}
	return false
}

// alphabet is the letters of a language that are not in ASCII.
type alphabet struct {
	letters string // small ones; where ranked, the most common first
	ranked  bool
}

// latinAlphabets belong to languages that write most letters in ASCII.
var latinAlphabets = []alphabet{
	{letters: "àâæçéèêëîïôœùûüÿ"},  // French
	{letters: "äöüß"},              // German
	{letters: "áéíóúñüªº"},         // Spanish
	{letters: "áâãàçéêíóôõúüªº"},   // Portuguese
	{letters: "àáèéìíòóùú"},        // Italian
	{letters: "æøåéäö"},            // Danish, Norwegian, Swedish, Finnish
	{letters: "áðéíóúýþæö"},        // Icelandic
	{letters: "áéëïóöü"},           // Dutch
	{letters: "ąćęłńóśźż"},         // Polish
	{letters: "áčďéěíňóřšťúůýž"},   // Czech
	{letters: "áäčďéíĺľňóôŕšťúýž"}, // Slovak
	{letters: "áéíóöőúüű"},         // Hungarian
	{letters: "ăâîșțşţ"},           // Romanian
	{letters: "čćđšž"},             // Croatian, Slovenian
	{letters: "çğıöşüâî"},          // Turkish
	{letters: "ąčęėįšųūž"},         // Lithuanian
	{letters: "āčēģīķļņšūž"},       // Latvian
	{letters: "äõöüšž"},            // Estonian
}

var (
	cyrillic = []alphabet{{letters: "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћђџ", ranked: true}}
	greek    = []alphabet{{letters: "αοιετσνηυρπκλμωςδγάίόθήέχφύβξώζψϊϋ", ranked: true}}
	hebrew   = []alphabet{{letters: "יוהלאמרתבשנחכקדפעםטזגסןצךףץ", ranked: true}}
	arabic   = []alphabet{{letters: "اليمنرتبةعدسفهكقحجشطصخأزىءذضثظغإئآؤ", ranked: true}}
	thai     = []alphabet{{letters: "านรกอเงมย่ลวดท้ส\u0e31\u0e35\u0e34ะตปบคหแจพ\u0e37ใ\u0e4cไ\u0e38\u0e39ชขโ", ranked: true}}
)

// singleByte are the encodings of one byte a character besides Windows-1252. Those
// that few files are in have a handicap.
var singleByte = []struct {
	charmap   *charmap.Charmap
	alphabets []alphabet
	handicap  float64
}{
	{charmap.Windows1250, latinAlphabets, 0},
	{charmap.ISO8859_2, latinAlphabets, 0},
	{charmap.Windows1254, latinAlphabets, 0},
	{charmap.Windows1257, latinAlphabets, 0},
	{charmap.ISO8859_15, latinAlphabets, 0},
	{charmap.Windows1251, cyrillic, 0},
	{charmap.KOI8U, cyrillic, 0}, // KOI8-R but for four Ukrainian letters
	{charmap.CodePage866, cyrillic, 0},
	{charmap.ISO8859_5, cyrillic, 0},
	{charmap.MacintoshCyrillic, cyrillic, 0.02},
	{charmap.Windows1253, greek, 0},
	{charmap.ISO8859_7, greek, 0},
	{charmap.Windows1255, hebrew, 0},
	{charmap.Windows1256, arabic, 0},
	{charmap.ISO8859_6, arabic, 0},
	{charmap.Windows874, thai, 0},
	{charmap.CodePage852, latinAlphabets, 0.3},
	{charmap.CodePage850, latinAlphabets, 0.3},
	{charmap.Macintosh, latinAlphabets, 0.3},
}

// markAlphabets returns how well a sample reads in the alphabet that fits best.
func markAlphabets(c *charmap.Charmap, alphabets []alphabet, sample []byte) float64 {
	runes := make([]rune, len(sample))
	for i, b := range sample {
		runes[i] = c.DecodeByte(b)
	}
	best := -1.0
	for _, a := range alphabets {
		best = max(best, a.mark(runes))
	}
	return best
}

// mark is the mean over all characters beyond ASCII but punctuation.
func (a alphabet) mark(runes []rune) float64 {
	const nothing = 0.7 // only punctuation
	sum, n := 0.0, 0
	for i, r := range runes {
		if r < 0x80 {
			continue
		}
		before, after := ' ', ' '
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		mark, counts := a.markRune(r, before, after)
		if counts {
			sum += mark
			n++
		}
	}
	if n == 0 {
		return nothing
	}
	return sum / float64(n)
}

func (a alphabet) markRune(r, before, after rune) (mark float64, counts bool) {
	if !unicode.IsLetter(r) && !unicode.IsMark(r) {
		within := unicode.IsLetter(before) && (unicode.IsLetter(after) || strings.ContainsRune("±¼½¾¹", r))
		usual := strings.ContainsRune("“”„‘‚’–—…«»€§°£©®·•¿¡ªº\u00A0№™´±×÷¼½¾¹²³µ¢¥¨¸", r)
		return -1, !usual || within && r != '’' && r != '\u00A0' && r != '´' && r != '·'
	}
	if unicode.IsUpper(r) && unicode.IsLower(before) {
		return -1, true
	}
	small := unicode.ToLower(r)
	mark = a.weight(small)
	if unicode.IsUpper(r) && unicode.IsUpper(before) && unicode.IsUpper(after) {
		mark *= 0.8 // few texts are in capitals
	}
	foreign := func(c rune) bool { return unicode.IsLetter(c) && (c < 0x80) == a.ranked }
	switch {
	case !a.ranked && !unicode.IsLetter(before) && !unicode.IsLetter(after):
		return 0, false // a sign of another encoding, most likely
	case a.ranked && (foreign(before) || foreign(after)):
		return -1, true // words are wholly of such letters
	case !a.ranked && foreign(before) && foreign(after) && mark > 0:
		return -0.6, true // words are mostly of ASCII
	}
	return mark, true
}

// weight is what a letter speaks for its language.
func (a alphabet) weight(small rune) float64 {
	at := strings.IndexRune(a.letters, small)
	switch rank := len([]rune(a.letters[:max(at, 0)])); {
	case at < 0:
		return -0.6
	case !a.ranked || rank < 12:
		return 1
	case rank < 24:
		return 0.6
	}
	return 0.2
}
