package app

import (
	"strings"
	"testing"
)

func TestListenSaysHowToMendATakenPort(t *testing.T) {
	t.Parallel()
	ln, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if _, err := listen(ln.Addr().String()); err == nil || !strings.Contains(err.Error(), "--addr 127.0.0.1:0") {
		t.Errorf("error is %v", err)
	}
}
