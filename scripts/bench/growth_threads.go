package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ibid"

	_ "modernc.org/sqlite" // conversations are written into the database of the server
)

// conversationSizes are the numbers of messages of one conversation, and
// conversations how many others there are, at each step.
var (
	conversationSizes = []int{10, 1_000, 10_000}
	conversations     = []int{1_000, 10_000, 100_000}
)

// fewMessages is how many messages of a conversation are shown and told to the
// model at every step, so that all steps do the same.
const fewMessages = 10

// growingThreads measures what conversations cost as they grow.
type growingThreads struct {
	g     *growing
	there int // other conversations
}

func newGrowingThreads(g *growing) *growingThreads { return &growingThreads{g: g} }

// operations are what people do with conversations, at step n: with so many
// messages as belong to that step.
func (t *growingThreads) operations(ctx context.Context, n int) ([]operation, error) {
	n = min(n, len(conversationSizes)-1)
	size := conversationSizes[n]
	// A short conversation grows by being asked in, so there are many of them.
	copies := 1
	if size < 100*fewMessages {
		copies = 100
	}
	if err := t.write(ctx, size, copies, conversations[n]-t.there); err != nil {
		return nil, err
	}
	t.there = max(t.there, conversations[n])
	thread := func(i int) string { return fmt.Sprintf("talk-%d-%d", size, i%copies) }
	return []operation{
		{name: "a conversation opened", times: 200, do: func(ctx context.Context, i int) error {
			if err := t.g.get(ctx, "/v1/threads/"+thread(i), nil); err != nil {
				return err
			}
			return t.g.get(ctx, fmt.Sprintf("/v1/threads/%s/messages?limit=%d", thread(i), fewMessages), nil)
		}},
		{name: "a question in a conversation", times: 60, apart: true, do: func(ctx context.Context, i int) error {
			return t.g.questionIn(ctx, thread(i), fmt.Sprintf("What is the rent of the mill number %d?", i*13%900))
		}},
		{name: "the list of conversations", times: 200, do: func(ctx context.Context, _ int) error {
			return t.g.get(ctx, "/v1/threads?limit=50", nil)
		}},
		{name: "conversations with a part in their titles", times: 200, do: func(ctx context.Context, i int) error {
			return t.g.get(ctx, "/v1/threads?limit=50&q="+url.QueryEscape(fmt.Sprintf("mill 000%03d", i%900)), nil)
		}},
	}, nil
}

// write writes copies of a conversation of size messages, and more others of one
// question each, straight into the database: asking would take hours.
func (t *growingThreads) write(ctx context.Context, size, copies, more int) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.g.dir, "ibid.db")+"?_pragma=busy_timeout(60000)&_pragma=foreign_keys(ON)")
	if err != nil {
		return fmt.Errorf("open the database of the server: %w", err)
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write conversations: %w", err)
	}
	defer tx.Rollback()
	began := time.Now().Add(-30 * 24 * time.Hour)
	for i := range copies {
		id := fmt.Sprintf("talk-%d-%d", size, i)
		if err := writeThread(ctx, tx, id, fmt.Sprintf("A conversation of %d messages", size), began, size); err != nil {
			return err
		}
	}
	for i := range max(more, 0) {
		n := t.there + i
		if err := writeThread(ctx, tx, fmt.Sprintf("other-%d", n), fmt.Sprintf("What about mill %06d?", n), began.Add(time.Duration(n)*time.Second), 2); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func writeThread(ctx context.Context, tx *sql.Tx, id, title string, at time.Time, size int) error {
	last := fmt.Sprintf("%s-%d", id, size-1)
	if _, err := tx.ExecContext(ctx, `INSERT INTO threads (id, title, head_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
		id, title, last, at.UnixMilli(), at.UnixMilli()); err != nil {
		return fmt.Errorf("write a conversation: %w", err)
	}
	parent := ""
	for n := range size {
		m := ibid.Message{ID: fmt.Sprintf("%s-%d", id, n), ThreadID: id, ParentID: parent, Role: ibid.RoleUser,
			Text: fmt.Sprintf("What was the rent of mill %d in those days?", n), Status: ibid.StatusCompleted, CreatedAt: ibid.At(at.Add(time.Duration(n) * time.Second))}
		if n%2 == 1 {
			m.Role, m.Text = ibid.RoleAssistant, strings.Repeat(fmt.Sprintf("The rent of mill %d was 400 euros a month. ", n), 12)
			for c := range 3 {
				m.Citations = append(m.Citations, ibid.Citation{N: c + 1, ChunkID: fmt.Sprintf("c_%d_%d", n, c), DocumentID: fmt.Sprintf("d%d", n),
					Version: "v", Quote: strings.Repeat("It stands by the river, with wheels. ", 8)})
			}
		}
		data, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO messages (id, thread_id, parent_id, role, status, created_at, data, questions) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			m.ID, id, parent, m.Role, m.Status, m.CreatedAt.UnixMilli(), string(data), n/2+1); err != nil {
			return fmt.Errorf("write a message: %w", err)
		}
		parent = m.ID
	}
	return nil
}

// questionIn asks in a thread and waits for the end of the answer.
func (g *growing) questionIn(ctx context.Context, thread, text string) error {
	body, err := json.Marshal(map[string]string{"input_text": text})
	if err != nil {
		return err
	}
	var asked struct {
		MessageID string `json:"message_id"`
	}
	if err := g.do(ctx, http.MethodPost, "/v1/threads/"+thread+"/user_message", "application/json", bytes.NewReader(body), &asked); err != nil {
		return err
	}
	if err := g.get(ctx, "/v1/messages/"+asked.MessageID+"/events?follow=true", nil); err != nil {
		return err
	}
	var m ibid.Message
	if err := g.get(ctx, "/v1/messages/"+asked.MessageID, &m); err != nil {
		return err
	}
	for _, s := range m.Steps {
		if s.Retrieval != nil {
			g.searches++
		}
	}
	return nil
}

// measureThreadGrowth measures conversations alone, over a small library.
func measureThreadGrowth(ctx context.Context, o options, t *table) error {
	root, err := os.MkdirTemp("", "ibid-growth-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(root)
	g := &growing{binary: o.binary, dir: filepath.Join(root, "data"), files: filepath.Join(root, "files"), cost: map[string][]time.Duration{}}
	if g.server, err = startServerWith(ctx, o.binary, g.dir, "reader"); err != nil {
		return err
	}
	defer g.stop()
	if err := g.grow(ctx, 200, &table{}); err != nil {
		return err
	}
	threads := newGrowingThreads(g)
	for i, size := range conversationSizes {
		operations, err := threads.operations(ctx, i)
		if err != nil {
			return err
		}
		g.settle(ctx)
		for _, op := range operations {
			if err := g.measure(ctx, op, size, &table{}); err != nil {
				return err
			}
		}
	}
	for _, name := range g.names {
		cost := g.cost[name]
		var said []string
		for _, c := range cost {
			said = append(said, millis(c))
		}
		t.add(name, fmt.Sprintf("%s; %.2f×", strings.Join(said, ", "), float64(cost[len(cost)-1])/float64(max(cost[0], time.Microsecond))), 3)
	}
	return nil
}
