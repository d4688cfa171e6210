package ibidtest

import (
	"fmt"

	"ibid"
)

// Everything is a page of lists that tests know to be short.
var Everything = ibid.Page{Limit: ibid.MaxLimit}

// Whole returns a list of which the first page is all there is; more is an error.
func Whole[T any](items []T, next string, err error) ([]T, error) {
	if err == nil && next != "" {
		err = fmt.Errorf("the list goes on after %d items", len(items))
	}
	return items, err
}
