package main

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"
)

// thirdParty is written by scripts/notices.
//
//go:embed third_party.md
var thirdParty string

func (c *cli) licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Aliases: []string{"licences"},
		Short:   "Print whose work the program contains, and under which licences",
		Args:    arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(c.out, thirdParty)
			return err
		},
	}
}
