// Package wire projects the log of a run onto the protocols that clients speak.
// Each protocol is one file and knows nothing of the others: a small state
// machine that takes the events of one run in order and gives frames. The same
// events give the same frames, whoever reads, whenever, from wherever: a reader
// that comes back is brought to its position by feeding the events before it
// and throwing the frames away.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"ibid"
)

// Projection turns events into frames. It belongs to one reader.
type Projection interface {
	// Next takes the next event. A position is the number of the last event
	// that a reader has wholly; frames that come before the last one of an
	// event carry the position before it, so that a reader cut between two
	// frames gets the rest when it comes back.
	Next(e ibid.Event) []Frame
}

// Tools knows what the tools are for that events name.
type Tools interface {
	// Kind returns what a tool is for, "" where there is none of that name.
	Kind(name string) ibid.ToolKind
}

func kindOf(tools Tools, name string) ibid.ToolKind {
	if tools == nil {
		return ""
	}
	return tools.Kind(name)
}

// Frame is one message of a protocol.
type Frame struct {
	Event    string // SSE event name; "" for protocols that put the type into the data
	Position int64  // of the run's log; see Projection
	Data     []byte // one line of JSON
}

// WriteSSE writes a frame as a server-sent event. id is how the protocol writes
// a position; it may be empty.
func WriteSSE(w io.Writer, f Frame, id string) error {
	var b bytes.Buffer
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	if f.Event != "" {
		fmt.Fprintf(&b, "event: %s\n", f.Event)
	}
	fmt.Fprintf(&b, "data: %s\n\n", f.Data)
	_, err := w.Write(b.Bytes())
	return err
}

// WriteLine writes a frame as a line of NDJSON.
func WriteLine(w io.Writer, f Frame) error {
	_, err := w.Write(append(f.Data[:len(f.Data):len(f.Data)], '\n'))
	return err
}

// cursor remembers how far a projection has come. An event may stand for
// several that were folded together, so the position before it is that of the
// event before, not its own number less one.
type cursor struct{ at int64 }

// begin takes the next event.
func (c *cursor) begin(e ibid.Event) frames {
	f := frames{before: c.at, after: e.Seq}
	c.at = e.Seq
	return f
}

// frames collects what one event gives.
type frames struct {
	before, after int64 // positions without and with the event
	list          []Frame
}

// add appends a frame; head fields come first, then those of data, which must
// encode to an object or be nil.
func (f *frames) add(event string, data any, head ...field) {
	f.list = append(f.list, Frame{Event: event, Data: object(data, head...)})
}

// done gives each frame its position.
func (f *frames) done() []Frame {
	for i := range f.list {
		f.list[i].Position = f.before
	}
	if n := len(f.list); n > 0 {
		f.list[n-1].Position = f.after
	}
	return f.list
}

// field is a name and a value in front of an object's own.
type field struct {
	name  string
	value any
}

// object encodes head fields and data as one JSON object.
func object(data any, head ...field) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, h := range head {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(h.name))
		b.WriteByte(':')
		b.Write(encode(h.value))
	}
	if data != nil {
		if own := encode(data); len(own) > 2 {
			if len(head) > 0 {
				b.WriteByte(',')
			}
			b.Write(own[1 : len(own)-1])
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode is json.Marshal for our own types, which always encode. Text is
// written as it is, without escaping it for HTML.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		b.Reset()
		fmt.Fprintf(&b, "%q", "not encodable: "+err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
