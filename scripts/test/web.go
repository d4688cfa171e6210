package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// outDir keeps what the tests leave behind: reports, screenshots.
const outDir = ".ci/out"

func webTests(ctx context.Context, show io.Writer) (counts, []string, error) {
	return vitest(ctx, show, "test", "web-unit.json")
}

// browserTests drives a real browser against the built binary.
func browserTests(ctx context.Context, show io.Writer) (counts, []string, error) {
	if chromium() == "" {
		return counts{skipped: 1}, []string{"browser tests: there is no Chromium (apt-get install chromium)"}, nil
	}
	return vitest(ctx, show, "e2e", "web-browser.json")
}

// chromium finds the browser: $CHROMIUM, else as Debian and others name it.
func chromium() string {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// vitest runs one npm script of the page that starts Vitest, and counts what
// its report says.
func vitest(ctx context.Context, show io.Writer, script, report string) (counts, []string, error) {
	out, err := filepath.Abs(filepath.Join(outDir, report))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(out), 0o755)
	}
	if err != nil {
		return counts{}, nil, err
	}
	os.Remove(out)
	cmd := command(ctx, show, "npm", "run", "--silent", script, "--",
		"--reporter=default", "--reporter=json", "--outputFile.json="+out)
	cmd.Dir = "web"
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	runErr := cmd.Run()
	body, err := os.ReadFile(out)
	if err != nil {
		return counts{}, nil, errors.Join(runErr, fmt.Errorf("read Vitest's report: %w", err))
	}
	c, skips, err := readVitest(body)
	return c, skips, errors.Join(runErr, err)
}

// readVitest counts the tests in a report of Vitest's JSON reporter. A file
// that could not be run at all is one failure.
func readVitest(body []byte) (counts, []string, error) {
	var report struct {
		TestResults []struct {
			Name             string
			Status           string
			AssertionResults []struct {
				FullName string
				Status   string
			}
		}
	}
	if err := json.Unmarshal(body, &report); err != nil {
		return counts{}, nil, fmt.Errorf("read Vitest's report: %w", err)
	}
	var c counts
	var skips []string
	for _, file := range report.TestResults {
		before := c.failed
		for _, test := range file.AssertionResults {
			switch test.Status {
			case "passed":
				c.passed++
			case "failed":
				c.failed++
			default: // skipped, pending, todo
				c.skipped++
				skips = append(skips, strings.TrimSpace(test.FullName))
			}
		}
		if file.Status == "failed" && c.failed == before {
			c.failed++
		}
	}
	return c, skips, nil
}
