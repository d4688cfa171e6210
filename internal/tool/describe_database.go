package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed describe_database.md
var describeDatabaseDescription string

var describeDatabase = Info{
	Name: "describe_database", Kind: ibid.ToolDatabase, Description: describeDatabaseDescription, Parameters: param.Schema(describeDatabaseArguments{}),
	Doing: "Looking at the database", Done: "Looked at the database",
}

type describeDatabaseArguments struct {
	Database string `json:"database,omitempty" about:"name of the database; may be left out when there is only one"`
	Question string `json:"question,omitempty" about:"the question, to be told which values of the tables it names"`
}

// DescribeDatabase says what a database holds.
type DescribeDatabase struct{ databases Databases }

// NewDescribeDatabase returns the tool over the attached databases.
func NewDescribeDatabase(databases Databases) *DescribeDatabase {
	return &DescribeDatabase{databases}
}

// Spec tells the model about the tool.
func (t *DescribeDatabase) Spec() ibid.ToolSpec { return describeDatabase.Spec() }

// Detail is the database.
func (t *DescribeDatabase) Detail(args json.RawMessage) string { return detail(args, "database") }

// description is the output: JSON, so that no name and no value can pass for
// anything else.
type description struct {
	Database string               `json:"database"`
	Dialect  string               `json:"dialect"`
	Tables   []ibid.DatabaseTable `json:"tables"`
	Named    []ibid.DatabaseMatch `json:"values_that_the_question_names,omitempty"`
	Left     string               `json:"left_out,omitempty"`
}

// Call looks at a database in the scope of the run.
func (t *DescribeDatabase) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args describeDatabaseArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	d, err := databaseNamed(ctx, view, t.databases, env.Scope, args.Database)
	if err != nil {
		return Refuse(err)
	}
	d, named, err := t.databases.Describe(ctx, view, d.ID, args.Question)
	if err != nil {
		if correctable(err) {
			return failed("The database %q cannot be looked at: %v", d.Name, err), nil
		}
		return ibid.ToolOutput{}, fmt.Errorf("describe database %s: %w", d.ID, err)
	}
	content, err := fit(description{Database: d.Name, Dialect: dialectName(d.Kind), Tables: d.Tables, Named: named})
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	return ibid.ToolOutput{Content: content, Summary: fmt.Sprintf("%s: %s", line(d.Name, 80), count(len(d.Tables), "table"))}, nil
}

func dialectName(kind ibid.DatabaseKind) string {
	if kind == ibid.DatabasePostgres {
		return "PostgreSQL"
	}
	return "SQLite"
}

// fit writes a description in as many bytes as an output may have: without
// values when it is too long, then without the last tables.
func fit(d description) (string, error) {
	const limit = ibid.MaxToolOutput - 100
	all := d.Tables
	for {
		raw, err := json.Marshal(d)
		if err != nil {
			return "", fmt.Errorf("write the description of a database: %w", err)
		}
		switch {
		case len(raw) <= limit || len(d.Tables) == 0:
			return string(raw), nil
		case d.Left == "":
			d.Left, d.Tables = "values", withoutValues(all)
		default:
			keep := min(len(d.Tables)-1, len(d.Tables)*limit/len(raw))
			d.Tables = d.Tables[:keep]
			d.Left = fmt.Sprintf("values, and %d more tables", len(all)-keep)
		}
	}
}

func withoutValues(tables []ibid.DatabaseTable) []ibid.DatabaseTable {
	bare := make([]ibid.DatabaseTable, len(tables))
	for i, t := range tables {
		bare[i] = t
		bare[i].Columns = make([]ibid.DatabaseColumn, len(t.Columns))
		for j, c := range t.Columns {
			c.Values = nil
			bare[i].Columns[j] = c
		}
	}
	return bare
}
