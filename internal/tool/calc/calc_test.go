package calc

import (
	"strings"
	"testing"
)

func TestCalculate(t *testing.T) {
	for expression, want := range map[string]string{
		"1+1":                                 "2",
		" 2 + 3 * 4 ":                         "14",
		"(2 + 3) * 4":                         "20",
		"2 - 3 - 4":                           "-5",
		"0.1 + 0.2":                           "0.3",
		"10 / 4":                              "2.5",
		"1/3":                                 "0.333333333333333333333333333333 (rounded)",
		"2/3":                                 "0.666666666666666666666666666667 (rounded)",
		"100/7":                               "14.2857142857142857142857142857 (rounded)",
		"-2^2":                                "-4",
		"(-2)^2":                              "4",
		"2^3^2":                               "512",
		"2**10":                               "1024",
		"2^-2":                                "0.25",
		"2^100":                               "1267650600228229401496703205376",
		"- - 3":                               "3",
		"+3":                                  "3",
		"2 * -3":                              "-6",
		"17 % 5":                              "2",
		"(-7) % 3":                            "2",
		"7.5 % 2":                             "1.5",
		"17%(5)":                              "2",
		"15% of 2,340":                        "351",
		"15 % of 2340":                        "351",
		"15%":                                 "0.15",
		"200 + 10%":                           "220",
		"200 - 10%":                           "180",
		"200 - 10% - 10%":                     "162",
		"5% + 10%":                            "0.15",
		"200 * 10%":                           "20",
		"10% * 200 + 1":                       "21",
		"10% - 3":                             "-2.9",
		"200 + 10% of 50":                     "205",
		"1,234,567 + 1":                       "1234568",
		"sqrt(1,000,000)":                     "1000",
		"max(1,200)":                          "200",
		"max((1,200), 3)":                     "1200",
		"min(3, 1, 2)":                        "1",
		"6 × 7 − 2 ÷ 4":                       "41.5",
		"1.5e3 + 2E-2":                        "1500.02",
		".5 + 5.":                             "5.5",
		"sqrt(16)":                            "4",
		"sqrt(2)":                             "1.41421356237309504880168872421 (rounded)",
		"sqrt(0.25)":                          "0.5",
		"16^0.5":                              "4",
		"8^(1/3)":                             "2 (rounded)",
		"abs(-3.5)":                           "3.5",
		"round(2.5)":                          "3",
		"round(-2.5)":                         "-3",
		"round(100/7, 2)":                     "14.29",
		"round(12345, -2)":                    "12300",
		"floor(-1.5)":                         "-2",
		"ceil(1.2)":                           "2",
		"ceil(-1.2)":                          "-1",
		"log(1000)":                           "3 (rounded)",
		"log(8, 2)":                           "3 (rounded)",
		"ln(e)":                               "1 (rounded)",
		"ln(2^2000)":                          "1386.29436111989 (rounded)",
		"exp(0)":                              "1 (rounded)",
		"exp(1) - e":                          "0 (rounded)",
		"sin(pi)":                             "0 (rounded)",
		"sin(pi/6)":                           "0.5 (rounded)",
		"cos(0)":                              "1 (rounded)",
		"tan(pi/4)":                           "1 (rounded)",
		"pi":                                  "3.14159265358979323846264338328 (rounded)",
		"2π":                                  "",
		"2 * π":                               "6.28318530717958647692528676656 (rounded)",
		"PI":                                  "3.14159265358979323846264338328 (rounded)",
		"1000 * (1 + 0.05/365)^3650":          "1648.6648137654718302139994212 (rounded)",
		"1.05^365 > 1":                        "",
		"2^0.5^2":                             "1.18920711500272 (rounded)",
		"0^0":                                 "1",
		"(-1)^999999999999":                   "-1",
		"1e-40":                               "0.0000000000000000000000000000000000000001",
		"exp(100)":                            "26881171418161400000000000000000000000000000 (rounded)",
		"2^200 + 0.5":                         "1606938044258990275541962092341162602522202993782792835301376.5",
		"999.9999999999999999999999999999999": "1000 (rounded)",
		"2+2=":                                "4",
	} {
		if want == "" {
			continue // in TestRefuses
		}
		result, rounded, err := Calculate(expression)
		if rounded {
			result += " (rounded)"
		}
		if err != nil || result != want {
			t.Errorf("%s = %q, %v, want %q", expression, result, err, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for expression, want := range map[string]string{
		"":                               "the expression is empty",
		"=":                              "the expression is empty",
		"1/0":                            "division by zero",
		"5 % 0":                          "division by zero",
		"0^-1":                           "division by zero",
		"2 +":                            "the expression ends too early",
		"(2":                             "a ) is missing",
		"2)":                             "there is a ) too many",
		"2 3":                            "an operator is missing after 2",
		"2pi":                            "an operator is missing after 2",
		"1.2.3":                          "an operator is missing after 1.2",
		"12,34":                          "unexpected comma: write thousands as 12,345 and decimals with a point",
		"1 > 0":                          `unexpected ">"`,
		"$5 * 3":                         `unexpected "$"`,
		"__import__('os')":               `"__import__" is not known; there are ` + knownNames,
		"x + 1":                          `"x" is not known; there are ` + knownNames,
		"sqrt 4":                         "sqrt needs its arguments in parentheses",
		"sqrt()":                         "there is a ) too many",
		"sqrt(4, 5)":                     "sqrt takes one argument",
		"round(1, 2, 3)":                 "round takes at most 2 arguments",
		"round(1, 1e9)":                  "round takes a whole number of places up to 100",
		"sqrt(-1)":                       "a negative number has no real square root",
		"(-8)^(1/3)":                     "a negative number has no real power that is not whole",
		"ln(0)":                          "only numbers above zero have a logarithm",
		"log(5, 1)":                      "the base of a logarithm cannot be 1",
		"tan(pi/2)":                      "tan has no value there",
		"sin(1e300)":                     "the angle is too large",
		"9^9^9":                          "the result is too large",
		"2^9^30":                         "the exponent is too large",
		"2^99999":                        "the result is too large",
		"1.5^1000000000":                 "the result is too large",
		"1.5^-1000000000":                "the result is too close to zero",
		"exp(1000)":                      "the result is too large",
		"exp(-1000)":                     "the result is too close to zero",
		"1e99999":                        "the exponent of a number is larger than 4000",
		"1e4000 * 1e4000":                "the result is too large",
		strings.Repeat("(", 400) + "1":   "the expression is nested deeper than 100",
		strings.Repeat("-", 400) + "1":   "the expression is nested deeper than 100",
		strings.Repeat("1^", 400) + "1":  "the expression is nested deeper than 100",
		strings.Repeat("1+", 1000) + "1": "the expression is longer than 1000 characters",
		"\xff":                           "the expression is not readable text",
	} {
		if result, _, err := Calculate(expression); err == nil || err.Error() != want {
			t.Errorf("%.40s: %q, %v, want the error %q", expression, result, err, want)
		}
	}
}

// What is written can be read back as the same number, and is of bounded size.
func FuzzCalculate(f *testing.F) {
	for _, s := range []string{"1+1", "15% of 2,340", "max(1,200)", "2^3^2", "1.05^365", "((-2)) % 3", "sqrt(2)*pi", "9^9^9", "1e-4000",
		"exp(700)*exp(700)", "1/3/7/11^400", "round(1/3,99)", "ln(1e4000)", "tan(1e11)", "2**-0.5", "5 % of e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		result, rounded, err := Calculate(expression)
		if err != nil {
			if m := err.Error(); m == "" || strings.ContainsAny(m, "\n\r") {
				t.Errorf("message %q", m)
			}
			return
		}
		if len(result) > 16<<10 || strings.ContainsAny(result, "eE") {
			t.Fatalf("result %.60q of %d bytes", result, len(result))
		}
		if strings.HasPrefix(result, "-") {
			result = "0" + result
		}
		again, _, err := Calculate(result)
		if len(result) <= maxExpression && (err != nil || !rounded && again != strings.TrimPrefix(result, "0-") && again != strings.TrimPrefix(result, "0")) {
			t.Errorf("%q is read back as %q, %v", result, again, err)
		}
	})
}
