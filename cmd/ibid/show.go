package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/say"
)

func (c *cli) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "show THREAD",
		Short:      "Print a conversation with its footnotes",
		SuggestFor: []string{"read", "cat", "print", "history", "thread", "export"},
		Long: "Prints the questions and answers of a conversation, with their footnotes. `ibid ls --threads` lists\n" +
			"the conversations; the beginning of an id will do.",
		Example: "  ibid show 7c0e…\n" +
			"  ibid show --json 7c0e… | jq -r '.[].text'",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error { return c.show(ctx, s, args[0], asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of the messages")
	return cmd
}

func (c *cli) show(ctx context.Context, s *app.Session, name string, asJSON bool) error {
	id, err := s.FindThread(ctx, name)
	if err != nil {
		return err
	}
	messages, err := s.Messages(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(c, messages)
	}
	for i, m := range messages {
		if i > 0 {
			fmt.Fprintln(c.out)
		}
		c.showMessage(ctx, s, m)
	}
	fmt.Fprintf(c.err, "· ibid ask --thread %s goes on with it\n", id)
	return nil
}

// showMessage prints a message: a question as a quote, an answer as ask prints it,
// without the steps that led to it.
func (c *cli) showMessage(ctx context.Context, s *app.Session, m ibid.Message) {
	out := newTerminal(c.out, c.env)
	if m.Role == ibid.RoleUser {
		out.printf("%s\n", out.paint(bold, "> "+strings.ReplaceAll(say.Safe(m.Text), "\n", "\n> ")))
		if m.Request != nil {
			for _, a := range m.Request.Attachments {
				out.printf("> + %s (%s)\n", say.OneLine(a.Name, 0), say.Bytes(a.Bytes))
			}
		}
		return
	}
	out.tty = false // the text is there as a whole
	v := newAnswerView(out, newTerminal(c.err, c.env))
	v.sourceOf = sourceOf(ctx, s)
	v.saved(m)
}

// saved shows an answer that was given before.
func (v *answerView) saved(m ibid.Message) {
	for _, c := range m.Found {
		v.marks.found[c.ChunkID] = true
	}
	v.notes = footnotesOf(m)
	for _, c := range v.notes {
		for _, s := range c.Statements {
			v.marks.place(s.Marker, c.N)
		}
	}
	v.write(v.marks.push(m.Text))
	v.write(v.marks.rest())
	if text := strings.TrimRight(v.answer.String(), "\n"); text != "" {
		v.out.printf("%s\n", text)
	}
	if m.Verification != nil {
		for _, line := range doubts(*m.Verification) {
			v.out.printf("%s\n", v.out.paint(dim, "("+line+")"))
		}
	}
	v.footnotes()
	if m.Error != nil {
		v.fail(*m.Error)
	}
	if m.Status != ibid.StatusCompleted {
		v.out.printf("%s\n", v.out.paint(dim, "("+string(m.Status)+")"))
	}
}
