package question

import (
	"slices"
	"testing"
)

var shelf = [][]string{
	{"README.md", "Project Falcon"},
	{"report-2023.pdf", "Annual Report 2023"},
	{"q3.md", "q3"},
	{"q4.md", "q4"},
	{"lease_agreement_final.docx", "Lease of Flat 4"},
	{"faa-h-8083-25c.pdf", "Pilot's Handbook of Aeronautical Knowledge"},
	{"duck.html", "Duck"},
	{"p05-10k-amazon2019.pdf", "AMAZON.COM, INC."},
	{"Employee Handbook.pdf", "Employee Handbook"},
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		question string
		found    []int
		rest     string
	}{
		{"Summarise the README", []int{0}, "Summarise"},
		{"what does report-2023.pdf say about margins?", []int{1}, "margins?"},
		{"What does the 2023 annual report say about margins?", []int{1}, "margins?"},
		{"What does report 2023.pdf say about margins?", []int{1}, "margins?"},
		{"What does \"Annual Report 2023\" say about margins?", []int{1}, "margins?"},
		{"In the Annual Report 2023, what were the margins?", []int{1}, "what were the margins?"},
		{"What were the margins in report-2023?", []int{1}, "What were the margins ?"},
		{"compare q3.md with q4.md", []int{2, 3}, "compare with"},
		{"Compare q3 and q4 on revenue", []int{2, 3}, "Compare and on revenue"},
		{"What does lease_agreement_final.docx say about pets?", []int{4}, "pets?"},
		{"What does the lease say about pets?", []int{4}, "pets?"},
		{"According to the pilot's handbook, what is lift?", []int{5}, "what is lift?"},
		{"According to the FAA handbook, what is lift?", []int{5}, "what is lift?"},
		{"What is the revenue in the Amazon 10-K?", []int{7}, "What is the revenue ?"},
		{"how many holidays are there according to the employee handbook?", []int{8}, "how many holidays are there ?"},
		{"Fasse lease_agreement_final zusammen", []int{4}, "Fasse zusammen"},
		{"¿Qué dice report-2023.pdf sobre los márgenes?", []int{1}, "¿Qué dice sobre los márgenes?"},
		{"What is a duck?", nil, "What is a duck?"},
		{"How long do ducks live in the lake?", nil, "How long do ducks live in the lake?"},
		{"What does a duck eat?", nil, "What does a duck eat?"},
		{"What was reported in 2023?", nil, "What was reported in 2023?"},
		{"What does missing.pdf say about margins?", nil, "What does missing.pdf say about margins?"},
		{"Summarise the history of Rome", nil, "Summarise the history of Rome"},
		{"", nil, ""},
	} {
		found, rest := Mentions(tt.question, shelf)
		if !slices.Equal(found, tt.found) || rest != tt.rest {
			t.Errorf("%s\n got %v %q\nwant %v %q", tt.question, found, rest, tt.found, tt.rest)
		}
	}
}
