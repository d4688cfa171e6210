package calc

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	// maxBits bounds every number on the way, numerator and denominator: some
	// 4,900 digits.
	maxBits = 1 << 14
	// floatBits is the precision in which numbers that are not exact are kept.
	floatBits = 256
)

// What a number shows of itself, in significant digits.
const (
	digitsExact = 30 // of a fraction such as 1/3, and of roots and constants
	digitsFloat = 15 // of what came out of float64 functions
)

var (
	errTooLarge = errors.New("the result is too large")
	errTooSmall = errors.New("the result is too close to zero")
	errByZero   = errors.New("division by zero")
)

// number is a rational number. digits is 0 where it is exact, else how many
// significant digits of it can be relied on.
type number struct {
	r      *big.Rat
	digits int
}

func whole(n int64) number { return number{r: big.NewRat(n, 1)} }

// checked returns the number if it is of a bearable size. One that is not exact
// is cut to floatBits, so that its fraction does not grow with every step.
func (n number) checked() (number, error) {
	if n.digits > 0 && n.r.Sign() != 0 {
		return fromFloat(new(big.Float).SetPrec(floatBits).SetRat(n.r), n.digits)
	}
	if n.r.Num().BitLen() > maxBits || n.r.Denom().BitLen() > maxBits {
		return number{}, errTooLarge
	}
	return n, nil
}

// fromFloat returns a number of so many digits.
func fromFloat(f *big.Float, digits int) (number, error) {
	switch e := f.MantExp(nil); {
	case f.IsInf() || e > maxBits:
		return number{}, errTooLarge
	case e < -maxBits+floatBits:
		return number{}, errTooSmall
	}
	r, _ := f.Rat(nil)
	return number{r, digits}, nil
}

// fromFloat64 returns the result of a function of package math.
func fromFloat64(f float64) (number, error) {
	switch {
	case math.IsNaN(f):
		return number{}, errors.New("there is no real result")
	case math.IsInf(f, 0):
		return number{}, errTooLarge
	}
	return number{new(big.Rat).SetFloat64(f), digitsFloat}, nil
}

// float64 returns the nearest float64.
func (n number) float64() (float64, error) {
	f, _ := n.r.Float64()
	switch {
	case math.IsInf(f, 0):
		return 0, errTooLarge
	case f == 0 && n.r.Sign() != 0:
		return 0, errTooSmall
	}
	return f, nil
}

// reliable is how many digits a result of both numbers has: those of the worse.
func reliable(a, b number) int {
	if a.digits == 0 || b.digits == 0 {
		return max(a.digits, b.digits)
	}
	return min(a.digits, b.digits)
}

// decimal writes the number without an exponent and without zeros at the end.
// Whole numbers that are exact are written in full.
func (n number) decimal() (s string, rounded bool) {
	if n.digits == 0 && n.r.IsInt() {
		return n.r.Num().String(), false
	}
	if n.r.Sign() == 0 {
		return "0", n.digits > 0
	}
	digits := n.digits
	if digits == 0 {
		digits = digitsExact
	}
	places := digits - 1 - magnitude(n.r)
	if n.digits == 0 {
		places = max(places, 6) // a fraction behind a very long whole part
	}
	r := n.r
	if places < 0 {
		r = roundTo(r, places)
	}
	s = r.FloatString(max(places, 0)) // rounds half away from zero
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	shown, ok := new(big.Rat).SetString(s)
	return s, n.digits > 0 || !ok || shown.Cmp(n.r) != 0
}

// magnitude is the decimal exponent of a number that is not zero: 2 for 123, -1
// for 0.5.
func magnitude(r *big.Rat) int {
	_, e, _ := strings.Cut(new(big.Float).SetPrec(128).SetRat(r).Text('e', 35), "e")
	n, err := strconv.Atoi(e)
	if err != nil {
		return 0 // cannot be: Text writes an exponent for every finite number
	}
	return n
}

// roundTo rounds half away from zero, to so many decimal places; to tens and
// hundreds where places is negative.
func roundTo(r *big.Rat, places int) *big.Rat {
	scale := powerOfTen(places)
	scaled := new(big.Rat).Mul(r, scale)
	half := big.NewRat(1, 2)
	if scaled.Sign() < 0 {
		half.Neg(half)
	}
	cut := scaled.Add(scaled, half)
	rounded := new(big.Rat).SetInt(new(big.Int).Quo(cut.Num(), cut.Denom()))
	return rounded.Quo(rounded, scale)
}

func powerOfTen(n int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// floor returns the largest whole number that is not above r.
func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // Div is Euclidean; Denom is positive
}
