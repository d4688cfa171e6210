// Package calc works out arithmetic expressions. An expression is parsed into a
// tree of whitelisted operations (parse.go), which is then worked out with
// rational numbers (eval.go, functions.go) and written in decimal (number.go).
// Length, depth and the size of every number on the way are bounded, so no
// expression is slow.
package calc

// Calculate returns the decimal result of an expression, such as "15% of 2340",
// and whether it is rounded. An error says what is wrong with the expression, in
// words for whoever wrote it.
func Calculate(expression string) (result string, rounded bool, err error) {
	tree, err := parse(expression)
	if err != nil {
		return "", false, err
	}
	n, err := tree.eval()
	if err != nil {
		return "", false, err
	}
	result, rounded = n.decimal()
	return result, rounded, nil
}
