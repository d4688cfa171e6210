package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/tool"
	"ibid/internal/wire"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// protocols are all projections, as a client of each would see them.
var protocols = map[string]struct {
	open func() wire.Projection
	put  func(*bytes.Buffer, wire.Frame)
}{
	"threads": {func() wire.Projection { return &wire.Threads{} }, sse},
	"rag":     {func() wire.Projection { return &wire.RAG{} }, lines},
	"chat":    {func() wire.Projection { return &wire.Chat{} }, sse},
	"query":   {func() wire.Projection { return &wire.Query{Tools: tool.Builtin()} }, sse},
	"tokens":  {func() wire.Projection { return &wire.Tokens{Tools: tool.Builtin()} }, sse},
}

func sse(b *bytes.Buffer, f wire.Frame) {
	_ = wire.WriteSSE(b, f, strconv.FormatInt(f.Position, 10))
}

func lines(b *bytes.Buffer, f wire.Frame) { _ = wire.WriteLine(b, f) }

// logs reads the runs in testdata: name.log.ndjson.
func logs(t *testing.T) map[string][]ibid.Event {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.log.ndjson")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no logs in testdata: %v", err)
	}
	all := map[string][]ibid.Event{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var events []ibid.Event
		for scan := bufio.NewScanner(bytes.NewReader(raw)); scan.Scan(); {
			var e ibid.Event
			if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if e.Seq != int64(len(events))+1 {
				t.Fatalf("%s: event %d stands at %d", path, e.Seq, len(events)+1)
			}
			events = append(events, e)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".log.ndjson")] = events
	}
	return all
}

// TestGoldenFrames holds the frames of every protocol for every recorded run.
// After a deliberate change: go test ./internal/wire -update, and read the diff.
func TestGoldenFrames(t *testing.T) {
	for run, events := range logs(t) {
		for name, p := range protocols {
			t.Run(run+"/"+name, func(t *testing.T) {
				var got bytes.Buffer
				projection := p.open()
				for _, e := range events {
					for _, f := range projection.Next(e) {
						if !json.Valid(f.Data) || bytes.ContainsAny(f.Data, "\n\r") {
							t.Fatalf("frame is not one line of JSON: %q", f.Data)
						}
						p.put(&got, f)
					}
				}
				golden := filepath.Join("testdata", run+"."+name+".golden")
				if *update {
					if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), want) {
					t.Errorf("frames differ from %s\ngot:\n%s", golden, got.String())
				}
			})
		}
	}
}

// TestResumeFromEveryFrame cuts every protocol after every frame. The reader
// comes back with the position of the last frame it had; the projection is
// brought there by feeding it the events before. Markers may come again, since
// they change nothing; content must neither lack nor repeat.
func TestResumeFromEveryFrame(t *testing.T) {
	for run, events := range logs(t) {
		for name, p := range protocols {
			t.Run(run+"/"+name, func(t *testing.T) {
				all := project(p.open(), events, 0)
				for cut := 1; cut < len(all); cut++ {
					after := all[cut-1].Position
					rest := project(p.open(), events, after)
					got := content(append(append([]wire.Frame(nil), all[:cut]...), rest...))
					if want := content(all); got != want {
						t.Fatalf("cut after frame %d (%s):\n%s\nwant\n%s", cut, all[cut-1].Data, got, want)
					}
				}
			})
		}
	}
}

func project(p wire.Projection, events []ibid.Event, after int64) []wire.Frame {
	var out []wire.Frame
	for _, e := range events {
		frames := p.Next(e)
		if e.Seq > after {
			out = append(out, frames...)
		}
	}
	return out
}

// content is what frames say, without markers of beginning and end.
func content(frames []wire.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		switch f.Event {
		case "reasoning_start", "reasoning_end", "text_start", "text_end", "message_end", "sources", "cache_miss":
			continue
		}
		if bytes.Contains(f.Data, []byte(`"tool":"decompose_query"`)) || bytes.Contains(f.Data, []byte(`"type":"tool_call"}`)) {
			continue
		}
		b.Write(f.Data)
		b.WriteByte('\n')
	}
	return b.String()
}

// TestResumeOfFoldedEvents does the same for a reader who came late and was
// given folded deltas: the marker before a folded event must not claim what the
// event stands for.
func TestResumeOfFoldedEvents(t *testing.T) {
	events := logs(t)["answer"]
	folded := append([]ibid.Event(nil), events[:2]...)
	both := events[3] // the second of two reasoning deltas, standing for both
	both.Data = ibid.ReasoningDelta{Text: events[2].Data.(ibid.ReasoningDelta).Text + events[3].Data.(ibid.ReasoningDelta).Text}
	folded = append(append(folded, both), events[4:]...)
	for name, p := range protocols {
		all := project(p.open(), folded, 0)
		for i, f := range all {
			if f.Event == "reasoning_start" && f.Position != events[1].Seq {
				t.Errorf("%s: frame %d claims position %d before anything of event %d was sent", name, i, f.Position, both.Seq)
			}
		}
	}
}

// TestRAGEndsWithMemory holds that the line about the memory is the last one, also
// where the run failed, and also for a reader who comes back for it alone.
func TestRAGEndsWithMemory(t *testing.T) {
	failed := 0
	for run, events := range logs(t) {
		measured := int64(0)
		for _, e := range events {
			switch e.Data.(type) {
			case ibid.MemoryMeasured:
				measured = e.Seq
			case ibid.RunFailed:
				failed++
			}
		}
		if measured == 0 {
			continue // a log of pieces, written by hand
		}
		for after := int64(0); after < events[len(events)-1].Seq; after++ {
			frames := project(&wire.RAG{}, events, after)
			for i, f := range frames {
				if memory := bytes.HasPrefix(f.Data, []byte(`{"type":"memory"`)); memory != (i == len(frames)-1) {
					t.Errorf("%s after %d: line %d of %d is %s", run, after, i+1, len(frames), f.Data)
				}
			}
			if len(frames) == 0 {
				t.Errorf("%s after %d: no memory", run, after)
			}
		}
	}
	if failed == 0 {
		t.Error("no log of a run that failed")
	}
}

// TestPositionsOnlyGrow holds that a reader never goes back.
func TestPositionsOnlyGrow(t *testing.T) {
	for run, events := range logs(t) {
		for name, p := range protocols {
			last := int64(0)
			for _, f := range project(p.open(), events, 0) {
				if f.Position < last {
					t.Errorf("%s/%s: position %d after %d", run, name, f.Position, last)
				}
				last = f.Position
			}
		}
	}
}
