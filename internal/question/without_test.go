package question

import "testing"

func TestWithout(t *testing.T) {
	lease := [][]string{{"The Lease", "lease.pdf"}}
	for q, want := range map[string]string{
		"What does the lease say about pets?":       "pets?",
		"What does lease.pdf say about pets?":       "pets?",
		"Summarise lease.pdf":                       "Summarise lease.pdf",
		"What does the contract say about the rent": "What does the contract say about the rent",
	} {
		if got := Without(q, lease); got != want {
			t.Errorf("%q became %q, want %q", q, got, want)
		}
	}
	for q, want := range map[string]string{
		"What does report-2023.pdf say about competition?": "competition?",
		"What's in report-2023.pdf?":                       "What's in report-2023.pdf?",
		"Who wrote it?":                                    "Who wrote it?",
	} {
		if got := WithoutFile(q); got != want {
			t.Errorf("%q became %q, want %q", q, got, want)
		}
	}
}
