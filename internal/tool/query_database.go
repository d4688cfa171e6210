package tool

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed query_database.md
var queryDatabaseDescription string

var queryDatabase = Info{
	Name: "query_database", Kind: ibid.ToolDatabase, Description: queryDatabaseDescription, Parameters: param.Schema(queryDatabaseArguments{}), Shows: "sql",
	Doing: "Querying the database", Done: "Queried the database",
}

type queryDatabaseArguments struct {
	Database string `json:"database,omitempty" about:"name of the database; may be left out when there is only one"`
	SQL      string `json:"sql" about:"one SELECT statement"`
}

// QueryDatabase asks a database.
type QueryDatabase struct{ databases Databases }

// NewQueryDatabase returns the tool over the attached databases.
func NewQueryDatabase(databases Databases) *QueryDatabase { return &QueryDatabase{databases} }

// Spec tells the model about the tool.
func (t *QueryDatabase) Spec() ibid.ToolSpec { return queryDatabase.Spec() }

// Detail is the database: the statement is shown as it is written.
func (t *QueryDatabase) Detail(args json.RawMessage) string { return detail(args, "database", "sql") }

// resultBytes bounds what the model reads of a result; people see all of it.
const resultBytes = 10 << 10

// Call runs one statement in the scope of the run.
func (t *QueryDatabase) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args queryDatabaseArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	d, err := databaseNamed(ctx, view, t.databases, env.Scope, args.Database)
	if err != nil {
		return Refuse(err)
	}
	table, err := t.databases.Query(ctx, view, d.ID, args.SQL)
	if err != nil {
		if ctx.Err() == nil && correctable(err) {
			return failed("The query did not run: %v. Correct it and try again; describe_database tells the exact names.", err), nil
		}
		return ibid.ToolOutput{}, fmt.Errorf("query database %s: %w", d.ID, err)
	}
	return result(d, table), nil
}

// result makes a citable passage of a table.
func result(d ibid.Database, table ibid.Table) ibid.ToolOutput {
	text, shown := tableText(table, resultBytes)
	out := ibid.ToolOutput{Table: &table, Summary: count(len(table.Rows), "row")}
	if table.Truncated {
		out.Summary = "the first " + out.Summary
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{d.ID, table.Query, text}, "\x00")))
	out.Passages = []ibid.Passage{{
		Chunk:    ibid.Chunk{ID: "q_" + hex.EncodeToString(sum[:8]), DocumentID: d.ID, Level: passageLevel, Text: text, End: len(text)},
		Document: ibid.Document{ID: d.ID, Title: d.Name},
		Quote:    ibid.Quote{Text: table.Query, End: len(table.Query)},
		Score:    1, Kind: ibid.SourceQuery,
	}}
	switch {
	case len(table.Rows) == 0:
		out.Content = "No row."
	case shown < len(table.Rows):
		out.Content = fmt.Sprintf("%d of %d rows are shown; the user sees them all. Aggregate, or ask for less.", shown, len(table.Rows))
	case table.Truncated:
		out.Content = fmt.Sprintf("These are the first %d rows; there are more. Aggregate, or ask for less.", shown)
	default:
		out.Content = count(len(table.Rows), "row") + "."
	}
	return out
}
