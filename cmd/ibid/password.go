package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// readPassword returns the password of the files to add, "" for none. It is never
// an argument, where other users of the machine could see it.
func (c *cli) readPassword(cmd *cobra.Command, ask bool, file string) (string, error) {
	switch {
	case ask && file != "":
		return "", usagef(cmd, "--password and --password-file exclude each other")
	case file == "-":
		return firstLine(c.in)
	case file != "":
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		defer f.Close()
		return firstLine(f)
	case !ask:
		return "", nil
	}
	if password := c.env.Get("IBID_FILE_PASSWORD"); password != "" {
		return password, nil
	}
	if f, ok := c.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(c.err, "Password of the files: ")
		password, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(c.err)
		return string(password), err
	}
	return firstLine(c.in)
}

func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("the password is empty: set IBID_FILE_PASSWORD, or give it on standard input")
	}
	return line, nil
}
