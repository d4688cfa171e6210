// Package ibidtest holds what tests of several packages share: where the public test
// data lies, scripted models, what a test leaves out under the race detector, and the
// conformance suites that every adapter must pass. Only tests import it.
//
// # Suites
//
// A suite is a list of cases over a contract, an interface S of a few methods:
//
//	var SweeperCases = []ibidtest.Case[Sweeper]{
//		{"what is claimed stays", func(t *testing.T, open ibidtest.Opener[Sweeper]) {
//			a, b := open(t), open(t) // two openings of one store, as two processes have them
//			…
//		}},
//	}
//
// A case gets an Opener and not a store, so that it decides how many openings it works
// with. Every suite has cases of contention: [Contend] lets the openings do something
// at once. The package of an adapter runs the suite with one line, given a function
// that makes an empty place and returns what opens it:
//
//	func TestSweeper(t *testing.T) { ibidtest.Run(t, ibidtest.SweeperCases, place) }
//
//	func place(t testing.TB) ibidtest.Opener[ibidtest.Sweeper] {
//		path := filepath.Join(t.TempDir(), "ibid.db")
//		return func(t testing.TB) ibidtest.Sweeper { … open path, close it with t.Cleanup … }
//	}
//
// # Mutants
//
// That a suite passes says little as long as it has never failed. A [Mutant] is the
// adapter with one fault, made by embedding the contract and overriding a method, and
// it names the case that must notice:
//
//	type looksFirst struct{ ibidtest.Sweeper }
//
//	func (s looksFirst) Claim(ctx context.Context) (string, error) { … look, then take … }
//
//	func TestSweeperMutants(t *testing.T) {
//		ibidtest.Mutants(t, ibidtest.SweeperCases, place, []ibidtest.Mutant[ibidtest.Sweeper]{
//			{"a claim looks first and takes later", "each is claimed once", func(s ibidtest.Sweeper) ibidtest.Sweeper { return looksFirst{s} }},
//		})
//	}
//
// [Mutants] fails when the case passes. It costs a process and one case for each mutant.
//
// # The race detector
//
// `make test` runs everything under the race detector, where code takes six to twelve
// times as long. A test without goroutines leaves itself out with [WithoutRace]; one
// that repeats something for the sake of rare cases says with [Fewer] how often is
// enough to show a race. Both are run in full without the detector afterwards, by
// scripts/test, which checks that none was forgotten.
package ibidtest
