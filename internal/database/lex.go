package database

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// dialect is how a database writes SQL.
type dialect int

const (
	sqliteDialect dialect = iota
	postgresDialect
)

// tokenKind says what a token is.
type tokenKind int

const (
	wordToken   tokenKind = iota // a keyword or a bare name
	nameToken                    // a name in quotes
	stringToken                  // a text
	numberToken
	signToken // an operator, a bracket, a comma…: one character
)

// token is one token of a statement. text is without quotes; a bare word is in
// small letters, as both dialects read it.
type token struct {
	kind tokenKind
	text string
}

// is reports whether a token is a bare word or a sign.
func (t token) is(text string) bool {
	return (t.kind == wordToken || t.kind == signToken) && t.text == text
}

// maxStatement bounds a statement, in bytes.
const maxStatement = 32 << 10

// lex cuts a statement into tokens and leaves comments out. It refuses whatever
// the two dialects, or a database and we, might read differently: strings with
// escapes, dollar quotes, comments within comments, control characters.
func lex(sql string, d dialect) ([]token, error) {
	if len(sql) > maxStatement {
		return nil, errors.New("the statement is too long")
	}
	if !utf8.ValidString(sql) || strings.ContainsFunc(sql, func(c rune) bool {
		return c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f
	}) {
		return nil, errors.New("the statement holds characters that are no text")
	}
	l := lexer{rest: sql, dialect: d}
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.rest == "" {
			return l.tokens, nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

type lexer struct {
	rest    string
	dialect dialect
	tokens  []token
}

func (l *lexer) add(kind tokenKind, text string, size int) {
	l.tokens = append(l.tokens, token{kind, text})
	l.rest = l.rest[size:]
}

// space skips white space and comments.
func (l *lexer) space() error {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t\r\n")
		switch {
		case strings.HasPrefix(l.rest, "--"):
			end := strings.IndexByte(l.rest, '\n')
			if strings.Contains(l.rest[:max(end, 0)], "\r") || end < 0 && strings.Contains(l.rest, "\r") {
				return errors.New("a comment holds a carriage return") // an end of line to one database, not to the other
			}
			if end < 0 {
				end = len(l.rest)
			}
			l.rest = l.rest[end:]
		case strings.HasPrefix(l.rest, "/*"):
			body, after, closed := strings.Cut(l.rest[2:], "*/")
			if !closed || strings.Contains(body, "/*") || strings.HasSuffix(body, "/") {
				return errors.New("a comment is not closed, or holds another one")
			}
			l.rest = after
		default:
			return nil
		}
	}
}

func (l *lexer) next() error {
	s, c := l.rest, l.rest[0]
	switch {
	case c == '\'':
		return l.quoted(stringToken, '\'')
	case c == '"':
		return l.quoted(nameToken, '"')
	case c == '`' && l.dialect == sqliteDialect:
		return l.quoted(nameToken, '`')
	case c == '[' && l.dialect == sqliteDialect:
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return errors.New("a name in [brackets] is not closed")
		}
		l.add(nameToken, s[1:end], end+1)
	case c >= '0' && c <= '9' || c == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return l.number()
	case wordByte(c):
		return l.word()
	case strings.IndexByte("+-*/%<>=!~^&|(),.;:[]", c) >= 0:
		l.add(signToken, s[:1], 1)
	default:
		return errors.New("the statement holds " + quoteForPeople(s[:1]) + ", which is not allowed here")
	}
	return nil
}

// quoted reads a string or a name in quotes, in which two quotes stand for one.
func (l *lexer) quoted(kind tokenKind, quote byte) error {
	for i := 1; i < len(l.rest); i++ {
		if l.rest[i] != quote {
			continue
		}
		if i+1 < len(l.rest) && l.rest[i+1] == quote {
			i++
			continue
		}
		q := string(quote)
		l.add(kind, strings.ReplaceAll(l.rest[1:i], q+q, q), i+1)
		return nil
	}
	return errors.New("a quote is not closed")
}

// number reads digits, a point and an exponent. A number that runs into letters
// is refused: databases disagree about where it ends.
func (l *lexer) number() error {
	s, i := l.rest, 0
	digits := func() {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
	}
	digits()
	if i < len(s) && s[i] == '.' {
		i++
		digits()
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		digits()
	}
	if i < len(s) && (wordByte(s[i]) || s[i] == '.') {
		return errors.New("a number runs into a word")
	}
	l.add(numberToken, s[:i], i)
	return nil
}

// word reads a keyword or a bare name. A word that a quote follows directly is a
// string with a prefix (E'\”, U&”, x”): it is refused.
func (l *lexer) word() error {
	i := 0
	for i < len(l.rest) && (wordByte(l.rest[i]) || l.rest[i] >= '0' && l.rest[i] <= '9') {
		i++
	}
	word := l.rest[:i]
	if i < len(l.rest) && l.rest[i] == '\'' || (word == "u" || word == "U") && strings.HasPrefix(l.rest[i:], "&") {
		return errors.New("strings with a prefix like E'' are not allowed")
	}
	// Only ASCII is folded: that is what both dialects do.
	l.add(wordToken, asciiLower(word), i)
	return nil
}

// wordByte reports whether a byte may begin a bare word: a letter, an
// underscore, or part of a character beyond ASCII.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func quoteForPeople(s string) string { return "“" + s + "”" }
