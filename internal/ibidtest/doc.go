// Package ibidtest holds what tests of several packages share: where the public
// test data lies, conformance suites that every adapter must pass, and a
// scripted model. Only tests import it.
package ibidtest
