package format

import "testing"

func TestPDFTitleOfMetadata(t *testing.T) {
	for in, want := range map[string]string{
		"  The  Art of  Reading ":     "The Art of Reading",
		"Microsoft Word - report.doc": "",
		"untitled":                    "",
		"Untitled-1":                  "",
		"report_final_v2":             "",
		"thesis.dvi":                  "",
		"12345":                       "",
		"Form 10-K":                   "",
		"Contents":                    "",
		"UNITED STATES SECURITIES AND EXCHANGE COMMISSION": "",
		"Amazon.com, Inc. Annual Report 2019":              "Amazon.com, Inc. Annual Report 2019",
		"Notes on R":                                       "Notes on R",
	} {
		if got := Title(in); got != want {
			t.Errorf("pdfTitle(%q) = %q, want %q", in, got, want)
		}
	}
}
