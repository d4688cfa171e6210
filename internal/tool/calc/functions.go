package calc

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// function is one of the whitelist, with the least and the most arguments it
// takes.
type function struct {
	least, most int
	eval        func(args []number) (number, error)
}

// functions is the whitelist. Nothing else can be called.
var functions = map[string]function{
	"sqrt":  {1, 1, func(a []number) (number, error) { return squareRoot(a[0]) }},
	"abs":   {1, 1, func(a []number) (number, error) { return number{new(big.Rat).Abs(a[0].r), a[0].digits}, nil }},
	"round": {1, 2, round},
	"floor": {1, 1, func(a []number) (number, error) { return number{r: floor(a[0].r)}, nil }},
	"ceil": {1, 1, func(a []number) (number, error) {
		down := floor(new(big.Rat).Neg(a[0].r))
		return number{r: down.Neg(down)}, nil
	}},
	"min": {1, maxArguments, func(a []number) (number, error) { return extreme(a, -1), nil }},
	"max": {1, maxArguments, func(a []number) (number, error) { return extreme(a, 1), nil }},
	"log": {1, 2, logarithm},
	"ln":  {1, 1, func(a []number) (number, error) { return naturalLog(a[0]) }},
	"exp": {1, 1, func(a []number) (number, error) { return exponential(a[0]) }},
	"sin": {1, 1, func(a []number) (number, error) { return trigonometric(math.Sin, a[0]) }},
	"cos": {1, 1, func(a []number) (number, error) { return trigonometric(math.Cos, a[0]) }},
	"tan": {1, 1, tangent},
}

const knownNames = "sqrt abs round floor ceil min max log ln exp sin cos tan, pi and e"

var constants = map[string]literal{
	"pi": constant("3.14159265358979323846264338327950288419716939937510582097494"),
	"e":  constant("2.71828182845904523536028747135266249775724709369995957496697"),
}

func constant(digits string) literal {
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic("calc: a constant is no number") // at start, if at all
	}
	return literal{number{r, digitsExact}}
}

// squareRoot is exact for squares of fractions.
func squareRoot(n number) (number, error) {
	if n.r.Sign() < 0 {
		return number{}, errors.New("a negative number has no real square root")
	}
	if n.r.Sign() == 0 {
		return n, nil
	}
	num, den := new(big.Int).Sqrt(n.r.Num()), new(big.Int).Sqrt(n.r.Denom())
	root := new(big.Rat).SetFrac(num, den)
	if new(big.Rat).Mul(root, root).Cmp(n.r) == 0 {
		return number{root, n.digits}, nil
	}
	f := new(big.Float).SetPrec(floatBits).SetRat(n.r)
	return fromFloat(f.Sqrt(f), reliableOr(n, n))
}

// maxPlaces bounds the second argument of round.
const maxPlaces = 100

func round(a []number) (number, error) {
	places := int64(0)
	if len(a) == 2 {
		if !a[1].r.IsInt() || new(big.Rat).Abs(a[1].r).Cmp(big.NewRat(maxPlaces, 1)) > 0 {
			return number{}, fmt.Errorf("round takes a whole number of places up to %d", maxPlaces)
		}
		places = a[1].r.Num().Int64()
	}
	return number{r: roundTo(a[0].r, int(places))}, nil
}

// extreme returns the least (-1) or the greatest (1).
func extreme(a []number, sign int) number {
	best := a[0]
	for _, n := range a[1:] {
		if n.r.Cmp(best.r) == sign {
			best = n
		}
	}
	return best
}

// naturalLog works for numbers that no float64 holds: ln(m·2^x) = ln m + x ln 2.
func naturalLog(n number) (number, error) {
	if n.r.Sign() <= 0 {
		return number{}, errors.New("only numbers above zero have a logarithm")
	}
	if f, err := n.float64(); err == nil {
		return fromFloat64(math.Log(f))
	}
	mantissa := new(big.Float)
	x := new(big.Float).SetPrec(floatBits).SetRat(n.r).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return fromFloat64(math.Log(m) + float64(x)*math.Ln2)
}

// logarithm is to the base 10, or to the base in the second argument.
func logarithm(a []number) (number, error) {
	base := whole(10)
	if len(a) == 2 {
		base = a[1]
	}
	x, err := naturalLog(a[0])
	if err != nil {
		return x, err
	}
	b, err := naturalLog(base)
	if err != nil {
		return b, err
	}
	if b.r.Sign() == 0 {
		return number{}, errors.New("the base of a logarithm cannot be 1")
	}
	return number{x.r.Quo(x.r, b.r), digitsFloat}, nil
}

func exponential(n number) (number, error) {
	x, err := n.float64()
	if err != nil && !errors.Is(err, errTooSmall) { // next to zero is zero enough
		return number{}, err
	}
	y := math.Exp(x)
	if y == 0 {
		return number{}, errTooSmall
	}
	return fromFloat64(y)
}

// maxAngle is where a float64 no longer tells angles apart.
const maxAngle = 1e12

// trigonometric rounds to 15 places, so that sin(pi) is 0.
func trigonometric(f func(float64) float64, n number) (number, error) {
	x, err := n.float64()
	if errors.Is(err, errTooLarge) || math.Abs(x) > maxAngle {
		return number{}, errors.New("the angle is too large")
	}
	y, err := fromFloat64(f(x)) // x is 0 where it is next to it
	if err != nil {
		return y, err
	}
	return number{roundTo(y.r, 15), digitsFloat}, nil
}

func tangent(a []number) (number, error) {
	sine, err := trigonometric(math.Sin, a[0])
	if err != nil {
		return sine, err
	}
	cosine, err := trigonometric(math.Cos, a[0])
	if err != nil {
		return cosine, err
	}
	if cosine.r.Sign() == 0 {
		return number{}, errors.New("tan has no value there")
	}
	return number{sine.r.Quo(sine.r, cosine.r), digitsFloat - 1}, nil
}
