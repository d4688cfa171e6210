package ibidtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// FileStore is what a store of conversations can do with the files of messages.
type FileStore interface {
	// AddFile gives a message one more file and returns its place.
	AddFile(ctx context.Context, messageID string, f ibid.Attachment) (n int, err error)
	// Files returns a page of the files of a thread without their bytes, newest first.
	Files(ctx context.Context, view access.View, threadID string, page ibid.Page) (files []ibid.File, next string, err error)
	File(ctx context.Context, view access.View, messageID string, n int) (ibid.File, error)
	// FileText returns what a file says, NOT_FOUND until SetFileText has kept it.
	FileText(ctx context.Context, view access.View, messageID string, n int) (ibid.Extract, error)
	SetFileText(ctx context.Context, messageID string, n int, x ibid.Extract) error
}

// testFiles: what comes with a question is taken out of it, can be had by its
// place, and goes with its message.
func testFiles(t *testing.T, s *runStoreTest) {
	ctx := t.Context()
	request := ibid.Request{Text: "what is it", Attachments: []ibid.Attachment{
		{Name: "a.txt", MIME: "text/plain", Data: []byte("first\x00")}, {Name: "b.png", MIME: "image/png", Data: []byte("second")}}}
	user := ibid.Message{ID: "u1", ThreadID: "t1", Role: ibid.RoleUser, Request: &request, CreatedAt: ibid.At(s.now)}
	answer := ibid.Message{ID: "r1", ThreadID: "t1", ParentID: "u1", Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: ibid.At(s.now)}
	err := s.StartRun(ctx, ibid.Thread{Principal: ibid.Owner, ID: "t1", CreatedAt: ibid.At(s.now), UpdatedAt: ibid.At(s.now)}, user, answer, ibid.Run{Principal: ibid.Owner, ID: "r1", ThreadID: "t1",
		UserMessageID: "u1", Request: request, Status: ibid.StatusQueued, AcceptedAt: s.now}, nil, maxQueued)
	if err != nil {
		t.Fatal(err)
	}
	if len(request.Attachments[0].Data) == 0 {
		t.Error("the caller's own request was changed")
	}
	m, err := s.Message(ctx, access.For(ibid.Owner), "u1")
	if err != nil || len(m.Request.Attachments) != 2 || m.Request.Attachments[0].Data != nil || m.Request.Attachments[1].Bytes != 6 {
		t.Errorf("the message holds %+v, %v", m.Request, err)
	}
	run, err := s.ClaimRun(ctx, "p", time.Minute)
	if err != nil || len(run.Request.Attachments) != 2 || run.Request.Attachments[0].Data != nil {
		t.Errorf("the run holds %+v, %v", run, err)
	}
	if n, err := s.AddFile(ctx, "r1", ibid.Attachment{Name: "c.png", MIME: "image/png", Data: []byte("third")}); err != nil || n != 0 {
		t.Errorf("the answer's first file is %d, %v", n, err)
	}
	if n, err := s.AddFile(ctx, "r1", ibid.Attachment{Name: "d.png", MIME: "image/png", Data: []byte("4")}); err != nil || n != 1 {
		t.Errorf("the answer's second file is %d, %v", n, err)
	}
	if _, err := s.AddFile(ctx, "none", ibid.Attachment{Name: "x", Data: []byte("x")}); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a file of no message: %v", err)
	}
	files, err := Whole(s.Files(ctx, access.For(ibid.Owner), "t1", Everything))
	slices.Reverse(files)
	if err != nil || len(files) != 4 || files[0].ID() != "u1:0" || files[3].ID() != "r1:1" || files[0].Data != nil || files[1].Bytes != 6 ||
		files[0].Version != ibid.VersionOf([]byte("first\x00")) || files[1].Version == files[0].Version {
		t.Errorf("files %+v, %v", files, err)
	}
	f, err := s.File(ctx, access.For(ibid.Owner), "u1", 0)
	if err != nil || string(f.Data) != "first\x00" || f.Name != "a.txt" || f.MIME != "text/plain" || f.Version != files[0].Version {
		t.Errorf("file %+v, %v", f, err)
	}
	if _, err := s.FileText(ctx, access.For(ibid.Owner), "u1", 0); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a text that nobody has read: %v", err)
	}
	if err := s.SetFileText(ctx, "u1", 0, ibid.Extract{Text: "first", Format: "text"}); err != nil {
		t.Fatal(err)
	}
	if x, err := s.FileText(ctx, access.For(ibid.Owner), "u1", 0); err != nil || x.Text != "first" {
		t.Errorf("text %+v, %v", x, err)
	}
	if _, err := s.File(ctx, access.For(ibid.Owner), "u1", 9); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	s.finish(t, ibid.Lease{RunID: "r1", Owner: "p", Fence: run.Fence}, 1)
	if err := s.RemoveThread(ctx, access.For(ibid.Owner), "t1", s.now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.File(ctx, access.For(ibid.Owner), "u1", 0); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a file of a removed thread: %v", err)
	}
	if files, err := Whole(s.Files(ctx, access.For(ibid.Owner), "t1", Everything)); len(files) > 0 || err != nil {
		t.Errorf("files of a removed thread: %v, %v", files, err)
	}
	if err := s.RestoreThread(ctx, access.For(ibid.Owner), "t1", s.now); err != nil {
		t.Fatal(err)
	}
	if f, err := s.File(ctx, access.For(ibid.Owner), "u1", 0); err != nil || string(f.Data) != "first\x00" {
		t.Errorf("a file of a restored thread: %+v, %v", f, err)
	}
	if err := s.RemoveThread(ctx, access.For(ibid.Owner), "t1", s.now); err != nil {
		t.Fatal(err)
	}
	if n, err := s.SweepThreads(ctx, s.now.Add(time.Second)); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	if _, err := s.FileText(ctx, access.For(ibid.Owner), "u1", 0); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a file outlives its thread: %v", err)
	}
}
