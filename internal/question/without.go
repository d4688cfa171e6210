package question

// Without takes what documents are called out of a question, as long as it still asks
// something then: "What does the lease say about pets?" is about pets, and the word
// "lease" stands nowhere in the lease. documents are the names of each.
func Without(q string, documents [][]string) string {
	if _, rest := Mentions(q, documents); Asks(rest) {
		return rest
	}
	return q
}

// WithoutFile is Without for the first file that the question names itself.
func WithoutFile(q string) string {
	if file := FileNamed(q); file != "" {
		return Without(q, [][]string{{file}})
	}
	return q
}

// asksOnly reports whether a question asks nothing beside what a document is called.
func asksOnly(q, document string) bool {
	_, rest := Mentions(q, [][]string{{document}})
	return !Asks(rest)
}
