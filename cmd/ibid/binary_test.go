package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/app/datadir"
	"ibid/internal/client"
	"ibid/internal/ibidtest"
	"ibid/internal/say"
)

// The tests below run the real program as a user does.

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
		args := []string{"build", "-o", filepath.Join(builder.dir, "ibid")}
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

func TestAddAskAndRemove(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doc := h.file("terms.md", warrantyText)
	if out := h.must("add", doc); !regexp.MustCompile(`✓ .*terms\.md: \d+ chunks?\n`).MatchString(out) {
		t.Errorf("add said %q", out)
	}
	if out := h.must("add", doc); !strings.Contains(out, "terms.md: unchanged") {
		t.Errorf("the second add said %q", out)
	}
	out := h.must("ask", "How", "long", "does", "the", "warranty", "last?")
	for _, want := range []string{"two years", "[1]", "file://" + filepath.ToSlash(doc)} {
		if !strings.Contains(out, want) {
			t.Errorf("the answer lacks %q:\n%s", want, out)
		}
	}
	if out := h.must("search", "damage by water"); !strings.Contains(out, "Terms of sale") || !strings.Contains(out, "Warranty") {
		t.Errorf("search said:\n%s", out)
	}
	if out := h.must("ls"); !strings.Contains(out, "terms.md") || !strings.Contains(out, "ready") {
		t.Errorf("ls said:\n%s", out)
	}
	if out := h.must("ls", "--threads"); !strings.Contains(out, "warranty") {
		t.Errorf("ls --threads said:\n%s", out)
	}
	h.must("rm", "terms.md")
	if out := h.must("ls", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after rm: %s", out)
	}
	if _, err := os.Stat(doc); err != nil {
		t.Errorf("rm removed the user's file: %v", err)
	}
}

// A conversation can be gone on with, read again and removed by the beginning of
// its id.
func TestConversationsInTheTerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doc := h.file("terms.md", warrantyText)
	h.must("add", doc, "--folder", "sale")
	h.must("ask", "How long does the warranty last?")
	var threads []ibid.Thread
	if err := json.Unmarshal([]byte(h.must("ls", "--threads", "--json")), &threads); err != nil || len(threads) != 1 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	id := threads[0].ID[:13]
	h.must("ask", "--thread", id, "--attach", h.file("note.txt", "The offer ends in May."), "When are goods delivered?")
	out := h.must("show", id)
	for _, want := range []string{"> How long does the warranty last?\n", "two years", "[1] Terms of sale", "file://" + filepath.ToSlash(doc),
		"> When are goods delivered?\n> + note.txt (22 B)\n", "ten working days"} {
		if !strings.Contains(out, want) {
			t.Errorf("the conversation lacks %q:\n%s", want, out)
		}
	}
	var messages []ibid.Message
	if err := json.Unmarshal([]byte(h.must("show", "--json", id)), &messages); err != nil || len(messages) != 4 {
		t.Errorf("%d messages, %v", len(messages), err)
	}
	if out := h.must("rm", "--thread", id); !strings.Contains(out, "removed conversation "+threads[0].ID) {
		t.Errorf("rm said %q", out)
	}
	if out := h.must("ls", "--threads", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after rm: %s", out)
	}
	if out := h.must("ls", "--folder", "sale", "*.md"); !strings.Contains(out, "terms.md") {
		t.Errorf("ls said %q", out)
	}
}

func TestAskJSONIsARunLog(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	var last ibid.Event
	seq, started := int64(0), 0
	lines := bufio.NewScanner(strings.NewReader(h.must("ask", "--json", "How long does the warranty last?")))
	lines.Buffer(nil, client.MaxEventLine)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		if last.Seq <= seq {
			t.Errorf("event %d after %d", last.Seq, seq)
		}
		if _, ok := last.Data.(ibid.RunStarted); ok {
			started++
		}
		seq = last.Seq
	}
	end, ok := last.Data.(ibid.RunFinished)
	if !ok || end.Status != ibid.StatusCompleted || started != 1 {
		t.Errorf("the log ends with %+v, and started %d times", last, started)
	}
}

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

// Whatever cannot be read is one clear line, the others go on, and the command
// fails.
func TestBadInput(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	program, err := os.ReadFile(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	good := h.file("good.md", warrantyText)
	bad := map[string]string{
		h.file("empty.md", ""):                            "empty",
		h.file("empty.pdf", ""):                           "empty",
		h.file("program.md", string(program[:200_000])):   "not text|binary",
		h.file("broken.pdf", "%PDF-1.7\nnothing follows"): "PDF",
		h.file("huge.txt", strings.Repeat("All work and no play makes a dull file.\n", 200<<20/40)): "larger than 100 MB",
		filepath.Join(h.home, "nowhere.md"): "no such file",
	}
	args := []string{"add", good}
	for path := range bad {
		args = append(args, path)
	}
	code, out, errs := h.run(args...)
	if code != exitFailed || !strings.Contains(errs, "6 of 7 documents could not be added") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	for path, want := range bad {
		line := regexp.MustCompile(`(?m)^✗ ` + regexp.QuoteMeta(path) + `: (.*)$`).FindStringSubmatch(out)
		if line == nil || !regexp.MustCompile(want).MatchString(line[1]) {
			t.Errorf("%s: want a line about %q in\n%s", path, want, out)
		}
	}
	if !strings.Contains(out, "✓ "+good) {
		t.Errorf("the good file was not added:\n%s", out)
	}
	if out := h.must("search", "warranty"); !strings.Contains(out, "Terms of sale") {
		t.Errorf("search said %q", out)
	}
}

// Text in an old encoding is read, and nothing of it is lost in silence.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := h.file("latin1.txt", "Die Gew\xe4hrleistung dauert zwei Jahre. Der K\xe4ufer tr\xe4gt die Kosten.\n")
	code, out, errs := h.run("add", path)
	if code == exitOK {
		if out := h.must("search", "Gewährleistung"); !strings.Contains(out, "zwei Jahre") {
			t.Errorf("it was added, but search said %q", out)
		}
		return
	}
	if !strings.Contains(out, "UTF-8") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := os.Mkdir(h.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", h.data).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %s", say.OneLine(string(out), 100))
	}
	defer exec.Command("umount", h.data).Run()
	h.must("add", h.file("terms.md", warrantyText))
	big := h.file("big.txt", strings.Repeat("All work and no play makes Jack a dull boy, it is said.\n", 40<<20/57))
	code, out, errs := h.run("add", big)
	if code != exitFailed || !regexp.MustCompile(`(?i)disk is full|no space`).MatchString(out+errs) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if out := h.must("search", "warranty"); !strings.Contains(out, "Terms of sale") {
		t.Errorf("what was there before is lost: %q", out)
	}
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

func TestDoctorOnARealHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	out := h.must("doctor")
	for _, want := range []string{"✓ configuration", "✓ model", "✓ embedder", "disk"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	code, out, _ := h.run("doctor", "--model", "ollama:none@http://127.0.0.1:1")
	if code != exitFailed || !strings.Contains(out, "✗ model") || !strings.Contains(out, "→") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// What flags ask for is tried also beside a server that has its own.
func TestDoctorTriesTheModelThatIsNamed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.serve()
	code, out, _ := h.run("doctor", "--model", "ollama:none@http://127.0.0.1:1", "--embedder", "lsa")
	if code != exitFailed || !strings.Contains(out, "✗ --model") || !strings.Contains(out, "✓ model") || !strings.Contains(out, "✓ --embedder") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestDoctorMissesOriginals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept, lost := h.file("kept.md", "It is kept.\n"), h.file("it's lost.md", warrantyText)
	h.must("add", kept, lost)
	if out := h.must("doctor"); !strings.Contains(out, "✓ originals") {
		t.Errorf("doctor said:\n%s", out)
	}
	stored, err := filepath.Glob(filepath.Join(h.data, "files", "*", "*"))
	if err != nil || len(stored) != 2 {
		t.Fatalf("stored are %q, %v", stored, err)
	}
	for _, path := range stored {
		if text, _ := os.ReadFile(path); string(text) == warrantyText {
			if err := os.Truncate(path, 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, out, _ := h.run("doctor")
	if code != exitFailed || !strings.Contains(out, "✗ originals") || !strings.Contains(out, "1 of 2 documents") || !strings.Contains(out, "ibid add "+say.ShellQuote(lost)) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	h.must("add", lost)
	if out := h.must("doctor"); !strings.Contains(out, "✓ originals") {
		t.Errorf("after adding it again doctor said:\n%s", out)
	}
}

func TestWorkerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), "extract-worker")
	cmd.Stdin = strings.NewReader("")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("%v, said %q", err, out)
	}
}
