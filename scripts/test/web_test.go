package main

import "testing"

func TestReadVitest(t *testing.T) {
	c, skips, err := readVitest([]byte(`{"numTotalTests":4,"testResults":[
		{"name":"a.test.ts","status":"failed","assertionResults":[
			{"fullName":"a one","status":"passed"},{"fullName":"a two","status":"failed"},{"fullName":" a three","status":"pending"}]},
		{"name":"b.test.ts","status":"failed","assertionResults":[]},
		{"name":"c.test.ts","status":"passed","assertionResults":[{"fullName":"c","status":"passed"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (counts{passed: 2, failed: 2, skipped: 1}); c != want {
		t.Errorf("counted %v, want %v", c, want)
	}
	if len(skips) != 1 || skips[0] != "a three" {
		t.Errorf("skips are %q", skips)
	}
	if _, _, err := readVitest([]byte("<html>")); err == nil {
		t.Error("rubbish was read")
	}
}
