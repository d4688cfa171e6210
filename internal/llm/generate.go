package llm

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"ibid"
)

// maxEmptyTurns is how often an empty turn is asked for again, plus one.
const maxEmptyTurns = 3

// untilWhole asks by turn until an answer says something. After a failure, mend may
// change what the next request looks like; it reports whether asking again is
// worth it. The usage is that of all the requests together.
func (o origin) untilWhole(ctx context.Context, req ibid.ModelRequest, turn func() (ibid.ModelResponse, *failure), mend func(*failure) bool) (ibid.ModelResponse, error) {
	var usage ibid.Usage
	for turns := 1; ; {
		res, f := turn()
		usage = usage.Add(res.Usage)
		res.Usage = usage
		switch {
		case ctx.Err() != nil:
			return res, ctx.Err()
		case f == nil && !empty(req, res):
			return res, nil
		case f == nil && turns < maxEmptyTurns:
			turns++
		case f == nil:
			return res, o.nothing(turns).Error
		case mend(f):
		default:
			return res, f.Error
		}
	}
}

// empty reports whether a turn that ended well says nothing that its request
// asked for. That is how a malformed tool call comes back.
func empty(req ibid.ModelRequest, res ibid.ModelResponse) bool {
	if res.StopReason == ibid.StopLength || strings.TrimSpace(res.Turn.Text()) != "" || len(res.Turn.Calls()) > 0 {
		return false
	}
	planned := req.Think == ibid.ThinkOn && len(req.Tools) == 0 && len(req.Schema) == 0
	return !planned || res.Turn.Reasoning() == ""
}

// forms remembers which form of request F a model took last, by how much
// thinking was asked for. The zero F leaves nothing out.
type forms[F any] [3]atomic.Pointer[F]

func (f *forms[F]) of(t ibid.Think) *atomic.Pointer[F] {
	switch t {
	case ibid.ThinkOn:
		return &f[1]
	case ibid.ThinkOff:
		return &f[2]
	}
	return &f[0]
}

// converse asks a model in the form that it took last. What the server
// refuses is left out by without, until it takes the request or there is nothing
// left to leave out.
func converse[F any](ctx context.Context, o origin, memory *atomic.Pointer[F], req ibid.ModelRequest,
	turn func(F) (ibid.ModelResponse, *failure), without func(F, apiError) (simpler F, ok bool)) (ibid.ModelResponse, error) {
	var form F
	if known := memory.Load(); known != nil {
		form = *known
	}
	res, err := o.untilWhole(ctx, req,
		func() (ibid.ModelResponse, *failure) { return turn(form) },
		func(f *failure) (again bool) {
			if f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity {
				form, again = without(form, f.said)
			}
			return again
		})
	if err == nil {
		memory.Store(&form)
	}
	return res, err
}
