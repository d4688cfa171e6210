//go:build unix

package document_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

// BenchmarkExtract reads a file of each format through the whole pool: opening,
// the pipe, the worker, and what the parent makes of it. For PDFs it also runs
// pdftotext on the same files. cpu-ms and peak-MB are those of the processes
// that did the work; pages per CPU second is the figure to compare. The CPU
// time of starting a worker and of its first file is taken off.
func BenchmarkExtract(b *testing.B) {
	for _, f := range benchFiles(b) {
		b.Run(f.name, func(b *testing.B) {
			mustExtract(b, newPool(b, document.Limits{}), document.Request{Path: f.path}) // compiles PDFium
			start := newPool(b, document.Limits{})
			mustExtract(b, start, document.Request{Path: f.path})
			starting, _ := start.StopAndMeasure()
			pool := newPool(b, document.Limits{})
			info, err := os.Stat(f.path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			mustExtract(b, pool, document.Request{Path: f.path}) // starts the worker
			pages, before := 0, cpuTime(syscall.RUSAGE_SELF)
			for b.Loop() {
				x, err := pool.Extract(context.Background(), document.Request{Path: f.path}, nil)
				if err != nil {
					b.Fatal(err)
				}
				pages += x.Pages
			}
			parent := cpuTime(syscall.RUSAGE_SELF) - before
			worker, peak := pool.StopAndMeasure()
			report(b, pages, parent+worker-starting, peak)
		})
		if filepath.Ext(f.path) == ".pdf" {
			b.Run(f.name+"/pdftotext", func(b *testing.B) { benchPdftotext(b, f.path) })
		}
	}
}

func benchPdftotext(b *testing.B, path string) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		b.Skip("pdftotext is not installed")
	}
	pages := 0
	var cpu time.Duration
	var peak int64
	for b.Loop() {
		cmd := exec.Command("pdftotext", path, "-")
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		pages += strings.Count(string(out), "\f")
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		peak = max(peak, usage.Maxrss<<10)
	}
	report(b, pages, cpu, peak)
}

func report(b *testing.B, pages int, cpu time.Duration, peak int64) {
	b.ReportMetric(cpu.Seconds()*1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
	if pages > 0 {
		b.ReportMetric(float64(pages)/cpu.Seconds(), "pages/cpu-s")
	}
}

func cpuTime(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type benchFile struct{ name, path string }

func benchFiles(b *testing.B) []benchFile {
	var files []benchFile
	for _, rel := range []string{
		"pdf/p01-twocol-tracemonkey.pdf", "pdf/p05-10k-amazon2019.pdf", "pdf/p10-manual-r-intro.pdf", "pdf/p11-manual-gnuplot.pdf",
		"pdf/p90-huge-r-refman.pdf", "html/docling-wiki_duck.html", "markdown/md-wiki.md",
		"office/word_sample.docx", "office/powerpoint_sample.pptx", "office/xlsx_01.xlsx", "office/csv-csv-comma.csv", "epub/frankenstein.epub",
		"eml/testEmailWithPNGAtt.eml",
	} {
		files = append(files, benchFile{rel, ibidtest.Data(b, "documents/"+rel)})
	}
	return append(files, benchFile{"text-16MB", largeText(b)})
}

func largeText(b *testing.B) string {
	path := filepath.Join(b.TempDir(), "large.txt")
	var s strings.Builder
	for i := 0; s.Len() < 16<<20; i++ {
		fmt.Fprintf(&s, "Paragraph %d has some words of text in it.\nAnd another line.\n\n", i)
	}
	if err := os.WriteFile(path, []byte(s.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}
