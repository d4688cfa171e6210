package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/tool"
)

// attached fetches the bytes of those files of a question that the model is given
// with it: short texts, and images where it sees them. The others it reads with
// retrieve_file.
func (a *App) attached(ctx context.Context, task agent.Task, sees bool) ([]ibid.Attachment, error) {
	var files []ibid.Attachment
	for n, f := range task.Request.Attachments {
		image := strings.HasPrefix(f.MIME, "image/")
		if len(f.Data) == 0 && (image && sees || agent.IsShortText(f)) {
			stored, err := a.DB.File(ctx, task.View, task.UserMessageID, n)
			if err != nil {
				return nil, fmt.Errorf("read what came with the question: %w", err)
			}
			f = stored.Attachment
		}
		if image && !sees {
			f.Data = nil
		}
		files = append(files, f)
	}
	return files, nil
}

// picture fetches a picture of the conversation by its file's id.
func (a *App) picture(ctx context.Context, view access.View, fileID string) (ibid.Image, error) {
	messageID, place, _ := strings.Cut(fileID, ":")
	n, err := strconv.Atoi(place)
	if err != nil {
		return ibid.Image{}, fmt.Errorf("%q names no file", fileID)
	}
	f, err := a.DB.File(ctx, view, messageID, n)
	return ibid.Image{MIME: f.MIME, Data: f.Data}, err
}

// fileTexts are what the files of conversations say, read in a worker.
func (a *App) fileTexts() tool.FileTexts {
	return tool.NewFileTexts(a.DB, files{a.workers}, a.formats())
}
