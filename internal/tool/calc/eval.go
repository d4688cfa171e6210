package calc

import (
	"errors"
	"math"
	"math/big"
)

// node is a part of a syntax tree.
type node interface {
	eval() (number, error)
}

type (
	literal struct{ n number }
	negated struct{ of node }
	percent struct{ of node }
	binary  struct {
		op          byte // + - * / % ^
		left, right node
	}
	called struct {
		f    func([]number) (number, error)
		args []node
	}
)

func (l literal) eval() (number, error) { return l.n.checked() }

func (n negated) eval() (number, error) {
	v, err := n.of.eval()
	if err != nil {
		return v, err
	}
	return number{new(big.Rat).Neg(v.r), v.digits}, nil
}

func (p percent) eval() (number, error) {
	v, err := p.of.eval()
	if err != nil {
		return v, err
	}
	return number{new(big.Rat).Quo(v.r, big.NewRat(100, 1)), v.digits}.checked()
}

func (c called) eval() (number, error) {
	args := make([]number, len(c.args))
	for i, a := range c.args {
		var err error
		if args[i], err = a.eval(); err != nil {
			return number{}, err
		}
	}
	n, err := c.f(args)
	if err != nil {
		return n, err
	}
	return n.checked()
}

func (b binary) eval() (number, error) {
	left, err := b.left.eval()
	if err != nil {
		return left, err
	}
	right, err := b.right.eval()
	if err != nil {
		return right, err
	}
	if b.addsPercentage() {
		right.r = new(big.Rat).Mul(right.r, left.r) // 200 + 10% is 200 + 20
		right.digits = reliable(left, right)
	}
	n, err := operate(b.op, left, right)
	if err != nil {
		return n, err
	}
	return n.checked()
}

// addsPercentage reports whether the right side is a share of the left one, as
// in 200 + 10%. 5% + 10% is 15%.
func (b binary) addsPercentage() bool {
	_, share := b.right.(percent)
	_, both := b.left.(percent)
	return share && !both && (b.op == '+' || b.op == '-')
}

func operate(op byte, a, b number) (number, error) {
	n := number{new(big.Rat), reliable(a, b)}
	switch op {
	case '+':
		n.r.Add(a.r, b.r)
		return cancelled(n, a), nil
	case '-':
		n.r.Sub(a.r, b.r)
		return cancelled(n, a), nil
	case '*':
		n.r.Mul(a.r, b.r)
		return n, nil
	case '^':
		return power(a, b)
	}
	if b.r.Sign() == 0 {
		return n, errByZero
	}
	n.r.Quo(a.r, b.r)
	if op == '%' { // the remainder has the sign of the divisor
		n.r.Sub(a.r, new(big.Rat).Mul(b.r, floor(n.r)))
	}
	return n, nil
}

// cancelled returns 0 for a sum that is only the rounding error of its parts,
// which are as large as part: exp(1) - e.
func cancelled(n, part number) number {
	if n.digits == 0 || n.r.Sign() == 0 || part.r.Sign() == 0 {
		return n
	}
	if magnitude(part.r)-magnitude(n.r) >= n.digits-1 {
		n.r.SetInt64(0)
	}
	return n
}

func power(base, exponent number) (number, error) {
	switch {
	case exponent.r.Sign() == 0:
		return whole(1), nil
	case base.r.Sign() == 0 && exponent.r.Sign() < 0:
		return number{}, errByZero
	case base.r.Sign() == 0:
		return whole(0), nil
	case exponent.r.IsInt():
		return wholePower(base, exponent)
	case base.r.Sign() < 0:
		return number{}, errors.New("a negative number has no real power that is not whole")
	case exponent.r.Cmp(big.NewRat(1, 2)) == 0:
		return squareRoot(base)
	}
	return floatPower(base, exponent)
}

// maxPower bounds whole exponents.
const maxPower = 1_000_000_000

// wholePower is exact as long as that is bearable; a fraction to a high power,
// as in compound interest, is worked out in floatBits.
func wholePower(base, exponent number) (number, error) {
	one := big.NewRat(1, 1)
	if magnitude := new(big.Rat).Abs(base.r); magnitude.Cmp(one) == 0 {
		if base.r.Sign() < 0 && exponent.r.Num().Bit(0) == 1 {
			return number{big.NewRat(-1, 1), base.digits}, nil
		}
		return number{one, base.digits}, nil
	}
	if !exponent.r.Num().IsInt64() || exponent.r.Num().Int64() > maxPower || exponent.r.Num().Int64() < -maxPower {
		return number{}, errors.New("the exponent is too large")
	}
	e := exponent.r.Num().Int64()
	bits := int64(max(base.r.Num().BitLen(), base.r.Denom().BitLen()))
	if base.digits > 0 || exponent.digits > 0 || bits*max(e, -e) > maxBits {
		if base.r.IsInt() && base.digits == 0 && e > 0 && (bits-1)*e > maxBits {
			return number{}, errTooLarge
		}
		return squaredPower(base, e, reliableOr(base, exponent))
	}
	r := base.r
	if e < 0 {
		r, e = new(big.Rat).Inv(r), -e
	}
	n := big.NewInt(e)
	return number{r: new(big.Rat).SetFrac(new(big.Int).Exp(r.Num(), n, nil), new(big.Int).Exp(r.Denom(), n, nil))}, nil
}

// reliableOr is reliable for a result that is not exact in any case.
func reliableOr(a, b number) int {
	if d := reliable(a, b); d > 0 {
		return d
	}
	return digitsExact
}

// squaredPower raises to a whole power by squaring, in floatBits: its relative
// error is some e·2^-floatBits.
func squaredPower(base number, e int64, digits int) (number, error) {
	r := base.r
	if e < 0 {
		r, e = new(big.Rat).Inv(r), -e
	}
	square := new(big.Float).SetPrec(floatBits).SetRat(r)
	product := new(big.Float).SetPrec(floatBits).SetInt64(1)
	for {
		if e&1 == 1 {
			product.Mul(product, square)
		}
		if e >>= 1; e == 0 {
			return fromFloat(product, digits)
		}
		square.Mul(square, square)
		// What is out of range stays so: only squares of it would follow.
		if _, err := fromFloat(square, digits); err != nil {
			return number{}, err
		}
	}
}

func floatPower(base, exponent number) (number, error) {
	b, err := base.float64()
	if err != nil {
		return number{}, err
	}
	e, err := exponent.float64()
	if err != nil {
		return number{}, err
	}
	p := math.Pow(b, e)
	if p == 0 {
		return number{}, errTooSmall
	}
	return fromFloat64(p)
}
