package calc

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of an expression.
const (
	maxExpression = 1000 // bytes
	maxDepth      = 100  // of nesting
	maxArguments  = 100  // of one function
)

// parser reads an expression by recursive descent:
//
//	sum     = product { ("+" | "-") product }
//	product = sign { ("*" | "/" | "%" | "of") sign }
//	sign    = { "+" | "-" } power
//	power   = percent [ ("^" | "**") sign ]          binds to the right; -2^2 is -4
//	percent = operand [ "%" ]
//	operand = number | constant | function "(" sum { "," sum } ")" | "(" sum ")"
//
// A "%" is a percent sign unless an operand follows it at once: 10% - 3 is a
// percentage less three, 10 % 3 a remainder. A comma between digits separates
// thousands, except in functions of several arguments.
type parser struct {
	rest  string
	depth int
	list  bool // commas separate arguments here
}

// spelling turns the signs of typesetting into those of a keyboard.
var spelling = strings.NewReplacer("×", "*", "·", "*", "⋅", "*", "÷", "/", "−", "-", "–", "-", "π", "pi", "**", "^")

// parse returns the syntax tree of an expression.
func parse(expression string) (node, error) {
	if len(expression) > maxExpression {
		return nil, fmt.Errorf("the expression is longer than %d characters", maxExpression)
	}
	if !utf8.ValidString(expression) {
		return nil, errors.New("the expression is not readable text")
	}
	p := &parser{rest: strings.TrimSuffix(strings.TrimSpace(spelling.Replace(expression)), "=")}
	if p.peek() == 0 {
		return nil, errors.New("the expression is empty")
	}
	tree, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.peek() != 0 {
		return nil, p.unexpected()
	}
	return tree, nil
}

// peek skips spaces and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// take skips spaces and the byte b, if it comes next.
func (p *parser) take(b byte) bool {
	if b == p.peek() {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

// takeOf skips the word "of", if it comes next.
func (p *parser) takeOf() bool {
	p.peek()
	if strings.EqualFold(leadingName(p.rest), "of") {
		p.rest = p.rest[len("of"):]
		return true
	}
	return false
}

// unexpected says what stands where it cannot.
func (p *parser) unexpected() error {
	switch b := p.peek(); {
	case b == 0:
		return errors.New("the expression ends too early")
	case b == ')':
		return errors.New("there is a ) too many")
	case b == ',':
		return errors.New("unexpected comma: write thousands as 12,345 and decimals with a point")
	case isLetter(b):
		return fmt.Errorf("%q is not known here", leadingName(p.rest))
	}
	r, _ := utf8.DecodeRuneInString(p.rest)
	return fmt.Errorf("unexpected %q", string(r))
}

// enter counts nesting; every enter has its leave.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("the expression is nested deeper than %d", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) sum() (node, error) {
	left, err := p.product()
	for err == nil {
		var op byte
		switch {
		case p.take('+'):
			op = '+'
		case p.take('-'):
			op = '-'
		default:
			return left, nil
		}
		var right node
		right, err = p.product()
		left = binary{op, left, right}
	}
	return nil, err
}

func (p *parser) product() (node, error) {
	left, err := p.sign()
	for err == nil {
		var op byte
		switch {
		case p.take('*'), p.takeOf():
			op = '*'
		case p.take('/'):
			op = '/'
		case p.take('%'):
			op = '%'
		default:
			return left, nil
		}
		var right node
		right, err = p.sign()
		left = binary{op, left, right}
	}
	return nil, err
}

func (p *parser) sign() (node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch {
	case p.take('+'):
		return p.sign()
	case p.take('-'):
		n, err := p.sign()
		return negated{n}, err
	}
	return p.power()
}

func (p *parser) power() (node, error) {
	base, err := p.percent()
	if err != nil || !p.take('^') {
		return base, err
	}
	exponent, err := p.sign()
	return binary{'^', base, exponent}, err
}

func (p *parser) percent() (node, error) {
	n, err := p.operand()
	if err == nil && p.peek() == '%' && !p.remainder() {
		p.take('%')
		return percent{n}, nil
	}
	return n, err
}

// remainder reports whether the "%" that comes next stands between operands.
func (p *parser) remainder() bool {
	after := parser{rest: p.rest[1:]}
	b := after.peek()
	return b == '(' || b == '.' || isDigit(b) || isLetter(b) && !after.takeOf()
}

func (p *parser) operand() (node, error) {
	switch b := p.peek(); {
	case isDigit(b) || b == '.':
		return p.number()
	case isLetter(b):
		return p.named()
	case p.take('('):
		defer func(list bool) { p.list = list }(p.list)
		p.list = false
		n, err := p.sum()
		if err == nil && !p.take(')') {
			err = p.unclosed()
		}
		return n, err
	}
	return nil, p.unexpected()
}

func (p *parser) unclosed() error {
	if p.peek() == 0 {
		return errors.New("a ) is missing")
	}
	return p.unexpected()
}

// named reads a constant or a function with its arguments.
func (p *parser) named() (node, error) {
	name := leadingName(p.rest)
	if c, ok := constants[strings.ToLower(name)]; ok {
		p.rest = p.rest[len(name):]
		return c, nil
	}
	f, ok := functions[strings.ToLower(name)]
	if !ok {
		return nil, fmt.Errorf("%q is not known; there are %s", name, knownNames)
	}
	p.rest = p.rest[len(name):]
	if !p.take('(') {
		return nil, fmt.Errorf("%s needs its arguments in parentheses", name)
	}
	defer func(list bool) { p.list = list }(p.list)
	p.list = f.most > 1
	var args []node
	for {
		n, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, n)
		if p.take(')') {
			break
		}
		if f.most == 1 && p.peek() == ',' {
			return nil, fmt.Errorf("%s takes one argument", name)
		}
		if !p.take(',') {
			return nil, p.unclosed()
		}
	}
	switch {
	case len(args) > f.most:
		return nil, fmt.Errorf("%s takes at most %s", name, count(f.most, "argument"))
	case len(args) < f.least:
		return nil, fmt.Errorf("%s takes at least %s", name, count(f.least, "argument"))
	}
	return called{f.eval, args}, nil
}

// number reads digits with thousands separators, a fraction and an exponent:
// 2,340  .5  1.5e-3
func (p *parser) number() (node, error) {
	digits := leadingDigits(p.rest)
	s := p.rest[len(digits):]
	if len(digits) <= 3 && digits != "" && !p.list {
		for len(s) > 3 && s[0] == ',' && len(leadingDigits(s[1:])) == 3 {
			digits += s[1:4]
			s = s[4:]
		}
	}
	decimal := digits
	if s != "" && s[0] == '.' {
		fraction := leadingDigits(s[1:])
		if digits == "" && fraction == "" {
			return nil, errors.New("unexpected \".\"")
		}
		decimal = digits + "." + fraction
		s = s[1+len(fraction):]
	}
	exponent, s, err := exponentOf(s)
	if err != nil {
		return nil, err
	}
	p.rest = s
	if b := p.peek(); isDigit(b) || b == '.' || isLetter(b) && !strings.EqualFold(leadingName(p.rest), "of") {
		return nil, fmt.Errorf("an operator is missing after %s", decimal)
	}
	r, ok := new(big.Rat).SetString(decimal + "e" + strconv.Itoa(exponent))
	if !ok {
		return nil, fmt.Errorf("%s is not a number", decimal)
	}
	return literal{number{r: r}}, nil
}

// maxExponent bounds the e of a number, so that no literal is large before it
// is looked at.
const maxExponent = 4000

// exponentOf reads "e-3" at the start of s, if it is there: an e with no digits
// is left alone.
func exponentOf(s string) (exponent int, rest string, err error) {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0, s, nil
	}
	sign, digits := "", s[1:]
	if digits != "" && (digits[0] == '+' || digits[0] == '-') {
		sign, digits = digits[:1], digits[1:]
	}
	digits = leadingDigits(digits)
	if digits == "" {
		return 0, s, nil
	}
	exponent, err = strconv.Atoi(sign + digits)
	if err != nil || exponent > maxExponent || exponent < -maxExponent {
		return 0, s, fmt.Errorf("the exponent of a number is larger than %d", maxExponent)
	}
	return exponent, s[1+len(sign)+len(digits):], nil
}

func leadingDigits(s string) string {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i]
}

func leadingName(s string) string {
	i := 0
	for i < len(s) && (isLetter(s[i]) || i > 0 && isDigit(s[i])) {
		i++
	}
	return s[:i]
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_' }

// count is "1 argument", "7 arguments".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
