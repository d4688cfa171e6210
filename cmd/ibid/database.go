package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func (c *cli) databaseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "database",
		SuggestFor: []string{"db", "databases", "sql"},
		Short:      "Attach databases and tables that questions can be asked of",
		Long: "Attaches SQLite files, PostgreSQL servers, CSV files and workbooks. They are only ever read:\n" +
			"nothing that ibid does can change them.",
		Example: "  ibid database add sales.csv\n" +
			"  ibid database add --name shop postgres://reader@db.example.org/shop\n" +
			"  ibid database query shop 'SELECT count(*) FROM orders'",
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.databaseAddCommand(), c.databaseListCommand(), c.databaseRemoveCommand(), c.databaseRestoreCommand(), c.databaseQueryCommand())
	return cmd
}

func (c *cli) databaseAddCommand() *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add FILE|URL",
		Short: "Attach a SQLite file, a CSV file, a workbook, or a PostgreSQL server",
		Long: "Attaches a SQLite file (read where it lies), a CSV file or a workbook (loaded now; add it again when\n" +
			"it has changed), or a PostgreSQL server. With - the URL is read from standard input, so that its\n" +
			"password stands in no history and no list of processes.",
		Example: "  ibid database add sales.xlsx\n" +
			"  ibid database add --name shop - < url.txt",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := c.databaseSource(args[0])
			if err != nil {
				return err
			}
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				d, err := s.AddDatabase(ctx, source, name)
				if err != nil {
					return err
				}
				if asJSON {
					return printOne(c, d)
				}
				fmt.Fprintf(c.out, "attached %s (%s, %s)\n", say.OneLine(d.Name, 0), d.Kind, say.Count(len(d.Tables), "table"))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what to call it, `NAME` (default: the file's or the database's own)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// databaseSource is what the argument of add means: a URL, the URL on standard
// input, or a file of this machine.
func (c *cli) databaseSource(arg string) (ibid.Secret, error) {
	if arg == "-" {
		text, err := io.ReadAll(io.LimitReader(c.in, 64<<10))
		if err != nil {
			return "", fmt.Errorf("read the URL of the database: %w", err)
		}
		return ibid.Secret(strings.TrimSpace(string(text))), nil
	}
	_, missing := os.Stat(arg)
	scheme, _, isURL := strings.Cut(arg, "://")
	switch {
	case missing == nil:
	case isURL && scheme != "postgres" && scheme != "postgresql":
		return "", fmt.Errorf("there is no way to read %s:// databases; it is postgres://USER:PASSWORD@HOST/NAME, or a file", say.OneLine(scheme, 40))
	case isURL, strings.Contains(arg, "host="):
		return ibid.Secret(arg), nil
	default:
		return "", fmt.Errorf("%s: %s", arg, say.Reason(missing))
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", arg, err)
	}
	return ibid.Secret(path), nil
}

func (c *cli) databaseListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the attached databases",
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				all, err := s.Databases(ctx)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(c, all)
				}
				c.printDatabases(all)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array, with the columns of all tables")
	return cmd
}

func (c *cli) printDatabases(all []ibid.Database) {
	if len(all) == 0 {
		fmt.Fprintln(c.err, "no databases yet; attach one with: ibid database add FILE|URL")
		return
	}
	t := table{columns: []column{{title: "NAME"}, {title: "KIND"}, {title: "TABLES", give: true}, {title: "SOURCE", give: true}, {title: "ID"}}}
	for _, d := range all {
		var tables []string
		for _, one := range d.Tables {
			tables = append(tables, one.Name+rowCount(one))
		}
		state := strings.Join(tables, ", ")
		if d.Error != "" {
			state = "✗ " + d.Error
		}
		t.add(d.Name, string(d.Kind), state, d.Place, d.ID)
	}
	t.print(newTerminal(c.out, c.env))
}

func rowCount(t ibid.DatabaseTable) string {
	switch {
	case t.Rows < 0:
		return ""
	case t.MoreRows:
		return " (over " + strconv.FormatInt(t.Rows, 10) + ")"
	}
	return " (" + strconv.FormatInt(t.Rows, 10) + ")"
}

func (c *cli) databaseRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME|ID",
		Short: "Detach a database; nothing is done to the database itself",
		Args:  arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				d, err := s.Database(ctx, args[0])
				if err != nil {
					return err
				}
				if err := s.DeleteDatabase(ctx, d.ID); err != nil {
					return err
				}
				fmt.Fprintf(c.out, "detached %s\n", say.OneLine(d.Name, 0))
				c.toUndo([]string{d.ID})
				return nil
			})
		},
	}
}

func (c *cli) databaseRestoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID",
		Short: "Attach a database again that was detached",
		Args:  arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				d, err := s.RestoreDatabase(ctx, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(c.out, "attached %s again\n", say.OneLine(d.Name, 0))
				return nil
			})
		},
	}
}

func (c *cli) databaseQueryCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "query NAME|ID SQL…",
		Short:   "Run one SELECT, with the limits that hold for models too",
		Example: "  ibid database query sales 'SELECT region, sum(amount) FROM sales GROUP BY 1'",
		Args:    arguments(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				result, err := s.QueryDatabase(ctx, args[0], strings.Join(args[1:], " "))
				if err != nil {
					return err
				}
				if asJSON {
					return printOne(c, result)
				}
				c.printResult(result)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) printResult(r api.QueryResult) {
	t := table{}
	for _, name := range r.Columns {
		t.columns = append(t.columns, column{title: say.OneLine(name, 0), give: true})
	}
	for _, row := range r.Rows {
		t.add(row...)
	}
	t.print(newTerminal(c.out, c.env))
	summary := say.Count(len(r.Rows), "row")
	if r.Truncated {
		summary = "the first " + summary + "; there are more"
	}
	fmt.Fprintf(c.err, "· %s · %d ms\n", summary, r.TookMS)
}

// printOne prints one JSON object.
func printOne(c *cli, v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
