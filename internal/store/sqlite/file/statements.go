package file

import (
	"context"
	"database/sql"
)

// maxStatements bounds how many statements are kept; those beyond are prepared
// each time.
const maxStatements = 200

// statements runs SQL on the writer's connection and keeps every statement
// prepared: to prepare one that has triggers costs more than to run it. It is used
// by the write loop alone. Rows of a statement must be closed before the same
// statement is run again.
//
// A write is not broken off once it has begun: it is short, and others may be in
// the same transaction.
type statements struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func newStatements(conn *sql.Conn) *statements {
	return &statements{conn: conn, prepared: map[string]*sql.Stmt{}}
}

// prepare returns a statement; nil where too many are kept already.
func (s *statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := s.prepared[query]; stmt != nil || len(s.prepared) >= maxStatements {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, query)
	if err == nil {
		s.prepared[query] = stmt
	}
	return stmt, err
}

// ExecContext runs a statement that returns no rows.
func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx = context.WithoutCancel(ctx)
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return s.conn.ExecContext(ctx, query, args...)
	}
	return stmt.ExecContext(ctx, args...)
}

// QueryContext runs a statement that returns rows.
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx = context.WithoutCancel(ctx)
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return s.conn.QueryContext(ctx, query, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext runs a statement that returns one row.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	if stmt, err := s.prepare(ctx, query); err == nil && stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return s.conn.QueryRowContext(ctx, query, args...) // which says what is wrong with it
}

// close frees the statements.
func (s *statements) close() error {
	for query, stmt := range s.prepared {
		delete(s.prepared, query)
		if err := stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}
