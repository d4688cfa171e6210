package file

import (
	"context"
	"errors"
	"fmt"
)

// groupLimit bounds how many waiting writes share one commit.
const groupLimit = 256

type write struct {
	fn      func(Querier) error
	closing bool // ends something; may use the reserve when the disk is full
	err     error
	done    chan struct{}
}

// Write queues fn and waits until its effects are on disk, or refused. A
// context that ends while fn waits does not take it back.
func (db *File) Write(ctx context.Context, fn func(Querier) error) error {
	return db.submit(ctx, &write{fn: fn, done: make(chan struct{})})
}

func (db *File) submit(ctx context.Context, w *write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.queue <- w:
	case <-db.quit:
		return errors.New("the database is closed")
	}
	select {
	case <-w.done:
		return w.err
	case <-db.quit:
		// The loop drains the queue before it ends; wait for the verdict.
		db.stopped.Wait()
		select {
		case <-w.done:
			return w.err
		default:
			return errors.New("the database is closed")
		}
	}
}

func (db *File) writeLoop() {
	for {
		var group []*write
		select {
		case w := <-db.queue:
			group = append(group, w)
		case <-db.quit:
			for {
				select {
				case w := <-db.queue:
					group = append(group, w)
					continue
				default:
				}
				break
			}
			db.commit(group)
			return
		}
	gather:
		for len(group) < groupLimit {
			select {
			case w := <-db.queue:
				group = append(group, w)
			default:
				break gather
			}
		}
		db.commit(group)
	}
}

// commit runs a group in one transaction and tells each write its verdict. When
// the disk is full, only what ends something is tried again, with the reserve
// given up; while that is so, nothing else is tried.
func (db *File) commit(group []*write) {
	if db.spent {
		db.fillReserve()
	}
	if db.spent {
		var others []*write
		group, others = closingOf(group)
		settle(others, errFull)
	}
	if len(group) == 0 {
		return
	}
	err := db.tryCommit(group)
	if IsFull(err) {
		closing, others := closingOf(group)
		settle(others, err)
		if group = closing; len(closing) > 0 && db.dropReserve() {
			db.log.Error("disk full: the reserve was given up to close what is running", "path", db.path)
			err = db.tryCommit(closing)
		}
	}
	settle(group, err)
}

// closingOf divides a group into what ends something and what does not.
func closingOf(group []*write) (closing, others []*write) {
	for _, w := range group {
		if w.closing {
			closing = append(closing, w)
		} else {
			others = append(others, w)
		}
	}
	return closing, others
}

func settle(group []*write, err error) {
	for _, w := range group {
		if err != nil {
			w.err = Translate(err)
		}
		close(w.done)
	}
}

func (db *File) tryCommit(group []*write) (err error) {
	ctx := context.Background()
	if _, err := db.writes.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			// A full disk rolls back by itself; then this fails, harmlessly.
			_, _ = db.conn.ExecContext(ctx, "ROLLBACK")
		}
	}()
	for _, w := range group {
		if w.err, err = db.savepoint(ctx, w); err != nil {
			return err
		}
	}
	if _, err := db.writes.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// savepoint runs one write of a group. verdict is the write's own error; broken
// means that the whole transaction is lost.
func (db *File) savepoint(ctx context.Context, w *write) (verdict, broken error) {
	if _, err := db.writes.ExecContext(ctx, "SAVEPOINT w"); err != nil {
		return nil, err
	}
	verdict = runGuarded(w.fn, db.writes)
	if IsFull(verdict) {
		return nil, verdict
	}
	if verdict != nil {
		if _, err := db.conn.ExecContext(ctx, "ROLLBACK TO w"); err != nil {
			return nil, errors.Join(verdict, err)
		}
	}
	if _, err := db.writes.ExecContext(ctx, "RELEASE w"); err != nil {
		return nil, err
	}
	return Translate(verdict), nil
}

func runGuarded(fn func(Querier) error, q Querier) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a database write: %v", p)
		}
	}()
	return fn(q)
}
