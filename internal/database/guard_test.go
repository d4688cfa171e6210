package database

import "testing"

// What reads is allowed, in both dialects unless one is named.
func TestAllowed(t *testing.T) {
	for _, sql := range []string{
		`SELECT count(*) FROM orders`,
		`select * from "order items" where "select" = 'DROP TABLE x; --';`,
		`SELECT city, sum(total) AS revenue FROM orders GROUP BY city HAVING sum(total) > 10 ORDER BY 2 DESC LIMIT 5`,
		`WITH a AS (SELECT 1 AS n), b (m) AS (SELECT n FROM a) SELECT * FROM b`,
		`WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t`,
		`SELECT (SELECT max(total) FROM orders) AS best`,
		`SELECT * FROM orders WHERE id IN (SELECT order_id FROM items WHERE price >= 1.5e3) AND NOT EXISTS (SELECT 1 FROM x)`,
		`SELECT replace(name, 'update', 'delete') FROM t -- a comment`,
		"SELECT /* why not */ 1",
		`SELECT CASE WHEN (a) THEN (b) ELSE (c) END FROM t`,
		`SELECT name, rank() OVER (PARTITION BY city ORDER BY total) FROM orders`,
		`(SELECT 1) UNION (SELECT 2)`,
		`SELECT t."update", t.start, "end" FROM events AS t`,
		`SELECT cast(x AS varchar(10)), cast(y AS numeric(10, 2)) FROM t`,
		`SELECT 'it''s', "a""b" FROM t`,
		`SELECT date(created) FROM t WHERE created >= '2024-01-01'`,
		`SELECT * FROM sqlite_master`,
		`VALUES (1), (2)`,
	} {
		for _, d := range []dialect{sqliteDialect, postgresDialect} {
			if err := check(sql, d); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	for _, sql := range []string{
		`SELECT total::numeric(10,2), substring(name from 1 for 3) FROM orders FOR ORDINALITY`,
		`SELECT date_trunc('month', at) AS m, count(*) FILTER (WHERE ok) FROM t GROUP BY 1`,
		`SELECT extract(year FROM at), data->>'a', tags[1] FROM t`,
		`SELECT at AT TIME ZONE 'UTC', now() - interval '1 day' FROM t`,
		`SELECT * FROM generate_series(1, 3) AS g(n)`,
	} {
		if err := check(sql, postgresDialect); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT `a b`, [c d] FROM [e f]",
		`SELECT strftime('%Y', at), group_concat(name, ', ') FROM t GROUP BY 1`,
	} {
		if err := check(sql, sqliteDialect); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// refused are statements that have effects, reach beyond the tables, or are not
// one query, in every disguise that we know of.
var refused = []string{
	``, `;`, `   -- nothing`, `/* nothing */`,
	`DELETE FROM orders`, `delete/**/from orders`, `UPDATE orders SET total = 0`, `INSERT INTO orders VALUES (1)`,
	`DROP TABLE orders`, `CREATE TABLE x (a)`, `ALTER TABLE orders ADD x`, `TRUNCATE orders`, `REPLACE INTO orders VALUES (1)`,
	`ATTACH 'x.db' AS x`, `PRAGMA writable_schema = 1`, `VACUUM INTO 'x'`, `REINDEX`, `ANALYZE`, `BEGIN`, `COMMIT`,
	`COPY orders TO '/tmp/x'`, `COPY orders FROM PROGRAM 'id'`, `DO 'begin end'`, `CALL f()`, `SET ROLE postgres`, `RESET ALL`,
	`LISTEN x`, `GRANT ALL ON orders TO public`, `LOCK orders`, `EXPLAIN ANALYZE DELETE FROM orders`, `EXPLAIN SELECT 1`, `SHOW ALL`,
	`PREPARE p AS SELECT 1`, `EXECUTE p`, `MERGE INTO orders USING x ON true WHEN MATCHED THEN DELETE`,
	// Several statements.
	`SELECT 1; DELETE FROM orders`, `SELECT 1; SELECT 2`, `SELECT 1;;DROP TABLE x`, "SELECT 1;\nPRAGMA x", `SELECT 1) ; DELETE FROM orders; (SELECT 2`,
	`SELECT 1 -- ` + "\r" + `; DELETE FROM orders`,
	"SELECT 1\x00; DELETE FROM orders", "SELECT 1 \x1b",
	// Common table expressions that write.
	`WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x`,
	`WITH x AS (INSERT INTO orders VALUES (1) RETURNING id) SELECT * FROM x`,
	`WITH a AS (SELECT 1), b AS (UPDATE orders SET total = 1 RETURNING *) SELECT * FROM a`,
	`WITH a AS (WITH b AS (DELETE FROM orders RETURNING *) SELECT * FROM b) SELECT * FROM a`,
	`SELECT * FROM (WITH b AS (DELETE FROM orders RETURNING *) SELECT * FROM b) AS t`,
	`WITH x AS (SELECT 1) DELETE FROM orders`, `WITH x AS (SELECT 1) INSERT INTO orders SELECT * FROM x`,
	`WITH x AS MATERIALIZED (dElEtE FROM orders RETURNING 1) SELECT 1`,
	// Into a table, locks.
	`SELECT * INTO copied FROM orders`, `SELECT * FROM orders FOR UPDATE`, `SELECT 1 FROM orders FOR NO KEY UPDATE`,
	// Functions with effects, or that reach out, or that fill the memory.
	`SELECT load_extension('x')`, `SELECT LOAD_EXTENSION ('x')`, `SELECT "load_extension"('x')`, `SELECT load_extension/**/('x')`,
	"SELECT load_extension\n('x')", `SELECT writefile('x', 'y')`, `SELECT readfile('/etc/passwd')`, `SELECT edit('x')`,
	`SELECT pg_read_file('/etc/passwd')`, `SELECT pg_catalog.pg_read_file('x')`, `SELECT "pg_catalog"."pg_read_file"('x')`,
	`SELECT PG_SLEEP(100)`, `SELECT "pg_sleep"(100)`, `SELECT pg_terminate_backend(1)`, `SELECT * FROM dblink('x', 'y') AS t(a int)`,
	`SELECT lo_import('/etc/passwd')`, `SELECT lo_export(1, 'x')`, `SELECT set_config('transaction_read_only', 'off', true)`,
	`SELECT current_setting('x')`, `SELECT query_to_xml('delete from orders', true, true, '')`, `SELECT nextval('s')`, `SELECT setval('s', 1)`,
	`SELECT * FROM orders, query_to_xml(name) AS (a text)`, `SELECT 1 FROM t, query_to_xml(name) AS materialized (a text)`,
	`SELECT DISTINCT ON (a) query_to_xml(b) FROM t`, `SELECT evil.lower('x')`, `SELECT "LOWER"('x')`, `SELECT txid_current()`,
	`SELECT zeroblob(1000000000)`, `SELECT randomblob(1000000000)`, `SELECT printf('%1000000000d', 1)`, `SELECT repeat('x', 1000000000)`,
	`SELECT lpad('x', 1000000000)`, `SELECT hex(zeroblob(1000000000))`, `SELECT notify('x')`, `SELECT xmlparse(document 'x')`,
	// The system's own tables.
	`SELECT * FROM pg_shadow`, `SELECT * FROM pg_catalog.pg_authid`, `SELECT * FROM "pg_shadow"`, `SELECT rolpassword FROM PG_AUTHID`,
	`SELECT * FROM information_schema.tables`, `SELECT * FROM pragma_database_list`, `SELECT * FROM pragma_table_info('x')`,
	`SELECT * FROM sqlite_dbpage`, `SELECT * FROM dbstat`, `TABLE pg_shadow`,
	// Quotes, comments and strings that are read in two ways.
	`SELECT 'a`, `SELECT "a`, `SELECT 1 /* open`, `SELECT 1 /* a /* b */ ; DELETE FROM orders -- */`, `SELECT /*/ 1 /*/ ; DELETE FROM x /*/`,
	`SELECT E'\'; DELETE FROM orders; --'`, `SELECT U&'\0027'`, `SELECT U&"x"`, `SELECT $$ ; DELETE FROM orders; $$`, `SELECT $tag$ x $tag$`,
	`SELECT $1`, `SELECT ?`, `SELECT :a FROM t WHERE @b`, `SELECT 1e` + "\u0000", `SELECT 0x1F`, `SELECT 1_000`, `SELECT 1a`,
	`SELECT (1`, `SELECT 1)`, `\copy orders to x`, `SELECT 1 \; DELETE FROM orders`, `SELECT 1 \gexec`,
	"SELECT '\xff'",
}

func TestRefused(t *testing.T) {
	for _, sql := range refused {
		for _, d := range []dialect{sqliteDialect, postgresDialect} {
			if err := check(sql, d); err == nil {
				t.Errorf("dialect %d allows %q", d, sql)
			}
		}
	}
	for _, sql := range []string{ // names that only SQLite writes so
		`SELECT * FROM 'pragma_database_list'`, `SELECT * FROM 'pragma_table_info'('x')`, "SELECT `load_extension`('x')", `SELECT [load_extension]('x')`,
		"SELECT * FROM `sqlite_dbpage`", `SELECT * FROM [PRAGMA_database_list]`, `SELECT [a`,
	} {
		if err := check(sql, sqliteDialect); err == nil {
			t.Errorf("SQLite's dialect allows %q", sql)
		}
	}
	for _, sql := range []string{"SELECT `a`"} { // names that PostgreSQL does not know
		if err := check(sql, postgresDialect); err == nil {
			t.Errorf("PostgreSQL's dialect allows %q", sql)
		}
	}
}
