package ibidtest

import (
	"context"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// The faults that a list with pages can have.
const (
	cursorIgnored = "the cursor is ignored"
	cursorTrusted = "an unknown cursor begins anew"
	limitIgnored  = "the limit is ignored"
	lastLeftOut   = "the last of a page is left out"
	endsEarly     = "the list ends with its first page"
	pagesNumbered = "a page goes on at a number"
	seenByAll     = "anybody sees the list"
)

// brokenPages is a store whose lists have one fault.
type brokenPages struct {
	PageStore
	fault string
}

// faulty is a page of a list with the fault.
func faulty[T any](s brokenPages, page ibid.Page, read func(ibid.Page) ([]T, string, error)) ([]T, string, error) {
	switch s.fault {
	case cursorIgnored:
		page.Cursor = ""
	case limitIgnored:
		page.Limit = ibid.MaxLimit
	case pagesNumbered:
		var from int
		if _, err := page.DecodeCursor(&from); err != nil {
			return nil, "", err
		}
		all, _, err := read(Everything)
		to := from + page.Size()
		if err != nil || to >= len(all) {
			return all[min(from, len(all)):], "", err
		}
		return all[from:to], ibid.EncodeCursor(to), nil
	}
	items, next, err := read(page)
	switch {
	case s.fault == cursorTrusted && ibid.CodeOf(err) == ibid.CodeBadRequest:
		return read(ibid.Page{Limit: page.Limit})
	case s.fault == endsEarly:
		next = ""
	case s.fault == lastLeftOut && next != "":
		items = items[:len(items)-1]
	}
	return items, next, err
}

// through is the view that a list is seen through.
func (s brokenPages) through(view access.View) access.View {
	if s.fault == seenByAll {
		return access.For(ibid.Owner)
	}
	return view
}

func (s brokenPages) Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) ([]ibid.FolderCount, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.FolderCount, string, error) {
		return s.PageStore.Folders(ctx, s.through(view), q, page)
	})
}

func (s brokenPages) Categories(ctx context.Context, view access.View, called string, page ibid.Page) ([]ibid.LabelCount, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.LabelCount, string, error) {
		return s.PageStore.Categories(ctx, s.through(view), called, page)
	})
}

func (s brokenPages) Tags(ctx context.Context, view access.View, called string, page ibid.Page) ([]ibid.LabelCount, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.LabelCount, string, error) {
		return s.PageStore.Tags(ctx, s.through(view), called, page)
	})
}

func (s brokenPages) Databases(ctx context.Context, view access.View, page ibid.Page) ([]ibid.Database, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.Database, string, error) {
		return s.PageStore.Databases(ctx, s.through(view), page)
	})
}

func (s brokenPages) DocumentChunks(ctx context.Context, view access.View, documentID string, page ibid.Page) ([]ibid.Chunk, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.Chunk, string, error) {
		return s.PageStore.DocumentChunks(ctx, s.through(view), documentID, page)
	})
}

func (s brokenPages) Namings(ctx context.Context, view access.View, documentID string, page ibid.Page) ([]ibid.Naming, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.Naming, string, error) {
		return s.PageStore.Namings(ctx, s.through(view), documentID, page)
	})
}

func (s brokenPages) Files(ctx context.Context, view access.View, threadID string, page ibid.Page) ([]ibid.File, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.File, string, error) {
		return s.PageStore.Files(ctx, s.through(view), threadID, page)
	})
}

func (s brokenPages) Members(ctx context.Context, view access.View, archiveID string, page ibid.Page) ([]ibid.Document, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.Document, string, error) {
		return s.PageStore.Members(ctx, s.through(view), archiveID, page)
	})
}

func (s brokenPages) RemovedWith(ctx context.Context, view access.View, id string, since time.Time, page ibid.Page) ([]ibid.Document, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]ibid.Document, string, error) {
		return s.PageStore.RemovedWith(ctx, s.through(view), id, since, page)
	})
}

func (s brokenPages) HalfRestored(ctx context.Context, page ibid.Page) ([]string, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]string, string, error) { return s.PageStore.HalfRestored(ctx, page) })
}

func (s brokenPages) Originals(ctx context.Context, page ibid.Page) ([]string, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]string, string, error) { return s.PageStore.Originals(ctx, page) })
}

func (s brokenPages) Discarded(ctx context.Context, page ibid.Page) ([]string, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]string, string, error) { return s.PageStore.Discarded(ctx, page) })
}

func (s brokenPages) WaitingRuns(ctx context.Context, page ibid.Page) ([]string, string, error) {
	return faulty(s, page, func(page ibid.Page) ([]string, string, error) { return s.PageStore.WaitingRuns(ctx, page) })
}

// pageMutants are faults that the case of a list must notice: each fault in some list,
// and some fault in each list.
var pageMutants = map[string][]string{
	"folders":                         {cursorIgnored},
	"folders in a folder":             {lastLeftOut, seenByAll},
	"folders of a scope":              {limitIgnored, pagesNumbered},
	"categories":                      {endsEarly, cursorTrusted},
	"tags":                            {pagesNumbered},
	"passages of a document":          {cursorIgnored, lastLeftOut},
	"what passages name":              {limitIgnored, cursorTrusted},
	"files of a thread":               {pagesNumbered, seenByAll},
	"members of an archive":           {pagesNumbered, endsEarly},
	"what went with an archive":       {lastLeftOut, seenByAll},
	"archives that are half restored": {endsEarly},
	"originals":                       {limitIgnored},
	"discarded originals":             {pagesNumbered},
	"databases":                       {pagesNumbered, seenByAll},
	"runs that wait":                  {cursorIgnored},
}

// TestPageMutants shows that PageCases notice faults of lists.
func TestPageMutants(t *testing.T, place func(testing.TB) Opener[PageStore]) {
	var mutants []Mutant[PageStore]
	for _, c := range PageCases {
		for _, fault := range pageMutants[c.Name] {
			mutants = append(mutants, Mutant[PageStore]{Name: c.Name + ": " + fault, Case: c.Name,
				Break: func(s PageStore) PageStore { return brokenPages{s, fault} }})
		}
	}
	Mutants(t, PageCases, place, mutants)
}
