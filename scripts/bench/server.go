package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// server is the program under measurement.
type server struct {
	cmd     *exec.Cmd
	dir     string // its data directory
	url     string
	http    *http.Client
	started time.Duration // from the start of the process until it was ready
	log     bytes.Buffer
}

// startServer starts the program and waits until it is ready.
func startServer(ctx context.Context, binary, dir, modelURL string) (*server, error) {
	return startServerWith(ctx, binary, dir, "ollama:test@"+modelURL)
}

// startServerWith starts it with a model.
func startServerWith(ctx context.Context, binary, dir, model string) (*server, error) {
	s := &server{dir: dir, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	s.cmd = exec.CommandContext(ctx, binary, "serve", "--addr", "127.0.0.1:0", "--data", dir, "--model", model)
	s.cmd.Env = append(os.Environ(), "IBID_CACHE=off", // the same question is asked many times
		fmt.Sprintf("IBID_LIMITS_CONNECTIONS=%d", idleReaders+100))
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.WaitDelay = 20 * time.Second
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	for time.Since(began) < time.Minute && ctx.Err() == nil {
		if s.ready(ctx, dir) {
			s.started = time.Since(began)
			return s, nil
		}
		time.Sleep(time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("%s did not become ready:\n%s", binary, s.log.String())
}

// ready reports whether the program has said where it is and answers there.
func (s *server) ready(ctx context.Context, dir string) bool {
	body, err := os.ReadFile(filepath.Join(dir, "server.json"))
	if err != nil {
		return false
	}
	var info struct{ Addr string }
	if json.Unmarshal(body, &info) != nil || info.Addr == "" {
		return false
	}
	s.url = "http://" + info.Addr
	return s.get(ctx, "/readyz", nil) == nil
}

// stop ends the program in order and waits for it.
func (s *server) stop() {
	s.cmd.Process.Signal(os.Interrupt)
	s.cmd.Wait()
}

func (s *server) get(ctx context.Context, path string, out any) error {
	return s.do(ctx, http.MethodGet, path, "", nil, out)
}

func (s *server) do(ctx context.Context, method, path, kind string, body io.Reader, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, answer)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// settle waits until the program has nothing to do any more: for six seconds it
// used less than a twentieth of one core. By then it has also given back the
// memory it does not need. It waits ten minutes at most.
func (s *server) settle(ctx context.Context) {
	deadline := time.Now().Add(10 * time.Minute)
	used, ok := s.cpu()
	for quiet := 0; ok && quiet < 3 && time.Now().Before(deadline) && ctx.Err() == nil; quiet++ {
		time.Sleep(2 * time.Second)
		now, _ := s.cpu()
		if now-used >= 100*time.Millisecond {
			quiet = -1
		}
		used = now
	}
}

// cpu is the processor time that the program has used (proc(5): fields 14 and
// 15 of stat, in hundredths of a second). false where there is no /proc.
func (s *server) cpu() (time.Duration, bool) {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(body), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, false
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, true
}

// resident is the memory that the program holds, in bytes; 0 where there is no
// /proc.
func (s *server) resident() int64 {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(body), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10
}

func (s *server) memory() string {
	if n := s.resident(); n > 0 {
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return "unknown on this system"
}

// withServer measures with a server of its own, which has nothing yet.
func withServer(ctx context.Context, o options, model *modelServer, measure func(s *server) error) error {
	dir, err := os.MkdirTemp("", "ibid-bench-")
	if err != nil {
		return fmt.Errorf("make a data directory: %w", err)
	}
	defer os.RemoveAll(dir)
	s, err := startServer(ctx, o.binary, dir, model.url)
	if err != nil {
		return err
	}
	defer s.stop()
	return measure(s)
}
