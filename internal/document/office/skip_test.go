package office

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// What is left out is left out with all that it holds, and nothing else is.
func TestSkip(t *testing.T) {
	var s skip
	var read []string
	for tokens := xml.NewDecoder(strings.NewReader(`<a><out><b/><out><c/></out></out><d><e/></d><out/><f/></a>`)); ; {
		token, err := tokens.Token()
		if err != nil {
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			if !s.begins() {
				break
			}
			if e.Name.Local == "out" {
				s = 1
				break
			}
			read = append(read, e.Name.Local)
		case xml.EndElement:
			if s.ends() {
				read = append(read, "/"+e.Name.Local)
			}
		}
	}
	if got := fmt.Sprint(read); got != "[a d e /e /d f /f /a]" || s != 0 {
		t.Errorf("read %s, and ends %d deep", got, s)
	}
}
