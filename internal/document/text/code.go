package text

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/document/format"
)

// languages maps extensions, and whole names of files without one, to the
// language of source code and of data that is written like it.
var languages = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript", ".java": "java", ".kt": "kotlin", ".kts": "kotlin",
	".scala": "scala", ".groovy": "groovy", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++",
	".hpp": "c++", ".hh": "c++", ".m": "objective-c", ".mm": "objective-c", ".cs": "c#", ".fs": "f#", ".vb": "visual basic",
	".rs": "rust", ".zig": "zig", ".swift": "swift", ".rb": "ruby", ".php": "php", ".pl": "perl", ".pm": "perl",
	".lua": "lua", ".r": "r", ".jl": "julia", ".hs": "haskell", ".ml": "ocaml", ".mli": "ocaml", ".ex": "elixir",
	".exs": "elixir", ".erl": "erlang", ".clj": "clojure", ".lisp": "lisp", ".el": "lisp", ".scm": "scheme", ".dart": "dart",
	".sh": "shell", ".bash": "shell", ".zsh": "shell", ".fish": "shell", ".ps1": "powershell", ".bat": "batch", ".cmd": "batch",
	".sql": "sql", ".proto": "protobuf", ".graphql": "graphql", ".thrift": "thrift", ".css": "css", ".scss": "css", ".less": "css",
	".vue": "vue", ".svelte": "svelte", ".xml": "xml", ".xsd": "xml", ".xsl": "xml", ".svg": "xml", ".json": "json", ".jsonl": "json",
	".ndjson": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".ini": "ini", ".cfg": "ini", ".conf": "ini",
	".properties": "ini", ".env": "ini", ".tf": "terraform", ".hcl": "terraform", ".nix": "nix", ".cmake": "cmake", ".gradle": "groovy",
	".asm": "assembly", ".s": "assembly", ".f": "fortran", ".f90": "fortran", ".pas": "pascal", ".d": "d", ".nim": "nim",
	".v": "verilog", ".sv": "verilog", ".vhd": "vhdl", ".sol": "solidity", ".diff": "diff", ".patch": "diff",
	"makefile": "make", "dockerfile": "docker", "cmakelists.txt": "cmake", "jenkinsfile": "groovy", "vagrantfile": "ruby",
	"gemfile": "ruby", "rakefile": "ruby", "go.mod": "go", "justfile": "make",
}

// languageOf returns the language of a file by its name, "" for none.
func languageOf(name string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, "\\", "/")))
	if l := languages[base]; l != "" {
		return l
	}
	return languages[path.Ext(base)]
}

// definition matches lines that begin a definition at the left margin, in the
// languages that have a word for it.
var definition = regexp.MustCompile(`^(?:export\s+|pub(?:\([a-z]+\))?\s+|public\s+|private\s+|protected\s+|internal\s+|static\s+|abstract\s+|final\s+|async\s+|unsafe\s+|default\s+|sealed\s+|data\s+|open\s+|override\s+|extern\s+|inline\s+)*` +
	`(?:func|def|class|fn|struct|enum|trait|impl|interface|type|function|module|namespace|object|record|protocol|extension|message|service|sub|procedure|defmodule|CREATE\s+(?:TABLE|VIEW|FUNCTION|INDEX|TRIGGER))\b`)

// wordless are the languages of which a definition begins with a type, and that
// put it at the left margin: "int main(void) {".
var wordless = regexp.MustCompile(`^[A-Za-z_][\w:<>,*&\s\[\]~]*\([^;]*\)?\s*(?:const\s*)?\{?\s*$`)

// readCode reads source code. A block begins at the left margin, after a blank
// line or at a definition; comments and decorators directly above a definition
// belong to it. The heading above a block is the line that begins its definition.
func readCode(b *format.Builder, s, language string) {
	cLike := language == "c" || language == "c++" || language == "java" || language == "c#"
	var block strings.Builder
	last := "" // the line before, "" when it was blank
	for line := range format.Lines(s) {
		if b.Err != nil {
			return
		}
		if strings.TrimSpace(line) == "" {
			last = ""
			if block.Len() > 0 {
				block.WriteByte('\n')
			}
			continue
		}
		starts := strings.IndexByte(" \t})]", line[0]) < 0
		defines := starts && definesSomething(line, cLike)
		if starts && (last == "" || defines && !leadsIn(last)) || block.Len()+len(line) > format.MaxBlock {
			b.Add(ibid.BlockCode, block.String())
			block.Reset()
		}
		switch {
		case defines:
			b.Enter(1, signatureOf(line))
		case starts && block.Len() == 0:
			b.Leave(1)
		}
		block.WriteString(line)
		block.WriteByte('\n')
		last = line
	}
	b.Add(ibid.BlockCode, block.String())
}

func definesSomething(line string, cLike bool) bool {
	const most = 1000 // bytes; longer lines were written by a program
	return len(line) <= most && (definition.MatchString(line) || cLike && wordless.MatchString(line))
}

// leadsIn reports whether a line belongs to the definition below it.
func leadsIn(line string) bool {
	line = strings.TrimSpace(line)
	for _, p := range []string{"//", "#", "/*", "*", "--", "@", "\"\"\"", ";", "template", "%"} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return strings.HasSuffix(line, "*/")
}

// signatureOf is a definition's first line without what opens its body.
func signatureOf(line string) string {
	const most = 120
	s := strings.TrimRight(line, " \t{:=")
	if len(s) > most {
		s = s[:format.CutBefore(s, most)]
	}
	return s
}

// Code is the format of source code, and of data that is written like it.
func Code() format.Format {
	var extensions []string
	for name := range languages {
		if strings.HasPrefix(name, ".") {
			extensions = append(extensions, name)
		}
	}
	slices.Sort(extensions)
	return format.Format{
		Name: "code", Label: "Code", Kind: format.KindCode, Extensions: extensions,
		Named: func(name string) bool { return languageOf(name) != "" },
		Read: func(b *format.Builder, f format.File) (format.Done, error) {
			readCode(b, f.Text(b), languageOf(f.Name))
			return format.Done{}, nil
		},
	}
}
