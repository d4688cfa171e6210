package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ibid/internal/app/datadir"
	"ibid/internal/ibidtest"
)

func TestCommandsTalkToTheServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	server, url := h.serve()
	h.must("add", h.file("terms.md", warrantyText))
	body := getBody(t, url+"/v1/documents", "")
	if !strings.Contains(body, "terms.md") {
		t.Errorf("the server has %s", body)
	}
	if out := h.must("ask", "How long does the warranty last?"); !strings.Contains(out, "two years") {
		t.Errorf("the answer is %q", out)
	}
	server.cmd.Process.Signal(os.Interrupt)
	if code := server.end(); code != exitOK {
		errs, _ := server.errs.look()
		t.Errorf("the server ended with %d\n%s", code, errs)
	}
	if _, err := datadir.ReadServerInfo(h.data); err == nil {
		t.Error("server.json is still there")
	}
}

func TestTokenIsHandedOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cfg := ibidtest.WriteFile(t, filepath.Join(h.home, "ibid.toml"), `token = "open sesame"`)
	_, url := h.serve("--config", cfg)
	if got := getBody(t, url+"/v1/documents", ""); !strings.HasPrefix(got, "401 ") {
		t.Errorf("without the token: %s", got)
	}
	if got := getBody(t, url+"/v1/documents", "open sesame"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("with the token: %s", got)
	}
	h.must("ls") // finds it in server.json
}

func TestAServerThatWasKilledIsNotMissed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	server, _ := h.serve()
	h.must("add", h.file("terms.md", warrantyText))
	server.cmd.Process.Kill()
	server.end()
	if _, err := datadir.ReadServerInfo(h.data); err != nil {
		t.Fatalf("a killed server leaves its server.json: %v", err)
	}
	if out := h.must("ls"); !strings.Contains(out, "terms.md") {
		t.Errorf("ls said %q", out)
	}
}

func TestServeRefusals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	server, url := h.serve()

	code, _, errs := h.run("serve", "--addr", "127.0.0.1:0")
	if code != exitFailed || !strings.Contains(errs, url) || !strings.Contains(errs, strconv.Itoa(server.cmd.Process.Pid)) {
		t.Errorf("a second server on the same data directory: exit code %d, %q", code, errs)
	}

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	code, _, errs = h.run("serve", "--data", filepath.Join(h.home, "other"), "--addr", ln.Addr().String())
	if code != exitFailed || !strings.Contains(errs, "in use") || !strings.Contains(errs, "--addr") {
		t.Errorf("a port in use: exit code %d, %q", code, errs)
	}

	code, _, errs = h.run("serve", "--data", filepath.Join(h.home, "third"), "--addr", "0.0.0.0:0")
	if code != exitFailed || !strings.Contains(errs, "IBID_TOKEN") {
		t.Errorf("all interfaces without a token: exit code %d, %q", code, errs)
	}
}

// A command that was quicker than a server that is started again keeps it
// waiting, and does not keep it out.
func TestServeWaitsForACommandToEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	hold, err := datadir.Acquire(h.data, "ask")
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Release()
	p := h.start("serve", "--addr", "127.0.0.1:0")
	p.await(p.errs, "waiting: the data directory .* is held by another ibid")
	hold.Release()
	p.await(p.out, "listening on")
}

// Ctrl-C closes the connection to the model and keeps what was written.
func TestInterruptStopsTheAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	model, flags := scriptedModel(t, ibidtest.Reply{Text: []string{"endless ", "words "}, Endless: true, Pace: 5 * time.Millisecond})
	p := h.start(append([]string{"ask", "--json", "--think", "off", "how long?"}, flags...)...)
	p.await(p.out, `"type":"answer.delta"`)
	p.cmd.Process.Signal(os.Interrupt)
	if code := p.end(); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	p.await(p.out, `"type":"run.finished".*"status":"stopped"`)
	p.await(p.errs, `stopped in \d+ ms`)
	model.Await(t, "the client leave", func(s ibidtest.ServerStats) bool { return s.Disconnects == 1 && s.Open == 0 })
}

// The server dies in mid-answer; the command that was reading it becomes the
// holder of the data directory, and the answer goes on to its end.
func TestAnAnswerOutlivesItsServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	gate := ibidtest.NewGate(3)
	_, flags := scriptedModel(t, ibidtest.Reply{Text: []string{"The ", "warranty ", "lasts ", "two ", "years."}, Gate: gate})
	server, _ := h.serve(flags...)
	p := h.start(append([]string{"ask", "--think", "off", "how long?"}, flags...)...)
	p.await(p.errs, "✓ search_knowledge_base")
	<-gate.Reached()
	server.cmd.Process.Kill()
	server.end()
	gate.Open()
	if code := p.end(); code != exitOK {
		out, _ := p.out.look()
		errs, _ := p.errs.look()
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if m := p.await(p.out, `(?s)^(.*)$`); !strings.HasPrefix(m[1], "The warranty lasts two years.") {
		t.Errorf("the answer is %q", m[1])
	}
	p.await(p.errs, "another process goes on")
}
