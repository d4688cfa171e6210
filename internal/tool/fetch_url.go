package tool

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/fetch"
	"ibid/internal/tool/excerpt"
	"ibid/internal/tool/param"
)

//go:embed fetch_url.md
var fetchDescription string

var fetchURL = Info{
	Name: "fetch_url", Kind: ibid.ToolWeb, Description: fetchDescription, Parameters: param.Schema(fetchURLArguments{}),
	Doing: "Fetching a page", Done: "Fetched a page", Verb: "read a web page",
}

type fetchURLArguments struct {
	URL   string `json:"url" about:"the address, like https://example.org/page"`
	Query string `json:"query,omitempty" about:"what to look for on the page; the user's question when left out"`
}

// Fetcher gets pages of the web, and nothing of the local network.
type Fetcher interface {
	Get(ctx context.Context, url string) (fetch.Page, error)
}

// FileReader reads files that are not in the library.
type FileReader interface {
	// ReadFile returns what a file says. An *ibid.Error says why it cannot be read.
	ReadFile(ctx context.Context, name string, data []byte) (ibid.Extract, error)
}

// FetchURL reads a page of the web. It goes only to addresses that stand word for
// word in what the user or a source said, or that a search found. A model that a page or a document
// has talked into it could otherwise write what it knows into an address of its
// own making, and so give it away.
type FetchURL struct {
	fetcher Fetcher
	reader  FileReader
	formats Formats
}

// NewFetchURL returns the tool.
func NewFetchURL(fetcher Fetcher, reader FileReader, formats Formats) *FetchURL {
	return &FetchURL{fetcher, reader, formats}
}

// Spec tells the model about the tool.
func (t *FetchURL) Spec() ibid.ToolSpec { return fetchURL.Spec() }

// Detail is the address.
func (t *FetchURL) Detail(args json.RawMessage) string { return detail(args, "url") }

// Call fetches the page and shows the parts that answer best.
func (t *FetchURL) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args fetchURLArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	if !strings.Contains(args.URL, "://") {
		args.URL = "https://" + args.URL
	}
	if !toldOf(env.Told, args.URL) {
		return failed("%s stands neither in what the user said nor in what was found, so it is not fetched. "+
			"Use an address exactly as web_search returns it, or ask the user for it.", line(args.URL, 200)), nil
	}
	args.URL, _, _ = strings.Cut(args.URL, "#")
	page, err := t.fetcher.Get(ctx, args.URL)
	if err != nil {
		return explained(ctx, err, "fetch "+line(args.URL, 200))
	}
	x, err := t.reader.ReadFile(ctx, page.Name, page.Body)
	if err != nil {
		return explained(ctx, err, "read "+line(args.URL, 200))
	}
	return t.show(page, x, cmp.Or(args.Query, env.Request.Text)), nil
}

// show makes an output of what a page says.
func (t *FetchURL) show(page fetch.Page, x ibid.Extract, question string) ibid.ToolOutput {
	d := ibid.Document{Title: cmp.Or(line(x.Title, 200), hostOf(page.URL)), Source: page.URL, Format: x.Format}
	all := excerpt.Cut(x, page.URL, ibid.Passage{Document: d, Kind: ibid.SourceWeb, URL: page.URL})
	if len(all) == 0 {
		return failed("%s holds no readable text", line(page.URL, 200))
	}
	shown := relevant(question, all, excerptRoom)
	atPages(shown, x.Format, t.formats)
	said := fmt.Sprintf("This is what %s (%s) says", title(d), line(page.URL, 500))
	if len(shown) < len(all) {
		said += fmt.Sprintf(": the %d of its %d passages that fit best; call again with another query for the rest", len(shown), len(all))
	}
	if x.Notice != "" {
		said += ". " + line(x.Notice, 300)
	}
	return ibid.ToolOutput{Passages: shown, Content: defuse(said + "."),
		Summary: fmt.Sprintf("%s from %s", count(len(shown), "passage"), hostOf(page.URL))}
}

// explained makes an output of an error that the model can do something about.
func explained(ctx context.Context, err error, what string) (ibid.ToolOutput, error) {
	var known *ibid.Error
	if ctx.Err() != nil || !errors.As(err, &known) || known.Code == ibid.CodeInternal {
		return ibid.ToolOutput{}, fmt.Errorf("%s: %w", what, err)
	}
	return failed("could not %s: %s", what, line(known.Message, 400)), nil
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return line(address, 100)
}

// toldOf reports whether an address stands in what was told, whatever its scheme,
// its letters' case, a slash at its end or a place within the page.
func toldOf(told []string, address string) bool {
	needle := bareAddress(address)
	if len(needle) < 4 {
		return false
	}
	for _, t := range told {
		if strings.Contains(strings.ToLower(t), needle) {
			return true
		}
	}
	return false
}

func bareAddress(address string) string {
	_, rest, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), "://")
	rest, _, _ = strings.Cut(rest, "#")
	return strings.TrimRight(strings.TrimPrefix(rest, "www."), "/")
}
