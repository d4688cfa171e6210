package ibidtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Case is one test of a suite, by its name. It gets an Opener of an empty store.
type Case[S any] struct {
	Name string
	Test func(t *testing.T, open Opener[S])
}

// Opener opens one store. Called again in the same test it opens that store once
// more, as a second process would. What it opened is closed when the test ends.
type Opener[S any] func(t testing.TB) S

// Run runs every case of a suite against new stores: place returns an Opener of a
// store of its own for each test.
func Run[S any](t *testing.T, cases []Case[S], place func(t testing.TB) Opener[S]) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.Test(t, place(t)) })
	}
}

// Mutant is a store with one fault, which one case of the suite must notice.
type Mutant[S any] struct {
	Name  string // the fault in a few words: "a claim looks first and takes later"
	Case  string // the name of the case that must fail
	Break func(S) S
}

// mutantEnv names the mutant that a test binary runs its suite against: see Mutants.
const mutantEnv = "IBID_MUTANT"

// mutantLimit is how long a case may take with a mutant, which may make it hang.
const mutantLimit = 2 * time.Minute

// mutantTries is how often a case may pass with a mutant before the fault counts as
// unnoticed: whether two openings of a store meet in a bad moment is a matter of luck.
const mutantTries = 5

var errUnnoticed = errors.New("the case did not notice this fault")

// Mutants shows that a suite can fail: for every mutant it runs the case that is to
// notice it, and fails when the case passes mutantTries times. A case that ends in a panic, does not end
// or does not exist has noticed nothing.
//
// A test that fails can't be told from one that is meant to within a process, so every
// case runs in a process of its own: this test binary started again with the mutant's
// name in its environment, running the test that calls Mutants and nothing else. This
// test must be at the top level.
func Mutants[S any](t *testing.T, cases []Case[S], place func(t testing.TB) Opener[S], mutants []Mutant[S]) {
	if name := os.Getenv(mutantEnv); name != "" {
		runMutant(t, name, cases, place, mutants)
		return
	}
	WithoutRace(t, "the suite itself runs under it; mutants are broken on purpose")
	for _, m := range mutants {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			err := errUnnoticed
			for try := 0; try < mutantTries && errors.Is(err, errUnnoticed); try++ {
				err = noticed(t.Context(), strings.SplitN(t.Name(), "/", 2)[0], m.Name, m.Case)
			}
			if err != nil {
				t.Errorf("%s: %v", m.Case, err)
			}
		})
	}
}

func runMutant[S any](t *testing.T, name string, cases []Case[S], place func(t testing.TB) Opener[S], mutants []Mutant[S]) {
	for _, m := range mutants {
		if m.Name != name {
			continue
		}
		for _, c := range cases {
			if c.Name == m.Case {
				t.Run(c.Name, func(t *testing.T) {
					open := place(t)
					c.Test(t, func(t testing.TB) S { return m.Break(open(t)) })
				})
			}
		}
	}
}

// noticed runs one case against one mutant in a process of its own. It returns an
// error unless the case fails, and nothing but the case.
func noticed(ctx context.Context, test, mutant, name string) error {
	ctx, cancel := context.WithTimeout(ctx, mutantLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.count=1", "-test.run=^"+regexp.QuoteMeta(test)+"$")
	cmd.Env = append(os.Environ(), mutantEnv+"="+mutant)
	out, err := cmd.CombinedOutput()
	said := string(out)
	exit := new(exec.ExitError)
	switch {
	case ctx.Err() != nil:
		return errors.New("the case does not end:\n" + said)
	case !strings.Contains(said, "=== RUN   "+test+"/"):
		return errors.New("there is no case " + name + ":\n" + said)
	case err == nil:
		return errUnnoticed
	case !errors.As(err, &exit):
		return err
	case strings.Contains(said, "panic: "), strings.Contains(said, "fatal error: "), !strings.Contains(said, "--- FAIL: "+test+"/"):
		return errors.New("the case did not fail, but ended in:\n" + said)
	}
	return nil
}
