package ibid

// BlockKind says what a block of extracted text is.
type BlockKind string

// The kinds of block that every format is read into.
const (
	BlockHeading   BlockKind = "heading"
	BlockParagraph BlockKind = "paragraph"
	BlockList      BlockKind = "list"
	BlockTable     BlockKind = "table" // rows by newline, cells by tab or " | "
	BlockCode      BlockKind = "code"
	BlockImage     BlockKind = "image" // Start==End when the image has no text
)

// Block is a run of extracted text that belongs together. Its text is
// Extract.Text[Start:End].
type Block struct {
	Kind    BlockKind `json:"kind"`
	Start   int       `json:"start"`
	End     int       `json:"end"`
	Page    int       `json:"page,omitempty"`    // page, slide or sheet; 0 where the format has none
	Level   int       `json:"level,omitempty"`   // heading depth from 1; 0 for others
	Heading []string  `json:"heading,omitempty"` // path of headings above the block, outermost first
}

// Extract is what one version of a document says, in reading order. Blocks are
// sorted, do not overlap, and cover all text that is searched.
type Extract struct {
	Title    string  `json:"title,omitempty"`
	Format   string  `json:"format"`
	Text     string  `json:"text"` // valid UTF-8 without NUL
	Blocks   []Block `json:"blocks"`
	Pages    int     `json:"pages,omitempty"`
	PageAt   []int   `json:"page_at,omitempty"` // PageAt[i] is the Start of page i+1 in Text; len == Pages
	Language string  `json:"language,omitempty"`
	Notice   string  `json:"notice,omitempty"` // one line about what could not be read
}

// PageOf returns the page that holds byte offset at, or 0 where the format has
// no pages.
func PageOf(pageAt []int, at int) int {
	lo, hi := 0, len(pageAt)
	for lo < hi {
		if mid := (lo + hi) / 2; pageAt[mid] <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
