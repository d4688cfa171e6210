// Package run owns the work on questions. A run belongs to the Runner, never to
// the request that asked for it: it goes on when every reader has left, and
// after a crash it goes on from its last finished step.
//
// Everything a run does is an event in its log, committed before anyone sees
// it. The database is the state machine; memory only caches what is committed
// and wakes those who wait for more.
//
//	Start ─▶ queued ─claim─▶ running ─▶ agent ─▶ events ─▶ log ─▶ Tail (any number)
//	            ▲               │                             (commit, then wake)
//	            └── released ◀──┤ shutdown, lost lease
//	                            └─▶ finished: message, end of log, status: one transaction
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
)

// Store keeps runs and their logs.
type Store interface {
	StartRun(ctx context.Context, thread ibid.Thread, user, assistant ibid.Message, run ibid.Run, events []ibid.Event, maxQueued int) error
	Run(ctx context.Context, view access.View, id string) (*ibid.Run, error)
	LiveRun(ctx context.Context, view access.View, threadID string) (*ibid.Run, error)
	Events(ctx context.Context, view access.View, runID string, after int64, limit int) ([]ibid.Event, error)
	// WaitingRuns returns a page of the ids of the queued runs, the next one first.
	WaitingRuns(ctx context.Context, page ibid.Page) (runIDs []string, next string, err error)
	NoteQueued(ctx context.Context, runID string, data ibid.RunQueued, at time.Time) (*ibid.Event, error)
}

// Leases hands out the right to work on runs. Every write names the lease and
// fails with ibid.ErrLeaseLost once someone else holds the run. Times are the
// store's, so that processes need not agree on theirs.
type Leases interface {
	ClaimRun(ctx context.Context, owner string, lease time.Duration) (*ibid.Run, error)
	ClaimQueued(ctx context.Context, runID, owner string, lease time.Duration) (*ibid.Run, error)
	// RenewLease also says whether someone has asked for the run to be stopped.
	RenewLease(ctx context.Context, l ibid.Lease, lease time.Duration) (stop bool, err error)
	ReleaseRun(ctx context.Context, l ibid.Lease) error
	// ReleaseLostRuns lets runs wait again whose lease is over or whose owner has
	// certainly ended, some hundreds at a time. It takes nothing from anyone else.
	ReleaseLostRuns(ctx context.Context) (int, error)
	// RequestStop has a run that has not ended stopped by whoever holds it, or claims
	// it next.
	RequestStop(ctx context.Context, runID string) error
	AppendEvents(ctx context.Context, l ibid.Lease, events []ibid.Event) error
	FinishRun(ctx context.Context, l ibid.Lease, events []ibid.Event, m ibid.Message, at time.Time) error
}

// Notifier carries hints between the processes that share a store: something about a
// topic was committed. What is true stands in the store. A hint may be lost, and then
// what it spoke of is seen a little later.
type Notifier interface {
	// Notify tells the other processes, and does not wait for them.
	Notify(ctx context.Context, topic string)
	// Listen returns the topics that others notify of. The empty one says that some
	// may have been lost. The channel is closed when ctx ends.
	Listen(ctx context.Context) <-chan string
}

// Threads reads conversations.
type Threads interface {
	Thread(ctx context.Context, view access.View, id string) (ibid.Thread, error)
	Message(ctx context.Context, view access.View, id string) (ibid.Message, error)
	// Branch returns messages that lead to headID and headID itself: the page's newest,
	// oldest of them first.
	Branch(ctx context.Context, view access.View, threadID, headID string, page ibid.Page) (messages []ibid.Message, next string, err error)
	// Questions counts the questions up to a message on its branch, itself included.
	Questions(ctx context.Context, view access.View, messageID string) (int, error)
}

// Answer does the work of one run: it takes the question, what was said before
// and the log so far, and emits events. It returns when the work is done or
// ctx ends; everything it started has ended by then.
type Answer func(ctx context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error)

// Config is what a Runner needs. Zero durations and counts take the defaults
// named beside them.
type Config struct {
	Store   Store
	Leases  Leases
	Threads Threads
	Answer  Answer
	Kinds   []Kind // of work, besides answers

	Owner           string        // names this process in leases
	Notifier        Notifier      // nil where no other process works on the store
	MaxRuns         int           // at once; 4
	MaxQueued       int           // that may wait for one of those; 100
	MaxAttempts     int           // processes that may die on a run before it is closed as interrupted; 10
	Lease           time.Duration // 15 s
	Look            time.Duration // how often to look for what other processes do where no hint comes; 1 s
	Timeout         time.Duration // of a whole run; 10 min
	MemoryChars     int           // conversation given to the model; 48,000
	HistoryMessages int           // 10

	// Verb says in a word or two what a tool has done, for the model in later turns:
	// "calculated"; "used NAME".
	Verb func(tool string) string

	Now   func() time.Time
	NewID func() string
	Log   *slog.Logger
}

// Why a run's context ended. They are the cause of its context.
var (
	errStopped  = errors.New("stopped by the user")
	errShutdown = errors.New("the server is shutting down")
	errTimeout  = errors.New("the run took too long")
)

// Runner starts, claims, works on, stops and continues runs.
type Runner struct {
	cfg  Config
	hub  *hub
	wake chan struct{} // there may be something to claim

	kinds map[string]Kind

	base    context.Context // of every run
	cancel  context.CancelCauseFunc
	loop    sync.WaitGroup
	working sync.WaitGroup

	mu     sync.Mutex
	active map[string]*activeRun
	closed bool
}

type activeRun struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// New returns a Runner that works on nothing before Open.
func New(cfg Config) *Runner {
	cfg.MaxRuns = cmp.Or(cfg.MaxRuns, 4)
	cfg.MaxQueued = cmp.Or(cfg.MaxQueued, 100)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 10)
	cfg.MemoryChars = cmp.Or(cfg.MemoryChars, 48_000)
	cfg.HistoryMessages = cmp.Or(cfg.HistoryMessages, 10)
	cfg.Lease = cmp.Or(cfg.Lease, 15*time.Second)
	cfg.Look = cmp.Or(cfg.Look, time.Second)
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Minute)
	if cfg.Verb == nil {
		cfg.Verb = func(tool string) string { return "used " + tool }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	base, cancel := context.WithCancelCause(context.Background())
	r := &Runner{
		cfg: cfg, hub: newHub(), wake: make(chan struct{}, 1), kinds: map[string]Kind{},
		base: base, cancel: cancel, active: map[string]*activeRun{},
	}
	for _, k := range append([]Kind{r.answers(cfg.Answer)}, cfg.Kinds...) {
		r.kinds[k.Name] = k
	}
	return r
}

// Open begins to claim runs: those that wait, and those whose holder is gone.
func (r *Runner) Open() {
	if r.cfg.Notifier != nil {
		topics := r.cfg.Notifier.Listen(r.base) // before the first look, so that nothing is missed
		r.loop.Go(func() { r.listen(topics) })
	}
	r.loop.Go(r.claimLoop)
	r.nudge()
}

// Close ends the work in two stages: nothing new is claimed; runs under way may
// finish until ctx ends; then they are cut, and handed back to be continued by
// whoever opens the data next. It may be called more than once.
func (r *Runner) Close(ctx context.Context) {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	finished := make(chan struct{})
	go func() {
		r.working.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
	r.cancel(errShutdown)
	<-finished
	r.loop.Wait()
}

func (r *Runner) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Ask is a question for a thread.
type Ask struct {
	ThreadID      string // a thread that does not exist yet is created
	Kind          string // of work; empty: an answer
	Request       ibid.Request
	EditMessageID string // the user message that this one replaces, on a branch of its own
}

// Accepted names what a question has become. All ids are final.
type Accepted struct {
	ThreadID      string
	UserMessageID string
	MessageID     string // of the answer, and of its run
}

// Start accepts a question: when it returns, the question is saved and will be
// answered, whatever happens to the caller. It fails with *ibid.LiveRunError
// while the thread has an active run, and with a BUSY error where too many runs
// wait; then nothing is saved.
func (r *Runner) Start(ctx context.Context, view access.View, ask Ask) (Accepted, error) {
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	if closed {
		return Accepted{}, &ibid.Error{Code: ibid.CodeInternal, Message: "the server is shutting down", Retryable: true}
	}
	kind, err := r.kind(cmp.Or(ask.Kind, ibid.KindAnswer))
	if err != nil {
		return Accepted{}, err
	}
	now := r.cfg.Now()
	thread, parent, err := r.place(ctx, view, ask, now)
	if err != nil {
		return Accepted{}, err
	}
	acc := Accepted{ThreadID: thread.ID, UserMessageID: r.cfg.NewID(), MessageID: r.cfg.NewID()}
	request := ask.Request
	request.Fresh = request.Fresh || ask.EditMessageID != "" // the answer that was there did not do
	user := ibid.Message{ID: acc.UserMessageID, ThreadID: thread.ID, ParentID: parent, Role: ibid.RoleUser,
		Text: request.Text, Status: ibid.StatusCompleted, Request: &request, CreatedAt: ibid.At(now)}
	answer := ibid.Message{ID: acc.MessageID, ThreadID: thread.ID, ParentID: user.ID, Role: ibid.RoleAssistant,
		Status: ibid.StatusQueued, CreatedAt: ibid.At(now)}
	run := ibid.Run{Principal: view.Principal(), ID: acc.MessageID, Kind: kind.Name, ThreadID: thread.ID, UserMessageID: user.ID, Request: request,
		Status: ibid.StatusQueued, AcceptedAt: now}
	events := []ibid.Event{{Seq: 1, Run: run.ID, At: now, Data: started(&run, 1)}}
	if err := r.cfg.Store.StartRun(ctx, thread, user, answer, run, events, r.cfg.MaxQueued); err != nil {
		return Accepted{}, fmt.Errorf("accept a question: %w", err)
	}
	r.nudge()
	if r.Active() >= r.cfg.MaxRuns { // another process may have room
		r.notify(topicRuns)
	}
	return acc, nil
}

// started is the event of a run that begins, or that another process goes on with.
func started(run *ibid.Run, attempt int) ibid.RunStarted {
	s := ibid.RunStarted{ThreadID: run.ThreadID, UserMessageID: run.UserMessageID, MessageID: run.ID,
		Mode: run.Request.Mode, Scope: run.Request.Scope, Attempt: attempt}
	if run.Kind != ibid.KindAnswer {
		s.Kind = run.Kind
	}
	return s
}

// place finds the thread of a question, or makes one, and the message that the
// question follows.
func (r *Runner) place(ctx context.Context, view access.View, ask Ask, now time.Time) (thread ibid.Thread, parent string, err error) {
	thread, err = r.cfg.Threads.Thread(ctx, view, ask.ThreadID)
	switch {
	case err == nil:
		thread.UpdatedAt = ibid.At(now)
		parent = thread.HeadID
	case ibid.CodeOf(err) == ibid.CodeNotFound:
		thread = ibid.Thread{Principal: view.Principal(), ID: ask.ThreadID, Title: titleOf(ask.Request.Text), CreatedAt: ibid.At(now), UpdatedAt: ibid.At(now)}
	default:
		return thread, "", err
	}
	if ask.EditMessageID == "" {
		return thread, parent, nil
	}
	edited, err := r.cfg.Threads.Message(ctx, view, ask.EditMessageID)
	if err != nil {
		return thread, "", err
	}
	if edited.ThreadID != thread.ID || edited.Role != ibid.RoleUser {
		return thread, "", ibid.Errorf(ibid.CodeBadRequest, "message %s is not a question of this thread", edited.ID)
	}
	return thread, edited.ParentID, nil
}

// titleOf is the first line of a question, cut at a word near 80 characters.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(line)
	if len(runes) <= 80 {
		return line
	}
	cut := string(runes[:80])
	if i := strings.LastIndexByte(cut, ' '); i > 40 {
		cut = cut[:i]
	}
	return cut + "…"
}

func (r *Runner) running(id string) *activeRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[id]
}

// Active returns how many runs this process is working on.
func (r *Runner) Active() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active)
}
