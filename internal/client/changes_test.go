package client

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestReadFrames(t *testing.T) {
	stream := "retry: 1000\n\n: beat\n\nid: 1\nevent: text_delta\ndata: {\"text\":\ndata: \"a\"}\n\nevent: done\ndata: {}\n\nevent: late\ndata: x\n\n"
	var got []string
	lines, enough := 0, errors.New("enough")
	err := ReadFrames(strings.NewReader(stream), func() { lines++ }, func(event string, data []byte) error {
		got = append(got, event+"="+string(data))
		if event == "done" {
			return enough
		}
		return nil
	})
	if want := "[text_delta={\"text\":\n\"a\"} done={}]"; err != enough || fmt.Sprint(got) != want || lines != 12 {
		t.Errorf("read %q in %d lines (%v), want %s", got, lines, err, want)
	}
	if err := ReadFrames(strings.NewReader("data: x\n"), func() {}, func(string, []byte) error { return nil }); !IsConnectionError(err) {
		t.Errorf("a stream that broke off: %v", err)
	}
}
