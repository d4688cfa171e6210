package sandbox

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxPowerBits bounds the result of pow on whole numbers.
const maxPowerBits = 1 << 20

// sum adds what it is given: sum(iterable, start=0).
func sum(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var items starlark.Iterable
	total := starlark.Value(starlark.MakeInt(0))
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "iterable", &items, "start?", &total); err != nil {
		return nil, err
	}
	it := items.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		var err error
		if total, err = starlark.Binary(syntax.PLUS, total, x); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// pow is x to the power of y, or that modulo mod on whole numbers.
func pow(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, y, mod starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "y", &y, "mod?", &mod); err != nil {
		return nil, err
	}
	xi, whole := x.(starlark.Int)
	yi, wholePower := y.(starlark.Int)
	if whole && wholePower && yi.Sign() >= 0 {
		base, power := xi.BigInt(), yi.BigInt()
		if m, ok := mod.(starlark.Int); ok {
			if m.Sign() == 0 {
				return nil, fmt.Errorf("pow: modulo zero")
			}
			return starlark.MakeBigInt(new(big.Int).Exp(base, power, m.BigInt())), nil
		}
		if base.BitLen() <= 1 { // -1, 0 and 1: only whether the power is 0, even or odd counts
			power = new(big.Int).SetBits([]big.Word{big.Word(power.Bit(0)) + 2*big.Word(power.Sign())})
		} else if bits := big.NewInt(int64(base.BitLen())); bits.Mul(bits, power).Cmp(big.NewInt(maxPowerBits)) > 0 {
			return nil, fmt.Errorf("pow: the result is too large")
		}
		return starlark.MakeBigInt(new(big.Int).Exp(base, power, nil)), nil
	}
	if mod != nil {
		return nil, fmt.Errorf("pow: mod is for whole numbers")
	}
	xf, okX := starlark.AsFloat(x)
	yf, okY := starlark.AsFloat(y)
	if !okX || !okY {
		return nil, fmt.Errorf("pow: got %s and %s, want numbers", x.Type(), y.Type())
	}
	return starlark.Float(math.Pow(xf, yf)), nil
}

// round is x to so many decimals, to the nearest, ties to even, as in Python.
func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	digits := starlark.Value(starlark.None)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "digits?", &digits); err != nil {
		return nil, err
	}
	if i, ok := x.(starlark.Int); ok {
		return i, nil
	}
	f, ok := starlark.AsFloat(x)
	if !ok {
		return nil, fmt.Errorf("round: got %s, want a number", x.Type())
	}
	if digits == starlark.None {
		return starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
	}
	n, err := starlark.AsInt32(digits)
	if err != nil || n < -300 || n > 300 {
		return nil, fmt.Errorf("round: digits must be a whole number from -300 to 300")
	}
	if n < 0 {
		scale := math.Pow10(-n)
		return starlark.Float(math.RoundToEven(f/scale) * scale), nil
	}
	// The shortest decimal is rounded, exactly, and not a multiple of it.
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
	if err != nil {
		return nil, fmt.Errorf("round: %w", err)
	}
	return starlark.Float(r), nil
}

// divmod is (a // b, a % b).
func divmod(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, y starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "a", &x, "b", &y); err != nil {
		return nil, err
	}
	q, err := starlark.Binary(syntax.SLASHSLASH, x, y)
	if err != nil {
		return nil, err
	}
	r, err := starlark.Binary(syntax.PERCENT, x, y)
	return starlark.Tuple{q, r}, err
}
