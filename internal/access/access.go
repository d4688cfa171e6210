// Package access says who may see what.
//
// Whoever reads the library, a conversation, its files, a cached answer or a
// database does it through a View, which every reading method of the stores, the
// engines and the tools takes right after its context: whoever forgets it has a
// program that doesn't compile. Only this package makes a View that sees anything,
// and the zero View sees nothing.
//
// A View is never part of an ibid.Scope. A scope is what somebody wants to be asked
// about, and its zero value means everything; a view is what somebody may see, and
// its zero value means nothing. Both narrow.
package access

import "ibid"

// View is what somebody may see. It is compared with ==.
type View struct {
	principal ibid.Principal // "" together with no reason: nothing is seen
	reason    string         // why the program itself looks at everything
}

// For returns what a principal sees: what belongs to it. Nobody sees nothing.
func For(p ibid.Principal) View { return View{principal: p} }

// System returns a view of everything, for work of the program itself that nobody
// asked for or that isn't anybody's: the reason says which. Which packages may call
// it is held by internal/importtest. What is read with it must not reach anybody
// who could not see it otherwise.
func System(reason string) View {
	if reason == "" {
		panic("access: a view of everything needs a reason")
	}
	return View{reason: reason}
}

// All reports whether the view is the system's and sees everything.
func (v View) All() bool { return v.reason != "" }

// Principal returns who looks: to whom belongs what is made through this view. It
// is "" for the system and for nobody.
func (v View) Principal() ibid.Principal { return v.principal }

// Sees reports whether something that belongs to owner is seen. What belongs to
// nobody is seen by the system alone.
func (v View) Sees(owner ibid.Principal) bool {
	return v.All() || owner != "" && owner == v.principal
}

// String says who looks, for logs.
func (v View) String() string {
	switch {
	case v.All():
		return "system: " + v.reason
	case v.principal == "":
		return "nobody"
	}
	return string(v.principal)
}
