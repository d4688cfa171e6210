package sqlite_test

import (
	"testing"

	"ibid/internal/ibidtest"
)

func pagePlace(t testing.TB) ibidtest.Opener[ibidtest.PageStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.PageStore { return open(t) }
}

func TestPages(t *testing.T) { ibidtest.Run(t, ibidtest.PageCases, pagePlace) }

func TestPageMutants(t *testing.T) { ibidtest.TestPageMutants(t, pagePlace) }
