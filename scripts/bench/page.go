package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// measurePage has a browser open the page of a running server, and adds how much
// script the page is and how soon it can be read and used. Where there is no
// Node.js or no Chromium, one line says so.
func measurePage(ctx context.Context, o options, s *server, t *table) error {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "  the page is not measured: Node.js is missing")
		return nil
	}
	if size, err := node(ctx, "scripts/size.mjs"); err == nil {
		if _, figure, found := strings.Cut(strings.TrimSpace(string(size)), "opened: "); found {
			script, _, _ := strings.Cut(figure, " gzipped")
			t.add("page: script before a PDF is opened, gzipped", script, 1)
		}
	}
	return figuresOf(ctx, t, "scripts/bench.mjs", s.url, strconv.Itoa(o.runs))
}

// measureReading has a browser click footnotes on PDFs, with a server that has
// nothing else, and adds how soon the marked words are seen.
func measureReading(ctx context.Context, o options, model *modelServer, t *table) error {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "  reading is not measured: Node.js is missing")
		return nil
	}
	return withServer(ctx, o, model, func(s *server) error {
		return figuresOf(ctx, t, "scripts/bench-reading.mjs", s.url, strconv.Itoa(o.runs))
	})
}

// figuresOf adds what one of the page's scripts prints: lines of a name, a figure
// and how often it was taken, between tabs. Where the script fails, one line says so.
func figuresOf(ctx context.Context, t *table, script string, args ...string) error {
	out, err := node(ctx, append([]string{script}, args...)...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "  the page is not measured: %v\n", err)
		return ctx.Err()
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 3 {
			continue
		}
		runs, err := strconv.Atoi(cells[2])
		if err != nil {
			return fmt.Errorf("read a figure of the page, %q: %w", lines.Text(), err)
		}
		t.add(cells[0], cells[1], runs)
	}
	return nil
}

// node runs one of the page's scripts and returns what it printed.
func node(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = "web"
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return out, nil
}
