package wire

import "ibid"

// Log is GET /v1/messages/{id}/events: the log as it is, a line of NDJSON for
// each event.
type Log struct{}

// Next implements Projection.
func (Log) Next(e ibid.Event) []Frame {
	return []Frame{{Position: e.Seq, Data: encode(e)}}
}
