package main

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/spf13/cobra"

	"ibid/internal/app"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func (c *cli) inventoryCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "List every byte that is stored, and where it lies",
		Example: "  ibid inventory\n" +
			"  ibid inventory --json | jq '.holdings[] | [.bytes, .path]'",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				inv, err := s.Inventory(ctx)
				if err != nil {
					return err
				}
				if asJSON {
					enc := json.NewEncoder(c.out)
					enc.SetIndent("", "  ")
					return enc.Encode(inv)
				}
				c.printInventory(inv)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) printInventory(inv api.Inventory) {
	out := newTerminal(c.out, c.env)
	t := table{columns: []column{{title: "WHAT"}, {title: "SIZE", right: true}, {title: "FILES", right: true},
		{title: "ROWS", right: true}, {title: "WHERE", give: true}, {title: "ABOUT", give: true}}}
	for _, h := range inv.Holdings {
		t.add(h.What, say.Bytes(h.Bytes), strconv.Itoa(h.Files), "", h.Path, h.About)
		for _, p := range h.Parts {
			t.add("· "+p.What, say.Bytes(p.Bytes), "", strconv.FormatInt(p.Rows, 10), "", "")
		}
	}
	t.print(out)
	out.printf("%s in %s\n", say.Bytes(inv.Bytes), say.OneLine(inv.Data, 0))
	out.printf("Nothing is stored elsewhere: the server's log goes to standard error and is kept nowhere.\n")
}
