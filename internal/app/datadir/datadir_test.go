package datadir

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

func TestHoldIsExclusive(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, err := Acquire(dir, "serve")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Release()

	var held *HeldError
	if _, err := Acquire(dir, "add"); !errors.As(err, &held) {
		t.Fatalf("second hold: %v, want a heldError", err)
	}
	if held.pid != os.Getpid() || held.Server != nil {
		t.Errorf("before it serves, the holder is %+v", held)
	}
	if err := first.Announce(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, "secret", "owner"); err != nil {
		t.Fatal(err)
	}
	_, err = Acquire(dir, "serve")
	if !errors.As(err, &held) {
		t.Fatalf("second hold: %v, want a heldError", err)
	}
	for _, want := range []string{strconv.Itoa(os.Getpid()), "http://127.0.0.1:8080", dir} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	if held.Server.Token != "secret" || held.Server.Command != "serve" {
		t.Errorf("server.json says %+v", held.Server)
	}
	info, err := os.Stat(filepath.Join(dir, ServerName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("server.json holds a token and has mode %v (%v)", info.Mode(), err)
	}

	first.Release()
	first.Release()
	if _, err := os.Stat(filepath.Join(dir, ServerName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("server.json is still there: %v", err)
	}
	second, err := Acquire(dir, "serve")
	if err != nil {
		t.Fatalf("hold after release: %v", err)
	}
	second.Release()
}

func TestHoldClearsWhatADeadProcessLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ibidtest.WriteFile(t, filepath.Join(dir, LockName), "4194304\n")
	ibidtest.WriteFile(t, filepath.Join(dir, ServerName), `{"addr":"127.0.0.1:1","pid":4194304,"token":"old"}`)
	h, err := Acquire(dir, "ask")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	if _, err := ReadServerInfo(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale server.json is still there: %v", err)
	}
	if pid := readPID(h.lock); pid != os.Getpid() {
		t.Errorf("lock names process %d", pid)
	}
}

func TestHoldWithoutPermission(t *testing.T) {
	t.Parallel()
	file := ibidtest.WriteFile(t, filepath.Join(t.TempDir(), "file"), "")
	_, err := Acquire(filepath.Join(file, "data"), "serve")
	if err == nil || !strings.Contains(err.Error(), "--data DIR") {
		t.Errorf("error is %v, want one that says how to mend it", err)
	}
}

func TestReadServerInfoRefusesRubbish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, body := range []string{"", "{", `{"addr":"nowhere"}`, `[]`} {
		ibidtest.WriteFile(t, filepath.Join(dir, ServerName), body)
		if info, err := ReadServerInfo(dir); err == nil {
			t.Errorf("%q is read as %+v", body, info)
		}
	}
}

func TestDialable(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "[::1]:80", "192.168.1.5:80": "192.168.1.5:80",
	} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := Dialable(tcp); got != want {
			t.Errorf("%s is dialled as %s, want %s", addr, got, want)
		}
	}
}
