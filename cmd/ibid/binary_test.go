package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

// Tests of this package run the real program as a user does. Here is how it is built,
// started, listened to and ended.

// hang is after how long a test gives up what it waits for.
const hang = 5 * time.Minute

// builder builds the program once, under the race detector where the tests run
// under it.
var builder struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasSuffix(os.Args[1], "-worker") {
		main() // an application that a test has opened starts its workers from this binary
		return
	}
	code := m.Run()
	if builder.dir != "" {
		os.RemoveAll(builder.dir)
	}
	os.Exit(code)
}

func binary(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	builder.once.Do(func() {
		if builder.dir, builder.err = os.MkdirTemp("", "ibid-binary-"); builder.err != nil {
			return
		}
		args := []string{"build", "-ldflags=-s -w", "-o", filepath.Join(builder.dir, "ibid")}
		if raceEnabled {
			args = append(args, "-race")
		}
		if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
			builder.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if builder.err != nil {
		t.Fatalf("build the program: %v", builder.err)
	}
	return filepath.Join(builder.dir, "ibid")
}

// house is a home directory with a data directory in it.
type house struct {
	t    *testing.T
	home string
	data string
}

func newHouse(t *testing.T) house {
	binary(t)
	home := t.TempDir()
	return house{t: t, home: home, data: filepath.Join(home, "data")}
}

func (h house) file(name, content string) string {
	return ibidtest.WriteFile(h.t, filepath.Join(h.home, "docs", name), content)
}

func (h house) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary(h.t), args...)
	cmd.Dir = h.home
	cmd.Env = append(os.Environ(), "HOME="+h.home, "IBID_DATA="+h.data, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "NO_COLOR=1")
	return cmd
}

// run runs a command to its end.
func (h house) run(args ...string) (code int, out, errs string) {
	h.t.Helper()
	cmd := h.command(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); cmd.ProcessState == nil {
		h.t.Fatalf("run ibid %s: %v", strings.Join(args, " "), err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// must runs a command that has to succeed and returns what it printed.
func (h house) must(args ...string) string {
	h.t.Helper()
	code, out, errs := h.run(args...)
	if code != exitOK {
		h.t.Fatalf("ibid %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// process is a command that goes on.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   *watched
	errs  *watched
	ended chan struct{}
}

// watched keeps what a process prints and tells when it says something.
type watched struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	close(w.changed)
	w.changed = make(chan struct{})
	return len(p), nil
}

func (w *watched) look() (string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String(), w.changed
}

func (h house) start(args ...string) *process {
	h.t.Helper()
	p := &process{t: h.t, cmd: h.command(args...), ended: make(chan struct{}),
		out: &watched{changed: make(chan struct{})}, errs: &watched{changed: make(chan struct{})}}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.errs
	if err := p.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	h.t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// await waits until a stream of the process matches, and returns the groups.
func (p *process) await(w *watched, pattern string) []string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.NewTimer(hang)
	defer deadline.Stop()
	ended := p.ended
	for {
		text, changed := w.look()
		if m := re.FindStringSubmatch(text); m != nil {
			return m
		}
		if ended != nil {
			select {
			case <-changed:
				continue
			case <-ended:
				ended = nil // one last look
				continue
			case <-deadline.C:
			}
		}
		out, _ := p.out.look()
		errs, _ := p.errs.look()
		p.t.Fatalf("never said %q:\n%s%s", pattern, out, errs)
	}
}

// end waits for the process and returns its exit code.
func (p *process) end() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(hang):
		p.cmd.Process.Signal(syscall.SIGQUIT)
		<-p.ended
		errs, _ := p.errs.look()
		p.t.Fatalf("the process does not end:\n%s", errs)
	}
	return p.cmd.ProcessState.ExitCode()
}

// serve starts a server and returns its URL once it answers.
func (h house) serve(args ...string) (*process, string) {
	h.t.Helper()
	p := h.start(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	return p, p.await(p.out, `listening on (http://\S+)`)[1]
}

const warrantyText = `# Terms of sale

## Warranty

The warranty lasts two years from the day of delivery. It does not cover damage by water.

## Delivery

Goods are delivered within ten working days. The buyer pays for the transport.
`

func getBody(t *testing.T, url, token string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, body)
}

// scriptedModel is a model server that asks for one search, where it is not given
// passages, and then writes words, and the flags that point ibid at it.
func scriptedModel(t *testing.T, answer ibidtest.Reply) (*ibidtest.ModelServer, []string) {
	search := ibidtest.CallTool("search_knowledge_base", `{"query":"warranty"}`)
	search.When = func(r ibid.ModelRequest) bool {
		return len(r.Tools) > 0 && r.Turns[len(r.Turns)-1].Role == ibid.RoleUser
	}
	search.Repeat = true
	answer.When = func(r ibid.ModelRequest) bool {
		direct := len(r.Tools) == 0 && len(r.Schema) == 0 && r.Think != ibid.ThinkOn // the passages stand in the question
		return direct || len(r.Turns) > 0 && r.Turns[len(r.Turns)-1].Role == ibid.RoleTool
	}
	answer.Repeat = true
	m := ibidtest.OllamaServer(t, search, answer)
	return m, []string{"--model", "ollama:test@" + m.URL}
}
