package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
)

// Tool is agent.Tool, which this package must not import.
type Tool interface {
	Spec() ibid.ToolSpec
	Detail(args json.RawMessage) string
	Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error)
}

// Info is what is known of a tool without calling it. Nothing else in the program
// lists tools by their names: the agent goes by their kinds, and history and page
// by the words here.
type Info struct {
	Name        string
	Kind        ibid.ToolKind
	Description string          // what the model is told: the .md file beside the tool
	Parameters  json.RawMessage // of the arguments; see param.Schema
	Shows       string          // see ibid.ToolSpec

	// What people see while the tool runs, and afterwards: "Reading", "Read".
	Doing, Done string
	// Verb is what a model is told in later turns: "calculated". Empty: "used NAME".
	Verb string
}

// Spec is what the model is told.
func (i Info) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: i.Name, Kind: i.Kind, Description: strings.TrimSpace(i.Description), Parameters: i.Parameters, Shows: i.Shows}
}

// Definition is a tool, and when a question is offered it.
type Definition struct {
	Info
	// Make returns the tool over what a question has; nil where that lacks what the
	// tool works with.
	Make func(Resources) Tool
	// Many: offered to models that choose well among many tools, to others only
	// where a question demands it.
	Many bool
	// ForDatabases: offered also where a question is limited to databases, since it reads
	// no documents.
	ForDatabases bool
	// Sometimes: whether it is offered depends on the question (its databases, its
	// files, a model that sees), so a question may demand it in any case.
	Sometimes bool
	// Setup says how the tool is set up where it is not.
	Setup string
}

// Resources are what tools work with. What is nil or zero is not there.
type Resources struct {
	Library interface {
		Library
		Folders
	}
	Chunks        Chunks
	Finder        Finder
	Graph         Graph
	Model         ibid.Model // reads documents for the tools
	Writer        ibid.Model // imagines passages; nil where a model would be no help
	WholeDocument int        // the longest document that is read in one call, in tokens
	Files         FileTexts  // of the conversation
	HasFiles      bool       // the conversation has some
	Sees          bool       // the model sees pictures
	Databases     Databases  // nil where there is none to ask
	Programs      CodeRunner
	Web           WebSearcher
	Fetcher       Fetcher
	FileReader    FileReader // of what is fetched
	Formats       Formats    // of files
	Painter       Painter
	Gallery       Gallery
}

// Finder searches in all ways.
type Finder interface {
	Searcher
	PropositionSearcher
	GraphSearcher
}

// Registry is all tools, the most useful first: some models hardly look at the rest.
type Registry []Definition

// Builtin returns the tools of ibid. A new one is a file, its .md and a line here.
func Builtin() Registry {
	return Registry{
		{Info: searchKnowledgeBase, Make: func(r Resources) Tool {
			return NewSearchKnowledgeBase(NewNarrowing(r.Finder, r.Library)).WithFiles(r.Files)
		}},
		{Info: listDocuments, Make: func(r Resources) Tool { return NewListDocuments(r.Library) }},
		{Info: analyzeDocument, Make: func(r Resources) Tool { return NewAnalyzeDocument(r.Library, r.Finder, r.Model) }},
		{Info: compareDocuments, Make: func(r Resources) Tool { return NewCompareDocuments(r.Library, r.Finder, r.Model) }},
		{Info: calculator, ForDatabases: true, Make: func(Resources) Tool { return NewCalculator() }},
		{Info: currentTime, ForDatabases: true, Make: func(Resources) Tool { return NewCurrentTime() }},
		{Info: readDocument, Make: func(r Resources) Tool { return NewRead(r.Library, r.Chunks, r.WholeDocument) }},
		{Info: readAround, Make: func(r Resources) Tool { return NewReadAround(r.Library, r.Chunks) }},
		{Info: listContents, Make: func(r Resources) Tool { return NewListContents(r.Library) }},
		{Info: findDocument, Make: func(r Resources) Tool { return NewFind(r.Library) }},
		{Info: getInfo, Make: func(r Resources) Tool { return NewGetInfo(r.Library) }},
		{Info: webSearch, Setup: webSetup, Make: where(func(r Resources) bool { return r.Web != nil },
			func(r Resources) Tool { return NewWebSearch(r.Web) })},
		{Info: fetchURL, Setup: webSetup, Make: where(func(r Resources) bool { return r.Web != nil && r.Fetcher != nil },
			func(r Resources) Tool { return NewFetchURL(r.Fetcher, r.FileReader, r.Formats) })},
		{Info: generateImage, Setup: "set image_model in the configuration: openai:MODEL@URL",
			Make: where(func(r Resources) bool { return r.Painter != nil }, func(r Resources) Tool { return NewGenerateImage(r.Painter, r.Gallery) })},
		{Info: searchKeywords, Many: true, Make: func(r Resources) Tool { return NewSearchKeywords(r.Finder) }},
		{Info: searchPropositions, Many: true, Make: func(r Resources) Tool { return NewSearchPropositions(r.Finder) }},
		{Info: searchHypothetical, Many: true, Make: func(r Resources) Tool { return NewSearchHypothetical(r.Finder, r.Writer) }},
		{Info: searchGraph, Many: true, Make: func(r Resources) Tool { return NewSearchGraph(r.Graph, r.Finder) }},
		{Info: executeCode, Many: true, Make: func(r Resources) Tool { return NewExecuteCode(r.Programs) }},
		{Info: describeDatabase, ForDatabases: true, Sometimes: true, Make: where(hasDatabases, func(r Resources) Tool { return NewDescribeDatabase(r.Databases) })},
		{Info: queryDatabase, ForDatabases: true, Sometimes: true, Make: where(hasDatabases, func(r Resources) Tool { return NewQueryDatabase(r.Databases) })},
		{Info: retrieveFile, ForDatabases: true, Sometimes: true, Make: where(func(r Resources) bool { return r.HasFiles },
			func(r Resources) Tool { return NewRetrieveFile(r.Files, r.Sees) })},
		{Info: viewChunkImage, ForDatabases: true, Sometimes: true, Make: where(func(r Resources) bool { return r.Sees },
			func(r Resources) Tool { return NewViewChunkImage(r.Library, r.Formats) })},
	}
}

const webSetup = "set web_search in the configuration: searxng:http://HOST:PORT, brave or tavily"

func hasDatabases(r Resources) bool { return r.Databases != nil }

// where makes a tool where a condition holds.
func where(holds func(Resources) bool, make func(Resources) Tool) func(Resources) Tool {
	return func(r Resources) Tool {
		if !holds(r) {
			return nil
		}
		return make(r)
	}
}

// Offer is what a question is offered tools by.
type Offer struct {
	Many          bool     // the model chooses well among many tools
	OnlyDatabases bool     // the question is limited to databases: only tools that read no documents
	Forced        []string // names of tools that the question demands
}

// Tools makes the tools that a question is offered.
func (r Registry) Tools(with Resources, o Offer) []Tool {
	var tools []Tool
	for _, d := range r {
		if o.OnlyDatabases && !d.ForDatabases || d.Many && !o.Many && !slices.Contains(o.Forced, d.Name) {
			continue
		}
		if t := d.Make(with); t != nil {
			tools = append(tools, t)
		}
	}
	return tools
}

// Named returns what is known of a tool.
func (r Registry) Named(name string) (Definition, bool) {
	i := slices.IndexFunc(r, func(d Definition) bool { return d.Name == name })
	if i < 0 {
		return Definition{}, false
	}
	return r[i], true
}

// Kind returns what a tool is for, "" where there is none of that name.
func (r Registry) Kind(name string) ibid.ToolKind {
	d, _ := r.Named(name)
	return d.Kind
}

// Verb is what a model is told in later turns of a tool that was used.
func (r Registry) Verb(name string) string {
	if d, _ := r.Named(name); d.Verb != "" {
		return d.Verb
	}
	return "used " + name
}
