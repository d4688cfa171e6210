package ibidtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// BranchStore reads conversations in parts.
type BranchStore interface {
	Messages(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	Branch(ctx context.Context, view access.View, threadID, headID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	BranchAround(ctx context.Context, view access.View, threadID, headID, messageID string, limit int) (messages []ibid.Message, next, newer string, err error)
	BranchAfter(ctx context.Context, view access.View, threadID string, page ibid.Page) (messages []ibid.Message, newer string, err error)
	ShowBranch(ctx context.Context, view access.View, threadID, messageID string) error
	Siblings(ctx context.Context, view access.View, messageIDs []string) (map[string][]string, error)
	Questions(ctx context.Context, view access.View, messageID string) (int, error)
}

// all returns all messages of a thread, oldest first.
func (s *runStoreTest) all(ctx context.Context, threadID string) ([]ibid.Message, error) {
	return pagesBack(func(page ibid.Page) ([]ibid.Message, string, error) {
		return s.Messages(ctx, access.For(ibid.Owner), threadID, page)
	}, 500)
}

// pagesBack reads a list from its newest page to its oldest, and returns it oldest
// first. A page that is no full one and not the last is an error.
func pagesBack(read func(ibid.Page) ([]ibid.Message, string, error), limit int) ([]ibid.Message, error) {
	var all []ibid.Message
	for page := (ibid.Page{Limit: limit}); ; {
		part, next, err := read(page)
		if err != nil {
			return all, err
		}
		if len(part) > limit || next != "" && len(part) < limit {
			return all, fmt.Errorf("a page of %d has %d messages", limit, len(part))
		}
		all = append(slices.Clone(part), all...)
		if page.Cursor = next; next == "" {
			return all, nil
		}
	}
}

func ids(messages []ibid.Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.ID)
	}
	return strings.Join(all, " ")
}

func testParts(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	s.accept(t, "t2", "other", "")
	s.finish(t, s.claim(t, "p"), 2)
	parent := ""
	for _, id := range []string{"r1", "r2", "r3", "r4"} {
		s.accept(t, "t1", id, parent)
		s.finish(t, s.claim(t, "p"), 2)
		parent = id
	}
	for what, want := range map[string]string{
		"the head's part":       "u-r4 r4",
		"the part before":       "u-r3 r3",
		"the beginning":         "u-r1 r1",
		"around u-r2":           "r1 u-r2 r2",
		"newer than that":       "u-r3 r3",
		"newer than that again": "u-r4 r4",
		"the thread's newest":   "u-r4 r4",
	} {
		var got []ibid.Message
		var err error
		switch what {
		case "the head's part":
			got, _, err = s.Branch(ctx, access.For(ibid.Owner), "t1", "r4", ibid.Page{Limit: 2})
		case "the part before":
			_, next, _ := s.Branch(ctx, access.For(ibid.Owner), "t1", "r4", ibid.Page{Limit: 2})
			got, _, err = s.Branch(ctx, access.For(ibid.Owner), "t1", "r4", ibid.Page{Limit: 2, Cursor: next})
		case "the beginning":
			got, next, err := s.Branch(ctx, access.For(ibid.Owner), "t1", "r1", ibid.Page{Limit: 2})
			if ids(got) != want || next != "" || err != nil {
				t.Errorf("%s: %s, %q, %v", what, ids(got), next, err)
			}
			continue
		case "around u-r2":
			got, _, _, err = s.BranchAround(ctx, access.For(ibid.Owner), "t1", "r4", "u-r2", 3)
		case "newer than that":
			_, _, newer, _ := s.BranchAround(ctx, access.For(ibid.Owner), "t1", "r4", "u-r2", 3)
			got, _, err = s.BranchAfter(ctx, access.For(ibid.Owner), "t1", ibid.Page{Limit: 2, Cursor: newer})
		case "newer than that again":
			_, _, newer, _ := s.BranchAround(ctx, access.For(ibid.Owner), "t1", "r4", "u-r2", 3)
			_, newer, _ = s.BranchAfter(ctx, access.For(ibid.Owner), "t1", ibid.Page{Limit: 2, Cursor: newer})
			got, newer, err = s.BranchAfter(ctx, access.For(ibid.Owner), "t1", ibid.Page{Limit: 2, Cursor: newer})
			if newer != "" {
				t.Error("something is said to be newer than the head")
			}
		case "the thread's newest":
			got, _, err = s.Messages(ctx, access.For(ibid.Owner), "t1", ibid.Page{Limit: 2})
		}
		if ids(got) != want || err != nil {
			t.Errorf("%s: %s, want %s (%v)", what, ids(got), want, err)
		}
	}
	if got, next, err := s.Branch(ctx, access.For(ibid.Owner), "t2", "r4", ibid.Page{}); len(got) != 0 || next != "" || err != nil {
		t.Errorf("the branch of another thread's message: %s, %q, %v", ids(got), next, err)
	}
	if _, _, _, err := s.BranchAround(ctx, access.For(ibid.Owner), "t2", "other", "r2", 3); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("around another thread's message: %v", err)
	}
	if err := s.ShowBranch(ctx, access.For(ibid.Owner), "t2", "r2"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("show another thread's branch: %v", err)
	}
	for _, bad := range []string{"?", "bnVsbA", ibid.EncodeCursor(1)} {
		if _, _, err := s.Branch(ctx, access.For(ibid.Owner), "t1", "r4", ibid.Page{Cursor: bad}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("branch at cursor %q: %v", bad, err)
		}
		if _, _, err := s.Messages(ctx, access.For(ibid.Owner), "t1", ibid.Page{Cursor: bad}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("messages at cursor %q: %v", bad, err)
		}
		if _, _, err := s.Threads(ctx, access.For(ibid.Owner), ibid.ThreadQuery{}, ibid.Page{Cursor: bad}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("threads at cursor %q: %v", bad, err)
		}
	}
}

// testManyVersions: of a question that was asked anew very often, the newest versions
// are told, and that which is asked about.
func testManyVersions(t *testing.T, s *runStoreTest) {
	var all []string
	for n := range ibid.MaxLimit + 2 {
		id := fmt.Sprintf("v%d", n)
		s.accept(t, "t1", id, "")
		s.finish(t, s.claim(t, "p"), 2)
		all = append(all, "u-"+id)
	}
	siblings, err := s.Siblings(t.Context(), access.For(ibid.Owner), []string{all[1], all[2]})
	if err != nil {
		t.Fatal(err)
	}
	if want := append([]string{all[1]}, all[3:]...); !slices.Equal(siblings[all[1]], want) {
		t.Errorf("%d versions of the second, from %s on; want %d", len(siblings[all[1]]), siblings[all[1]][0], len(want))
	}
	if !slices.Equal(siblings[all[2]], all[2:]) {
		t.Errorf("%d versions of the third, want %d", len(siblings[all[2]]), len(all)-2)
	}
}

// testRandomBranches compares what is read in parts with what a walk over all
// messages comes to, in threads that branch anywhere.
func testRandomBranches(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 12))
		thread := fmt.Sprintf("t%d", seed)
		tree := map[string]ibid.Message{}
		order := []string{}
		for n := range 5 + rng.IntN(15) {
			parent := ""
			if len(order) > 0 && rng.IntN(6) > 0 { // after a question too: its answer was deleted
				parent = order[len(order)-1-rng.IntN(min(len(order), 5))]
			}
			id := fmt.Sprintf("%s-%c%d", thread, 'z'-rune(rng.IntN(26)), n)
			if s.accept(t, thread, id, parent); rng.IntN(3) == 0 {
				s.now = s.now.Add(-time.Second) // the next pair gets the same time
			}
			s.finish(t, s.claim(t, "p"), 2)
			order = append(order, "u-"+id, id)
			for _, made := range order[len(order)-2:] {
				m, err := s.Message(ctx, access.For(ibid.Owner), made)
				if err != nil {
					t.Fatal(err)
				}
				tree[made] = m
			}
		}
		slices.SortFunc(order, func(a, b string) int { return older(tree[a], tree[b]) })
		s.compareTree(t, thread, tree, order, rng)
	}
}

// older orders messages by time; the question comes before the answer.
func older(a, b ibid.Message) int {
	switch {
	case !a.CreatedAt.Equal(b.CreatedAt.Time):
		return a.CreatedAt.Compare(b.CreatedAt.Time)
	case a.Role != b.Role:
		return strings.Compare(string(b.Role), string(a.Role))
	}
	return strings.Compare(a.ID, b.ID)
}

func (s *runStoreTest) compareTree(t *testing.T, thread string, tree map[string]ibid.Message, order []string, rng *rand.Rand) {
	t.Helper()
	ctx := t.Context()
	limit := 1 + rng.IntN(7)
	all, err := pagesBack(func(p ibid.Page) ([]ibid.Message, string, error) {
		return s.Messages(ctx, access.For(ibid.Owner), thread, p)
	}, limit)
	if ids(all) != strings.Join(order, " ") || err != nil {
		t.Fatalf("%s: all are %s, want %v (%v)", thread, ids(all), order, err)
	}
	siblings, err := s.Siblings(ctx, access.For(ibid.Owner), order)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range order {
		path, questions := pathTo(tree, id)
		got, err := pagesBack(func(p ibid.Page) ([]ibid.Message, string, error) {
			return s.Branch(ctx, access.For(ibid.Owner), thread, id, p)
		}, limit)
		if ids(got) != strings.Join(path, " ") || err != nil {
			t.Fatalf("%s: the branch of %s is %s, want %v (%v)", thread, id, ids(got), path, err)
		}
		if n, err := s.Questions(ctx, access.For(ibid.Owner), id); n != questions || err != nil {
			t.Fatalf("%s: %d questions up to %s, want %d (%v)", thread, n, id, questions, err)
		}
		var same []string
		for _, other := range order {
			if tree[other].ParentID == tree[id].ParentID && tree[other].Role == tree[id].Role {
				same = append(same, other)
			}
		}
		if len(same) == 1 {
			same = nil
		}
		if !slices.Equal(siblings[id], same) {
			t.Fatalf("%s: siblings of %s are %v, want %v", thread, id, siblings[id], same)
		}
	}
	for range 10 {
		id, head := order[rng.IntN(len(order))], order[rng.IntN(len(order))]
		s.compareAround(t, thread, tree, order, head, id, limit)
	}
}

// compareAround reads a branch in both directions from a message on.
func (s *runStoreTest) compareAround(t *testing.T, thread string, tree map[string]ibid.Message, order []string, head, id string, limit int) {
	t.Helper()
	ctx := t.Context()
	newest := ""
	for _, other := range order {
		if path, _ := pathTo(tree, other); slices.Contains(path, id) {
			newest = other
		}
	}
	want, _ := pathTo(tree, head)
	if !slices.Contains(want, id) {
		want, _ = pathTo(tree, newest)
	}
	part, next, newer, err := s.BranchAround(ctx, access.For(ibid.Owner), thread, head, id, limit)
	if err != nil || len(part) > limit || !slices.ContainsFunc(part, func(m ibid.Message) bool { return m.ID == id }) {
		t.Fatalf("%s: %d around %s: %s, %v", thread, limit, id, ids(part), err)
	}
	if next != "" {
		before, err := pagesBack(func(p ibid.Page) ([]ibid.Message, string, error) {
			if p.Cursor == "" {
				p.Cursor = next
			}
			return s.Branch(ctx, access.For(ibid.Owner), thread, head, p)
		}, limit)
		if err != nil {
			t.Fatal(err)
		}
		part = append(before, part...)
	}
	for newer != "" {
		var after []ibid.Message
		if after, newer, err = s.BranchAfter(ctx, access.For(ibid.Owner), thread, ibid.Page{Limit: limit, Cursor: newer}); err != nil || len(after) == 0 {
			t.Fatalf("%s: after %s: %s, %v", thread, ids(part), ids(after), err)
		}
		part = append(part, after...)
	}
	if ids(part) != strings.Join(want, " ") {
		t.Fatalf("%s: around %s from %s: %s, want %v", thread, id, head, ids(part), want)
	}
	if err := s.ShowBranch(ctx, access.For(ibid.Owner), thread, id); err != nil {
		t.Fatal(err)
	}
	if now, err := s.Thread(ctx, access.For(ibid.Owner), thread); now.HeadID != newest || err != nil {
		t.Fatalf("%s: the branch through %s ends with %s, want %s (%v)", thread, id, now.HeadID, newest, err)
	}
}

func pathTo(tree map[string]ibid.Message, id string) (path []string, questions int) {
	for m, ok := tree[id]; ok; m, ok = tree[m.ParentID] {
		path = append(path, m.ID)
		if m.Role == ibid.RoleUser {
			questions++
		}
	}
	slices.Reverse(path)
	return path, questions
}

func testFindThreads(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	titles := map[string]string{
		"aa1": `What does the "LEASE" say about rent?`, "aa2": "Miete und Übergabe", "ab3": "lease, page 2", "ba4": "100 % of it", "bb5": "On", "bc6": "lease lease",
	}
	for _, id := range []string{"aa1", "aa2", "ab3", "ba4", "bb5", "bc6"} {
		s.accept(t, id, "r-"+id, "")
		if err := s.SetThread(ctx, access.For(ibid.Owner), id, titles[id], ""); err != nil {
			t.Fatal(err)
		}
		s.finish(t, s.claim(t, "p"), 2)
	}
	if err := s.RemoveThread(ctx, access.For(ibid.Owner), "bc6", s.now); err != nil {
		t.Fatal(err)
	}
	for q, want := range map[ibid.ThreadQuery]string{
		{}:                         "bb5 ba4 ab3 aa2 aa1",
		{Text: "lease"}:            "ab3 aa1",
		{Text: `"lease"`}:          "aa1",
		{Text: "ÜBERGABE"}:         "aa2",
		{Text: "über"}:             "aa2",
		{Text: "title"}:            "", // what they were called before
		{Text: "on"}:               "bb5",
		{Text: "%"}:                "ba4",
		{Text: "Ü"}:                "aa2",
		{Text: "lease OR miete"}:   "",
		{ID: "aa"}:                 "aa2 aa1",
		{ID: "aa1"}:                "aa1",
		{ID: "b"}:                  "bb5 ba4",
		{ID: "zz"}:                 "",
		{ID: "a", Text: "lease"}:   "ab3 aa1",
		{ID: "aa", Text: "e"}:      "aa2 aa1",
		{ID: "ab", Text: "lease,"}: "ab3",
	} {
		var got []string
		for page := (ibid.Page{Limit: 1}); ; {
			threads, next, err := s.Threads(ctx, access.For(ibid.Owner), q, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, th := range threads {
				got = append(got, th.ID)
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v finds %v, want %s", q, got, want)
		}
	}
}
