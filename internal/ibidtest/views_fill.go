package ibidtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

var viewTime = time.UnixMilli(1_700_000_000_000)

// fillForViews gives anna and ben documents, threads and databases. Each thing of
// theirs has their name in its id, and many in their words.
func fillForViews(t testing.TB, s ViewStore) ViewStore {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range people {
		who := string(p)
		for n := range i + 1 {
			putForView(t, s, p, fmt.Sprintf("d-%s-%d", who, n))
		}
		putForView(t, s, p, "r-"+who)
		_, _, err := s.RemoveDocument(t.Context(), access.For(p), "r-"+who, viewTime)
		must(err)
	}
	for i, p := range people { // from here on documents wait
		who := string(p)
		member := ibid.Document{Principal: p, ID: "m-" + who, Name: "m-" + who, Source: "/files/d-" + who + "-0!/m", PartOf: "d-" + who + "-0"}
		same := ibid.Document{Principal: p, ID: "s-" + who, Name: "same", Source: "/files/same", Bytes: 7}
		below := ibid.Document{Principal: p, ID: "w-" + who, Name: "w-" + who, Source: "/files/same!/w", Bytes: int64(5 + i)}
		waiting := []ibid.Document{member, same, below, {Principal: p, ID: "l-" + who, Name: "l-" + who, Source: "/files/l-" + who}}
		for _, d := range waiting[:3+i] {
			d.AddedAt, d.ChangeAt = ibid.At(viewTime), ibid.At(viewTime)
			_, _, err := s.PutDocument(t.Context(), d, "v-"+d.ID)
			must(err)
		}
		must(startForView(s, p, "t-"+who, "q-t-"+who, "a-t-"+who))
		must(s.SetFileText(t.Context(), "q-t-"+who, 0, ibid.Extract{Text: "said by " + who}))
		// Two questions with one parent are siblings.
		for _, asked := range [][3]string{{"u-" + who, "q-u-" + who, "a-u-" + who}, {"u-" + who, "q2-u-" + who, "a2-u-" + who}, {"x-" + who, "q-x-" + who, "a-x-" + who}} {
			must(startForView(s, p, asked[0], asked[1], asked[2]))
			run, err := s.ClaimQueued(t.Context(), asked[2], "process", time.Hour)
			must(err)
			answer := ibid.Message{ID: asked[2], ThreadID: asked[0], ParentID: asked[1], Role: ibid.RoleAssistant, Text: "an answer to " + who,
				Status: ibid.StatusCompleted, CreatedAt: ibid.At(viewTime)}
			must(s.FinishRun(t.Context(), ibid.Lease{RunID: run.ID, Owner: "process", Fence: run.Fence}, nil, answer, viewTime))
			must(s.KeepAnswered(t.Context(), ibid.Answered{Key: "key", Question: "asked by " + who, MessageID: asked[2], At: viewTime}))
		}
		must(s.RemoveThread(t.Context(), access.For(p), "x-"+who, viewTime))

		for _, id := range []string{"db-" + who, "dbx-" + who} {
			must(s.PutDatabase(t.Context(), ibid.Database{Principal: p, ID: id, Name: id, AddedAt: ibid.At(viewTime)}))
		}
		must(s.RemoveDatabase(t.Context(), access.For(p), "dbx-"+who, viewTime))
	}
	return s
}

// putForView takes in a document with a section, a passage and a sentence, in which
// Acme and the document's own key are named.
func putForView(t testing.TB, s ViewStore, p ibid.Principal, id string) {
	t.Helper()
	d := ibid.Document{Principal: p, ID: id, Name: id + ".txt", Source: "/files/" + id, Folder: "shared/" + string(p), Category: "of " + string(p),
		Tags: []string{"both", "of " + string(p)}, AddedAt: ibid.At(viewTime), ChangeAt: ibid.At(viewTime)}
	version := "v-" + id
	l := claimNew(t, s, d, version)
	d.Version, d.Status, d.Chunks = version, ibid.DocumentReady, 1
	text := "Acme wrote to " + string(p) + "."
	piece := func(id, parent string, level int) ibid.Chunk {
		return ibid.Chunk{ID: id, DocumentID: d.ID, Version: version, Level: level, ParentID: parent, Text: text, End: len(text)}
	}
	chunks := []ibid.Chunk{piece("x-"+id, "", 1), piece("p-"+id, "x-"+id, 2), piece(ibid.SentenceID("p-"+id, 0), "p-"+id, 3)}
	named := []ibid.Naming{{ChunkID: "p-" + id, Entities: []ibid.Entity{{Key: "acme", Name: "Acme", Count: 1}, {Key: "key " + string(p), Name: "Key of " + string(p), Count: 1}}}}
	x := ibid.Extract{Format: "text", Text: text, Blocks: []ibid.Block{{Kind: ibid.BlockParagraph, End: len(text)}}}
	if _, _, err := s.FinishDocument(t.Context(), l, d, x, chunks, named, viewTime); err != nil {
		t.Fatal(err)
	}
}

// startForView asks a question in a thread, with a file.
func startForView(s ViewStore, p ibid.Principal, thread, question, answer string) error {
	at := ibid.At(viewTime)
	request := ibid.Request{Text: "asked by " + string(p), Attachments: []ibid.Attachment{{Name: string(p) + ".txt", MIME: "text/plain", Data: []byte("by " + p)}}}
	user := ibid.Message{ID: question, ThreadID: thread, Role: ibid.RoleUser, Text: request.Text, Status: ibid.StatusCompleted, CreatedAt: at}
	reply := ibid.Message{ID: answer, ThreadID: thread, ParentID: question, Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: at}
	run := ibid.Run{Principal: p, ID: answer, ThreadID: thread, UserMessageID: question, Request: request, Status: ibid.StatusQueued, AcceptedAt: viewTime}
	return s.StartRun(context.Background(), ibid.Thread{Principal: p, ID: thread, Title: "about " + string(p), CreatedAt: at, UpdatedAt: at}, user, reply, run,
		[]ibid.Event{{Seq: 1, Run: answer, At: viewTime, Data: ibid.RunStarted{ThreadID: thread, UserMessageID: question, MessageID: answer, Attempt: 1}}}, 100)
}
