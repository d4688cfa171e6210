package format

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
)

// Head is what is known before the first page.
type Head struct {
	Format  string     `json:"format"`
	Title   string     `json:"title,omitempty"`
	Pages   int        `json:"pages,omitempty"` // as the file claims
	Outline []Bookmark `json:"outline,omitempty"`
	Cut     bool       `json:"cut,omitempty"`    // the file has lost its end
	Listed  bool       `json:"listed,omitempty"` // and with it the number of its pages
}

// Page is one page as it crosses the pipe: lines in reading order.
type Page struct {
	Number  int       `json:"n"`
	Width   int       `json:"w"` // tenths of a point, as all measures here
	Height  int       `json:"h"`
	Lines   []Line    `json:"l,omitempty"`
	Images  []Picture `json:"i,omitempty"`
	Notes   []string  `json:"c,omitempty"` // what readers wrote in the margin
	Scanned bool      `json:"s,omitempty"` // a picture without text
	Garbled bool      `json:"g,omitempty"` // characters whose meaning the file does not say
	Failed  bool      `json:"f,omitempty"` // could not be read
}

// Picture is a picture of a page, without those that are scans of it.
type Picture struct {
	X0  int    `json:"x"`
	Y0  int    `json:"y"`
	X1  int    `json:"u"`
	Y1  int    `json:"v"`
	Alt string `json:"t,omitempty"` // what it shows, as the file says
}

// Line is one line of a page, or one row of a table.
type Line struct {
	Text   string `json:"t"`
	X0     int    `json:"x"` // tenths of a point from the top left corner
	Y0     int    `json:"y"`
	X1     int    `json:"u"`
	Y1     int    `json:"v"`
	Base   int    `json:"a"`           // the line its letters stand on
	Size   int    `json:"z"`           // of most of its characters
	Bold   bool   `json:"b,omitempty"` // all but a few characters
	Mono   bool   `json:"m,omitempty"`
	Hyphen bool   `json:"h,omitempty"` // its last word goes on in the next line
	Row    bool   `json:"r,omitempty"` // of a table, cells by cellSeparator

	Running bool `json:"-"` // at the head or foot of the page, beside its number; found by the parent
}

// Bookmark is an entry of the outline.
type Bookmark struct {
	Title string `json:"t"`
	Level int    `json:"l"` // from 1
	Page  int    `json:"p"`
	Y     int    `json:"y"` // tenths of a point from the top, -1 when unknown
}

// PNG encodes a picture, quickly rather than well.
func PNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return b.Bytes(), nil
}
