package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgproto3"

	"ibid"
)

// isDSN reports whether a source is a connection string of PostgreSQL: a URL or
// "host=… dbname=…".
func isDSN(source string) bool {
	low := strings.ToLower(strings.TrimSpace(source))
	return strings.HasPrefix(low, "postgres://") || strings.HasPrefix(low, "postgresql://") ||
		strings.Contains(low, "host=") && strings.Contains(low, "=") && !strings.HasPrefix(low, "/")
}

// parseDSN reads a connection string. The error says nothing of what stands in
// it: it may hold a password in a place where nobody expects one.
func parseDSN(dsn string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the connection string of PostgreSQL cannot be read",
			Hint: "postgres://USER:PASSWORD@HOST:5432/NAME; special characters in the password are written %40 and so on"}
	}
	return config, nil
}

// placeOf writes a connection string without its secrets, and returns the name
// of the database.
func placeOf(dsn string) (place, name string, err error) {
	config, err := parseDSN(dsn)
	if err != nil {
		return "", "", err
	}
	host := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	return fmt.Sprintf("postgres://%s@%s/%s", config.User, host, config.Database), config.Database, nil
}

// postgresSource is a PostgreSQL database.
type postgresSource struct {
	config *pgconn.Config
	idle   chan *pgconn.PgConn

	mu    sync.Mutex
	names map[string]string // a table's name as it is shown → as it is written
}

const (
	connectTime  = 5 * time.Second
	idlePostgres = 2
	// Messages of the server that are larger are refused before they are read.
	maxMessage = 64 << 20
)

// openPostgres prepares connections. Every one of them begins read-only, with a
// limit of time that the server itself keeps, and with strings read by the
// standard, as check reads them.
func openPostgres(dsn string, limits Limits) (*postgresSource, error) {
	config, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"default_transaction_read_only":       "on",
		"statement_timeout":                   strconv.FormatInt(limits.Time.Milliseconds()+1000, 10),
		"lock_timeout":                        "2000",
		"idle_in_transaction_session_timeout": "30000",
		"standard_conforming_strings":         "on",
		"client_encoding":                     "UTF8",
		"application_name":                    "ibid",
	} {
		config.RuntimeParams[name] = value
	}
	delete(config.RuntimeParams, "options") // could say otherwise
	config.ConnectTimeout = connectTime
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		f := pgproto3.NewFrontend(r, w)
		f.SetMaxBodyLen(maxMessage)
		return f
	}
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 2 * time.Second}
	}
	return &postgresSource{config: config, idle: make(chan *pgconn.PgConn, idlePostgres), names: map[string]string{}}, nil
}

func (s *postgresSource) dialect() dialect { return postgresDialect }

func (s *postgresSource) close() {
	for {
		select {
		case conn := <-s.idle:
			hangUp(conn)
		default:
			return
		}
	}
}

func hangUp(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// begin returns a connection with a transaction that cannot write. An idle
// connection may have died meanwhile; then another one is taken.
func (s *postgresSource) begin(ctx context.Context) (*pgconn.PgConn, error) {
	const transaction = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
	for {
		select {
		case conn := <-s.idle:
			if conn.Exec(ctx, transaction).Close() == nil {
				return conn, nil
			}
			hangUp(conn)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		default:
		}
		conn, err := pgconn.ConnectConfig(ctx, s.config)
		if err == nil {
			if err = conn.Exec(ctx, transaction).Close(); err == nil {
				return conn, nil
			}
			hangUp(conn)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, s.unreachable(err)
	}
}

// release keeps a connection for the next query, or closes it.
func (s *postgresSource) release(conn *pgconn.PgConn) {
	if !conn.IsClosed() {
		select {
		case s.idle <- conn:
			return
		default:
		}
	}
	hangUp(conn)
}

// read runs a statement in a transaction that cannot write and is always rolled
// back. The protocol takes only one statement. All values come as text.
func (s *postgresSource) read(ctx context.Context, _ int, statement string, take taker, args ...any) error {
	conn, err := s.begin(ctx)
	if err != nil {
		return err
	}
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(fmt.Sprint(a))
	}
	result := conn.ExecParams(ctx, statement, values, nil, nil, []int16{0})
	if enough := s.rows(result, take); enough {
		cancel, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer done()
		_ = conn.CancelRequest(cancel)
		hangUp(conn)
		return nil
	}
	if _, err := result.Close(); err != nil {
		hangUp(conn)
		return s.plain(ctx, err)
	}
	if err := conn.Exec(ctx, "ROLLBACK").Close(); err != nil {
		hangUp(conn)
		return s.plain(ctx, err)
	}
	s.release(conn)
	return nil
}

// rows hands on the rows of a result and reports whether take had enough before
// the end.
func (s *postgresSource) rows(result *pgconn.ResultReader, take taker) (enough bool) {
	var columns []string
	var values []any
	describe := func() bool {
		fields := result.FieldDescriptions()
		if columns != nil || fields == nil {
			return true
		}
		columns, values = make([]string, len(fields)), make([]any, len(fields))
		for i, f := range fields {
			columns[i] = f.Name
		}
		return take(columns, nil)
	}
	for result.NextRow() {
		if !describe() {
			return true
		}
		for i, raw := range result.Values() {
			values[i] = textValue(raw, result.FieldDescriptions()[i].DataTypeOID)
		}
		if !take(columns, values) {
			return true
		}
	}
	return !describe()
}

// OIDs of types, from pg_type.dat of PostgreSQL.
const (
	boolOID = 16
	int8OID = 20
	int2OID = 21
	int4OID = 23
)

func textValue(raw []byte, oid uint32) any {
	if raw == nil {
		return nil
	}
	switch text := string(raw); oid {
	case int8OID, int2OID, int4OID:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return text
	case boolOID:
		return text == "t"
	default:
		return text
	}
}

// plain says an error of the server's in its own words.
func (s *postgresSource) plain(ctx context.Context, err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &e) && e.Code == "57014": // query_canceled: its own limit of time
		return context.DeadlineExceeded
	case errors.As(err, &e):
		text := e.Message
		if e.Hint != "" {
			text += " (" + e.Hint + ")"
		}
		return ibid.Errorf(ibid.CodeBadRequest, "the database says: %s", clip(s.scrub(text), 500))
	}
	return s.unreachable(err)
}

func (s *postgresSource) unreachable(err error) error {
	text := err.Error()
	var e *pgconn.PgError
	var op *net.OpError
	switch {
	case errors.As(err, &e):
		text = e.Message
	case errors.As(err, &op):
		text = op.Error()
	}
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: "the database cannot be reached: " + clip(s.scrub(printable(text)), 300),
		Hint: "is the server running, and are host, user and password right?"}
}

// scrub takes the password out of a text, wherever it may have got in.
func (s *postgresSource) scrub(text string) string {
	if s.config.Password == "" {
		return text
	}
	return strings.ReplaceAll(text, s.config.Password, "•••")
}

const listColumns = `
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
	EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
	coalesce((SELECT rc.relname || '.' || ra.attname FROM pg_constraint k
		JOIN pg_class rc ON rc.oid = k.confrelid
		JOIN pg_attribute ra ON ra.attrelid = k.confrelid AND ra.attnum = k.confkey[1]
		WHERE k.conrelid = c.oid AND k.contype = 'f' AND cardinality(k.conkey) = 1 AND k.conkey[1] = a.attnum LIMIT 1), '')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT c.relispartition
	AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%'
	AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY n.nspname <> 'public', n.nspname, c.relname, a.attnum`

// tables lists what may be read: tables, views, and tables of other servers.
func (s *postgresSource) tables(ctx context.Context) ([]ibid.DatabaseTable, error) {
	var tables []ibid.DatabaseTable
	names := map[string]string{}
	err := s.read(ctx, describeBytes, listColumns, func(_ []string, row []any) bool {
		if row == nil {
			return true
		}
		schema, table := show(row[0]), show(row[1])
		name := table
		if schema != "public" {
			name = schema + "." + table
		}
		if _, known := names[name]; !known {
			if len(tables) == maxTables {
				return false
			}
			names[name] = quoteName(schema) + "." + quoteName(table)
			tables = append(tables, ibid.DatabaseTable{Name: name})
		}
		if t := &tables[len(tables)-1]; len(t.Columns) < maxColumns {
			t.Columns = append(t.Columns, ibid.DatabaseColumn{Name: show(row[2]), Type: strings.ToLower(show(row[3])),
				Key: row[4] == true, References: show(row[5])})
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = names
	return tables, err
}

// name writes a table's name for a statement.
func (s *postgresSource) name(table string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.names[table], quoteName(table))
}

func (s *postgresSource) placeholder(n int) string { return fmt.Sprintf("$%d::text", n) }

func (s *postgresSource) asText(column string) string { return column + "::text" }
