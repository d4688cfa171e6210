package database

import (
	"fmt"
	"strings"

	"ibid/internal/text"
)

// check parses a statement and returns an error that says to whoever wrote it
// why it may not run. It is one of three walls: the connection is read-only as
// well, and what a query may cost is limited.
//
// It allows exactly one SELECT, VALUES, or WITH that ends in one of them. In it,
// every bracket that opens a statement opens one of these too, no word that
// writes, locks or configures stands anywhere outside quotes, every function is
// on the list of those that only compute, and nothing of the database's own
// works is named.
func check(sql string, d dialect) error {
	tokens, err := lex(sql, d)
	if err != nil {
		return err
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].is(";") {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return fmt.Errorf("the statement is empty")
	}
	g := guard{tokens: tokens, dialect: d}
	for i := range tokens {
		if err := g.allowed(i); err != nil {
			return err
		}
	}
	rest, err := g.query(0)
	if err != nil {
		return err
	}
	if rest < len(tokens) {
		return fmt.Errorf("only one SELECT may stand in a statement; %s is not expected", quoteForPeople(tokens[rest].text))
	}
	return nil
}

type guard struct {
	tokens  []token
	dialect dialect
}

// at returns the token at i; the end is an empty sign.
func (g *guard) at(i int) token {
	if i < 0 || i >= len(g.tokens) {
		return token{kind: signToken}
	}
	return g.tokens[i]
}

// writing are the words that never stand bare in a query that only reads. A
// column of such a name has to be put into quotes.
var writing = text.WordSet(`insert update delete merge into create drop alter truncate attach detach pragma vacuum reindex
	copy grant revoke returning outfile dumpfile`)

// allowed looks at one token in its place.
func (g *guard) allowed(i int) error {
	t := g.tokens[i]
	switch {
	case t.is(";"):
		return fmt.Errorf("only one statement may run at a time")
	case t.kind == wordToken && writing[t.text] && !g.at(i-1).is("."):
		return fmt.Errorf("%s is not allowed: databases are only read. A column of this name must be put in double quotes", quoteForPeople(t.text))
	case t.kind == stringToken && g.dialect == sqliteDialect && (internal(asciiLower(t.text)) || g.at(i+1).is("(")):
		// SQLite takes a string for a name where only a name can stand.
		return fmt.Errorf("the text %s is not allowed", quoteForPeople(t.text))
	case t.kind == wordToken || t.kind == nameToken:
		if internal(asciiLower(t.text)) {
			return fmt.Errorf("%s belongs to the database system and is not read; describe_database tells what tables there are", quoteForPeople(t.text))
		}
		if g.at(i + 1).is("(") {
			return g.call(i)
		}
	}
	return nil
}

// internal reports whether a name is of the system's tables and functions.
func internal(name string) bool {
	switch name {
	case "sqlite_master", "sqlite_schema", "pg_catalog":
		return name == "pg_catalog"
	case "dbstat", "information_schema":
		return true
	}
	for _, prefix := range []string{"pg_", "sqlite_", "pragma_", "fts5vocab", "lo_", "dblink"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// opening are the words that a bracket may follow without being called.
var opening = text.WordSet(`select from where and or not in exists any all some as on using when then else case by having limit offset
	values union except intersect over filter within group between like ilike similar is distinct with recursive materialized
	join lateral escape array row rows range order partition interval cross inner left right full outer natural limit fetch first next`)

// types may be given a length: cast(x as varchar(10)).
var types = text.WordSet(`varchar char character varying decimal numeric dec bit float real timestamp time timestamptz timetz interval text integer bpchar double precision`)

// call looks at a name before a bracket: a function has to be on the list, and
// must be the system's own, not one that somebody made.
func (g *guard) call(i int) error {
	t := g.tokens[i]
	name := asciiLower(t.text)
	if t.kind == wordToken && opening[name] || g.namesColumns(i) {
		return nil
	}
	if t.kind == wordToken && types[name] && !g.at(i-1).is(".") {
		return nil
	}
	if g.at(i-1).is(".") || !harmless[name] || t.kind == nameToken && t.text != name {
		return fmt.Errorf("the function %s is not allowed", quoteForPeople(t.text))
	}
	return nil
}

// namesColumns reports whether the bracket after a name lists columns: of a
// common table expression, t(a, b) AS (…), or of an alias, AS t(a, b).
func (g *guard) namesColumns(i int) bool {
	end := g.closing(i + 1)
	for j := i + 2; j < end; j++ {
		t := g.at(j)
		if t.kind != wordToken && t.kind != nameToken && !t.is(",") {
			return false
		}
	}
	before, after := g.at(i-1), g.at(end+1)
	switch {
	case end == i+2:
		return false
	case before.is("as"):
		return true
	case !before.is("with") && !before.is("recursive") && !before.is(",") || !after.is("as"):
		return false
	}
	// In FROM a function may look the same: f(a) AS (b integer).
	body := end + 2
	for g.at(body).is("not") || g.at(body).is("materialized") {
		body++
	}
	return g.at(body).is("(") && g.begins(body)
}

// closing returns where the bracket at i is closed, or the end.
func (g *guard) closing(i int) int {
	depth := 0
	for ; i < len(g.tokens); i++ {
		switch {
		case g.at(i).is("("):
			depth++
		case g.at(i).is(")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// query reads a query that begins at i and returns what follows it: the bracket
// that closes it, or the end.
func (g *guard) query(i int) (int, error) {
	var err error
	if g.at(i).is("with") {
		if i, err = g.with(i + 1); err != nil {
			return i, err
		}
	}
	if !g.begins(i) {
		return i, fmt.Errorf("only SELECT, and WITH … SELECT, may run; the statement begins with %s", quoteForPeople(g.at(i).text))
	}
	for i < len(g.tokens) {
		switch t := g.at(i); {
		case t.is(")"):
			return i, nil
		case t.is("("):
			if i, err = g.bracket(i); err != nil {
				return i, err
			}
		case t.is("with") && i > 0 && !g.at(i+1).is("time") && !g.at(i+1).is("ordinality") && !g.at(i+1).is("ties"):
			return i, fmt.Errorf("WITH stands at the beginning of a statement or of a bracket")
		default:
			i++
		}
	}
	return i, nil
}

// begins reports whether a query may begin at i.
func (g *guard) begins(i int) bool {
	for g.at(i).is("(") {
		i++
	}
	return g.at(i).is("select") || g.at(i).is("values") || g.at(i).is("with")
}

// with reads common table expressions: name [(columns)] AS [[NOT] MATERIALIZED]
// (query), … and returns where the statement itself begins.
func (g *guard) with(i int) (int, error) {
	if g.at(i).is("recursive") {
		i++
	}
	for {
		if t := g.at(i); t.kind != wordToken && t.kind != nameToken {
			return i, fmt.Errorf("a name is expected after WITH")
		}
		if i++; g.at(i).is("(") {
			i = g.closing(i) + 1
		}
		if !g.at(i).is("as") {
			return i, fmt.Errorf("AS is expected after the name of a common table expression")
		}
		for i++; g.at(i).is("not") || g.at(i).is("materialized"); i++ {
		}
		if !g.at(i).is("(") || !g.begins(i) {
			return i, fmt.Errorf("a common table expression must be a SELECT in brackets")
		}
		var err error
		if i, err = g.bracket(i); err != nil {
			return i, err
		}
		if !g.at(i).is(",") {
			return i, nil
		}
		i++
	}
}

// bracket reads what stands in brackets from i on: a query, or anything that
// may hold one further in. It returns what follows.
func (g *guard) bracket(i int) (int, error) {
	var err error
	i++
	if g.at(i).is("select") || g.at(i).is("with") || g.at(i).is("values") {
		i, err = g.query(i)
	} else {
		for err == nil && i < len(g.tokens) && !g.at(i).is(")") {
			switch {
			case g.at(i).is("("):
				i, err = g.bracket(i)
			case g.at(i).is("with") && !g.at(i+1).is("time"):
				err = fmt.Errorf("WITH stands at the beginning of a statement or of a bracket")
			default:
				i++
			}
		}
	}
	if err != nil {
		return i, err
	}
	if !g.at(i).is(")") {
		return i, fmt.Errorf("a bracket is not closed")
	}
	return i + 1, nil
}

// harmless are the functions that only compute, of both dialects, and whose
// result is about as large as what they are given. repeat, lpad, printf,
// zeroblob and their like are not among them: they fill the memory.
var harmless = text.WordSet(`
	count sum total avg min max group_concat string_agg array_agg median stddev stddev_pop stddev_samp variance var_pop var_samp
	corr covar_pop covar_samp regr_slope regr_intercept regr_r2 percentile percentile_cont percentile_disc mode bool_and bool_or every
	json_agg jsonb_agg json_object_agg json_group_array json_group_object
	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
	abs round floor ceil ceiling trunc sign sqrt cbrt power pow exp ln log log2 log10 mod div greatest least degrees radians pi
	sin cos tan asin acos atan atan2 width_bucket
	coalesce nullif ifnull iif if cast typeof
	lower upper length char_length character_length octet_length substr substring trim ltrim rtrim btrim replace instr position strpos
	left right reverse concat concat_ws split_part initcap starts_with ascii unicode char chr glob like translate hex soundex
	regexp_replace regexp_match regexp_count regexp_substr regexp_like quote overlay
	date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp now
	date_part date_trunc extract age to_char to_date to_timestamp to_number make_date make_timestamp make_interval justify_days
	justify_hours isfinite
	json json_extract json_array_length json_type json_valid json_each json_tree jsonb_extract_path_text json_extract_path_text
	json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_object_keys jsonb_object_keys
	jsonb_typeof json_typeof to_json to_jsonb array_length cardinality unnest array_to_string string_to_array
	generate_series grouping`)
