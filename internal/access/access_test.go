package access_test

import (
	"testing"

	"ibid"
	"ibid/internal/access"
)

func TestViews(t *testing.T) {
	for _, c := range []struct {
		view                    access.View
		all, owner, other, none bool
		name                    string
	}{
		{view: access.View{}, name: "nobody"},
		{view: access.For(""), name: "nobody"},
		{view: access.For(ibid.Owner), owner: true, name: "owner"},
		{view: access.For("anna"), other: true, name: "anna"},
		{view: access.System("a sweep"), all: true, owner: true, other: true, none: true, name: "system: a sweep"},
	} {
		got := [...]bool{c.view.All(), c.view.Sees(ibid.Owner), c.view.Sees("anna"), c.view.Sees("")}
		if want := [...]bool{c.all, c.owner, c.other, c.none}; got != want || c.view.String() != c.name {
			t.Errorf("%v sees all, the owner's, anna's, nobody's: %v, want %v as %q", c.view, got, want, c.name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a view of everything was made without a reason")
		}
	}()
	access.System("")
}
