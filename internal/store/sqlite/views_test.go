package sqlite_test

import (
	"reflect"
	"testing"

	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

func viewPlace(t testing.TB) ibidtest.Opener[ibidtest.ViewStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.ViewStore { return open(t) }
}

func TestViews(t *testing.T) {
	ibidtest.TestMethodsWithView(t, reflect.TypeFor[*sqlite.DB]())
	ibidtest.Run(t, ibidtest.ViewCases, viewPlace)
}

func TestViewMutants(t *testing.T) { ibidtest.TestViewMutants(t, viewPlace) }
