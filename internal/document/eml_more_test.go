package document_test

import (
	"fmt"
	"strings"
	"testing"

	"ibid/internal/document"
)

func mailOf(lines ...string) []byte { return []byte(strings.Join(lines, "\r\n")) }

func TestEMLAlternatives(t *testing.T) {
	stub := mailOf("Subject: Offer", "MIME-Version: 1.0", `Content-Type: multipart/alternative; boundary="b"`, "",
		"--b", "Content-Type: text/plain", "", "See the HTML.",
		"--b", "Content-Type: text/html", "", "<p>The price of the machine is 4,700 euros, delivered in March.</p>", "--b--", "")
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: stub, Name: "a.eml"})
	checkDump(t, x, `
format: eml
title: Offer
[heading 1] Offer
[paragraph] (Offer) The price of the machine is 4,700 euros, delivered in March.
`)
	// As some mailers do, with a file beside the HTML that is left out.
	beside := mailOf("Subject: Minutes", "MIME-Version: 1.0", `Content-Type: multipart/alternative; boundary="b"`, "",
		"--b", "Content-Type: text/plain", "", "The minutes of Monday are attached.",
		"--b", `Content-Type: multipart/mixed; boundary="c"`, "",
		"--c", "Content-Type: text/html", "", "<p>The minutes of Monday are attached.</p>",
		"--c", `Content-Type: image/png; name="logo.png"`, "Content-Id: <1>", "Content-Transfer-Encoding: base64", "", "AAAA",
		"--c", `Content-Type: text/csv; name="minutes.csv"`, "Content-Disposition: attachment", "", "a,b", "--c--", "--b--", "")
	pool := newPool(t, document.Limits{})
	x = mustExtract(t, pool, document.Request{Data: beside, Name: "a.eml"})
	checkDump(t, x, `
format: eml
title: Minutes
[heading 1] Minutes
[paragraph] (Minutes) The minutes of Monday are attached.
[list] (Minutes)
  Attachments:
  • minutes.csv
`)
	var members []string
	if _, err := pool.Members(t.Context(), document.Request{Data: beside, Name: "a.eml"}, func(m document.Member) error {
		members = append(members, fmt.Sprintf("%s %q", m.Name, m.Data))
		return nil
	}); err != nil || len(members) != 1 || members[0] != `minutes.csv "a,b"` {
		t.Errorf("the attachments are %q, %v", members, err)
	}
}

// A character set that cannot be decoded, or that is not said, is guessed.
func TestEMLCharsets(t *testing.T) {
	for _, c := range []struct{ label, bytes, want string }{
		{"iso-2022-jp", "\x1b$B7@Ls\x1b(B", "契約"},
		{"koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"},
		{"x-unknown", "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", "Привет, мир"},
		{"iso-2022-kr", "caf\xe9", "café"},
	} {
		data := mailOf("Subject: x", "MIME-Version: 1.0", "Content-Type: text/plain; charset="+c.label, "", c.bytes)
		x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: data, Name: "a.eml"})
		if !strings.HasSuffix(x.Text, c.want) {
			t.Errorf("%s is read as %q, want %q", c.label, x.Text, c.want)
		}
	}
}

func TestMailbox(t *testing.T) {
	box := "From ann@example.org Sat Jan  3 01:05:34 1996\nSubject: First\nMessage-ID: <1>\n\nHello.\nFrom here on it is text.\n\n" +
		"From bob@example.org Sun Jan  4 01:05:34 1996\nSubject: =?utf-8?q?Zweite_=C3=84nderung?=\nMessage-ID: <2>\nContent-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=utf-8\n\nGr=C3=BC=C3=9Fe.\n"
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: []byte(box), Name: "inbox.mbox"})
	checkDump(t, x, `
format: eml
title: First
[heading 1] First
[paragraph] (First)
  Hello.
  From here on it is text.
[heading 1] Zweite Änderung
[paragraph] (Zweite Änderung) Grüße.
`)
}
