package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/adding"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func (c *cli) askCommand() *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:        "ask QUESTION…",
		Short:      "Ask a question and read the answer with its footnotes",
		SuggestFor: []string{"question", "chat", "query"},
		Long: "Asks a question of your documents. The model's thinking and its steps go to standard error,\n" +
			"the answer and its footnotes to standard output. Ctrl-C stops the answer, a second one quits.\n" +
			"Without a question on the command line it is read from standard input.",
		Example: "  ibid ask what does the warranty not cover\n" +
			"  ibid ask --thread 7c0e… and for how long?\n" +
			"  ibid ask --attach letter.pdf what do they want from me\n" +
			"  ibid ask --document manual.pdf --json 'how is it reset?' | jq .type",
		RunE: func(cmd *cobra.Command, args []string) error { return c.ask(cmd, args, o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.thread, "thread", "", "go on with the conversation of this `ID`, or beginning of one")
	flags.StringArrayVar(&o.documents, "document", nil, "search this document only: `ID|NAME|GLOB`; may be given several times")
	flags.StringArrayVar(&o.databases, "database", nil, "ask this database only: `ID|NAME`; may be given several times")
	flags.StringVar(&o.category, "category", "", "search documents of this `CATEGORY` only")
	flags.StringArrayVar(&o.tags, "tag", nil, "search documents with this `TAG` only (may be repeated: with all of them)")
	flags.StringVar(&o.folder, "folder", "", "search documents in this `FOLDER` of the library only")
	flags.StringArrayVar(&o.attach, "attach", nil, "send this `FILE` with the question; it joins the conversation, not the library; may be given several times")
	flags.BoolVar(&o.web, "web", false, "search the web for the answer (web_search must be set)")
	flags.StringVar(&o.think, "think", "auto", "let the model think first: `on|off|auto`")
	flags.BoolVar(&o.json, "json", false, "print the events of the run, one JSON object per line")
	return cmd
}

type askOptions struct {
	thread    string
	documents []string
	databases []string
	category  string
	tags      []string
	folder    string
	attach    []string
	web       bool
	think     string
	json      bool
}

func (c *cli) ask(cmd *cobra.Command, args []string, o askOptions) error {
	think := ibid.Think(o.think)
	if think != ibid.ThinkAuto && think != ibid.ThinkOn && think != ibid.ThinkOff {
		return usagef(cmd, "--think is on, off or auto, not %q", o.think)
	}
	text, err := c.questionText(args)
	if err != nil {
		return err
	}
	if text == "" {
		return usagef(cmd, "what is the question?")
	}
	attachments, err := readAttachments(o.attach)
	if err != nil {
		return err
	}
	var forced []string
	if o.web {
		forced = []string{"web_search"}
	}
	// The first signal stops the answer, the second one, or one before there is
	// a run to stop, quits.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()

	run := &askRun{cli: c, options: o, signals: signals, cancel: cancel}
	return run.do(ctx, cmd, api.Question{
		InputText: text,
		Think:     think,
		Scope:     ibid.Scope{Category: o.category, Tags: o.tags, Folder: strings.Trim(o.folder, "/")},

		ForceTools:  forced,
		Attachments: attachments,
	})
}

// maxAttached bounds one file that is sent with a question; the server has a limit
// of its own.
const maxAttached = 40 << 20

// readAttachments reads the files that come with a question.
func readAttachments(paths []string) ([]ibid.Attachment, error) {
	var files []ibid.Attachment
	for _, path := range paths {
		f, size, err := adding.OpenRegular("", path)
		if err != nil {
			return nil, fmt.Errorf("attach %s: %s", path, say.Reason(err))
		}
		data, err := io.ReadAll(io.LimitReader(f, maxAttached+1))
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("attach %s: %w", path, err)
		}
		if len(data) > maxAttached {
			return nil, fmt.Errorf("attach %s: %s is too much to send with a question; ibid add takes it into the library", path, say.Bytes(size))
		}
		if len(data) == 0 {
			return nil, fmt.Errorf("attach %s: the file is empty", path)
		}
		files = append(files, ibid.Attachment{Name: filepath.Base(path), Data: data})
	}
	return files, nil
}

// questionText is the question on the command line, else on standard input.
func (c *cli) questionText(args []string) (string, error) {
	if len(args) > 0 {
		return strings.TrimSpace(strings.Join(args, " ")), nil
	}
	if f, ok := c.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(c.in, 1<<20))
	if err != nil {
		return "", fmt.Errorf("read the question: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// askRun is one question on its way.
type askRun struct {
	cli     *cli
	options askOptions
	signals chan os.Signal
	cancel  context.CancelFunc
}

// quit ends everything in order; from now on a signal ends the process at once.
func (r *askRun) quit() {
	r.cancel()
	signal.Stop(r.signals)
}

func (r *askRun) do(ctx context.Context, cmd *cobra.Command, q api.Question) (err error) {
	unwatch := r.quitOnSignal()
	s, err := r.cli.connect(ctx, cmd)
	if err != nil {
		unwatch()
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	a, err := r.send(ctx, s, q)
	unwatch()
	if err != nil {
		return err
	}
	return r.show(ctx, s, a)
}

// quitOnSignal lets a signal quit until the returned function is called.
func (r *askRun) quitOnSignal() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-r.signals:
			r.quit()
		case <-done:
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

func (r *askRun) send(ctx context.Context, s *app.Session, q api.Question) (api.Asked, error) {
	thread, err := r.thread(ctx, s)
	if err != nil {
		return api.Asked{}, err
	}
	if err := s.CheckScope(ctx, q.Scope); err != nil {
		return api.Asked{}, err
	}
	documents, err := s.Named(ctx, r.options.documents)
	if err != nil {
		return api.Asked{}, err
	}
	for _, d := range documents {
		q.Scope.Documents = append(q.Scope.Documents, d.ID)
	}
	for _, name := range r.options.databases {
		d, err := s.Database(ctx, name)
		if err != nil {
			return api.Asked{}, err
		}
		q.Scope.Databases = append(q.Scope.Databases, d.ID)
	}
	r.options.thread = thread
	return s.Ask(ctx, thread, q)
}

// thread is the id of the conversation that is gone on with, else of a new one.
func (r *askRun) thread(ctx context.Context, s *app.Session) (string, error) {
	if r.options.thread == "" {
		return uuid.NewString(), nil
	}
	return s.FindThread(ctx, r.options.thread)
}

// logged is an event with the bytes that the server wrote.
type logged struct {
	raw   []byte
	event ibid.Event
}

// show follows the run to its end. The first signal stops the run, which then
// ends as any other does; the second one quits.
func (r *askRun) show(ctx context.Context, s *app.Session, a api.Asked) error {
	events, followed := make(chan logged), make(chan error, 1)
	go func() {
		defer close(events)
		followed <- s.Follow(ctx, a.MessageID, func(raw []byte, e ibid.Event) error {
			select {
			case events <- logged{bytes.Clone(raw), e}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	view := r.view(ctx, s)
	var stops chan stopResult // nil until the user stops the run
	var shown error
	for events != nil {
		select {
		case l, more := <-events:
			if !more {
				events = nil
			} else if shown == nil {
				if shown = view.event(l); shown != nil {
					r.cancel()
				}
			}
		case <-r.signals:
			if stops != nil {
				r.quit()
				continue
			}
			view.say("· stopping; Ctrl-C again quits at once")
			stops = r.stop(ctx, s)
		}
	}
	err := errors.Join(shown, <-followed)
	if stops != nil {
		view.noteStopped(<-stops)
	}
	if err == nil && view.status != ibid.StatusCompleted {
		err = errReported
	}
	return err
}

type stopResult struct {
	api.Stopped
	err error
}

// stop asks for the run to be stopped; the answer comes once the connection to
// the model is closed.
func (r *askRun) stop(ctx context.Context, s *app.Session) chan stopResult {
	result := make(chan stopResult, 1)
	go func() {
		st, err := s.Stop(ctx, r.options.thread)
		result <- stopResult{st, err}
	}()
	return result
}

func (r *askRun) view(ctx context.Context, s *app.Session) *answerView {
	c := r.cli
	v := newAnswerView(newTerminal(c.out, c.env), newTerminal(c.err, c.env))
	v.json = r.options.json
	v.goOn = "ibid ask --thread " + r.options.thread
	v.sourceOf = sourceOf(ctx, s)
	return v
}

// sourceOf says where documents came from, "" of one that was removed since.
func sourceOf(ctx context.Context, s *app.Session) func(documentID string) string {
	return func(documentID string) string {
		doc, err := s.Document(ctx, documentID)
		if err != nil {
			return ""
		}
		return doc.Source
	}
}
