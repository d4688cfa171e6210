package tool

import (
	"context"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/access"
)

// The files of a conversation are searched beside the library, in that conversation
// only. They are no part of the index: there are few of them, so they are cut into
// passages and looked through each time.

const (
	// searchedFiles and searchedBytes bound what of a conversation is searched: its
	// newest files, and so much of their text.
	searchedFiles = 20
	searchedBytes = 4 << 20
	// readingTime bounds how long one search waits for files that nobody has read
	// yet; those that take longer are found by a later one.
	readingTime = 20 * time.Second
)

// searched returns the passages of a conversation's newest files. What cannot be
// read is left out, and so are pictures that nobody has read the words of yet.
func (t FileTexts) searched(ctx context.Context, view access.View, threadID string) ([]ibid.Passage, error) {
	if t.store == nil || threadID == "" {
		return nil, nil
	}
	files, _, err := t.store.Files(ctx, view, threadID, ibid.Page{Limit: searchedFiles})
	if err != nil {
		return nil, fmt.Errorf("look for the files of the conversation: %w", err)
	}
	reading, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	var all []ibid.Passage
	room := searchedBytes
	for _, f := range files {
		x, err := t.store.FileText(ctx, view, f.MessageID, f.N)
		if ibid.CodeOf(err) == ibid.CodeNotFound && !isPicture(f) {
			x, err = t.Text(reading, view, f)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || len(x.Text) > room {
			continue
		}
		room -= len(x.Text)
		all = append(all, t.passages(f, x)...)
	}
	return all, nil
}
