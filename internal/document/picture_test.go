package document_test

import (
	"strings"
	"testing"

	"ibid/internal/document"
)

func TestPicturesOfPages(t *testing.T) {
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Name: "a.html", Data: []byte(`<html><body>
<h1>Harbours <img alt="A link icon"></h1>
<p>Before <img src="a.png" alt="Ships at noon"> and after it.</p>
<img src="b.png" alt=""><img src="count.gif" width="1" height="1"><img src="c.png">
<ul><li>one <img alt="In a list"></li><li>two</li></ul>
<table><tr><td>A<img alt="In a cell"></td><td>B</td></tr></table>
<p>Between.</p><figure><img alt="chart.svg"><figcaption>Figure 1: what comes in.</figcaption></figure>
<ol><li>open <img alt="The last one"></body></html>`)})
	checkDump(t, x, `
format: html
title: Harbours
[heading 1] Harbours
[image] (Harbours) A link icon
[paragraph] (Harbours) Before and after it.
[image] (Harbours) Ships at noon
[image] (Harbours)
[list] (Harbours)
  • one
  • two
[image] (Harbours) In a list
[table] (Harbours) A | B
[image] (Harbours) In a cell
[paragraph] (Harbours) Between.
[image] (Harbours)
[paragraph] (Harbours) Figure 1: what comes in.
[list] (Harbours) 1. open
[image] (Harbours) The last one
`)
}

func TestPicturesOfMarkdown(t *testing.T) {
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Name: "a.md", Data: []byte(`# Harbours

[![Build status](b.svg)](https://ci.example) ![](c.png)
![The *new* quay [1]][quay]

Words, and ![a small ship](s.png) among them.

[![not closed](b.svg)

![Last](l.png)
`)})
	checkDump(t, x, `
format: markdown
title: Harbours
[heading 1] Harbours
[image] (Harbours) Build status
[image] (Harbours)
[image] (Harbours) The new quay [1]
[paragraph] (Harbours) Words, and a small ship among them.
[paragraph] (Harbours) [not closed
[image] (Harbours) Last
`)
}

// Pictures of a PDF stand in its reading order, as one where they are cut in
// strips, but not those that decorate, repeat, or lie behind all of the text.
func TestPicturesOfPDFs(t *testing.T) {
	needPDFium(t)
	p := testPDF{alt: "A map of the harbour"}
	p.page()
	y := p.lines(72, 700, "Words above the picture, which are so many that they fill the", "whole of a line and a second one, and end here.")
	p.figure(100, y-200, 300, 100)
	p.figure(100, y-100, 300, 100)
	p.lines(72, y-230, "Figure 1: what is shown, in so many words that nobody can", "miss it, and more of them.")
	for range 3 {
		p.page()
		p.figure(480, 720, 120, 60)
	}
	p.page()
	p.lines(72, 700, "The last page has words on top of a picture, which are far more than", "a page has whose words are part of the picture, and so they are not scanned.")
	p.lines(72, 650, "Nor would anybody say that the picture shows something when there is", "nothing but words to be looked at in front of what is a ground for them.")
	p.picture()
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: p.bytes(), Name: "a.pdf"})
	checkDump(t, x, `
format: pdf
[page 1 paragraph] Words above the picture, which are so many that they fill the whole of a line and a second one, and end here.
[page 1 image] A map of the harbour
[page 1 paragraph] Figure 1: what is shown, in so many words that nobody can miss it, and more of them.
[page 5 paragraph] The last page has words on top of a picture, which are far more than a page has whose words are part of the picture, and so they are not scanned.
[page 5 paragraph] Nor would anybody say that the picture shows something when there is nothing but words to be looked at in front of what is a ground for them.
`)
}

// A picture without words costs no text, so that a page of nothing else must be
// bounded otherwise.
func TestManyPictures(t *testing.T) {
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Name: "a.html", Data: []byte("<p>Words.</p>" + strings.Repeat("<img>", 30_000))})
	if len(x.Blocks) != 10_001 || x.Text != "Words." {
		t.Errorf("%d blocks, text %q", len(x.Blocks), x.Text)
	}
}
