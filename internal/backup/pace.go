package backup

import (
	"context"
	"time"
)

// blockBytes is how much is read or written at once: at most half a millisecond of
// hashing, which is how long a search may have to wait for the processor.
const blockBytes = 128 << 10

// Pace keeps a long job from taking disk and processors from those who wait for an
// answer: after each piece of work it rests for Rest times as long as the work
// took, and it moves Rate bytes a second at most. The zero Pace does not rest.
type Pace struct {
	Rest float64
	Rate float64 // bytes a second; 0: as fast as it goes
}

// Gentle is for work beside a server that answers.
var Gentle = Pace{Rest: 2, Rate: 64 << 20}

// Slow is for work that nobody waits for.
var Slow = Pace{Rest: 9, Rate: 8 << 20}

// longestRest bounds one rest: after a disk was busy for long, more rest helps nobody.
const longestRest = time.Second

// rest waits after a piece of work that began at a time and moved some bytes.
func (p Pace) rest(ctx context.Context, began time.Time, bytes int64) error {
	took := time.Since(began)
	pause := time.Duration(float64(took) * p.Rest)
	if p.Rate > 0 {
		pause = max(pause, time.Duration(float64(bytes)/p.Rate*float64(time.Second))-took)
	}
	if pause = min(pause, longestRest); pause <= 0 {
		return ctx.Err()
	}
	wait := time.NewTimer(pause)
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
