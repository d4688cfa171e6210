package say

// Nearest returns the word most like the one given, or "" when none is like it:
// more than a third of the letters would have to change.
func Nearest(word string, words []string) string {
	best, bestDistance := "", len(word)/3+2
	for _, w := range words {
		if d := editDistance(word, w); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete or replace to turn a into b
// (Levenshtein 1966).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
