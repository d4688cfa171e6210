package ibid

import (
	"encoding/base64"
	"encoding/json"
	"iter"
)

// How many items of a list one call returns.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// Page asks for a part of a list. The zero Page is the list's beginning, at the
// usual length.
//
// A cursor holds the sort keys of the last item that was returned, and the next
// page begins behind them. So items that are added or removed between two calls
// neither repeat others nor hide them.
type Page struct {
	Limit  int    // how many items; 0 is DefaultLimit, more than MaxLimit is MaxLimit
	Cursor string // where to go on, as the call before returned it; "" is the beginning
}

// Size returns how many items the page may have.
func (p Page) Size() int {
	if p.Limit <= 0 {
		return DefaultLimit
	}
	return min(p.Limit, MaxLimit)
}

// EncodeCursor returns the cursor of a page that begins behind the item with these
// sort keys. Keys are strings and integers; the last one is unique in the list.
func EncodeCursor(keys ...any) string {
	data, err := json.Marshal(keys)
	if err != nil { // only of what is no key, such as a channel
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// DecodeCursor stores the keys of the page's cursor where into points to: as many
// and of the same types as EncodeCursor was given. ok is false at the beginning of
// a list. A cursor that was made for another list is a CodeBadRequest.
func (p Page) DecodeCursor(into ...any) (ok bool, err error) {
	if p.Cursor == "" {
		return false, nil
	}
	bad := Errorf(CodeBadRequest, "cursor: not one that this list returned")
	data, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil {
		return false, bad
	}
	var keys []json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || len(keys) != len(into) {
		return false, bad
	}
	for i, key := range keys {
		if string(key) == "null" || json.Unmarshal(key, into[i]) != nil {
			return false, bad
		}
	}
	return true, nil
}

// Each yields the items of a list that read returns a page of, one page in memory at a
// time. It ends with the first error.
func Each[T any](read func(Page) (items []T, next string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page := (Page{Limit: MaxLimit}); ; {
			items, next, err := read(page)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if page.Cursor = next; next == "" {
				return
			}
		}
	}
}
