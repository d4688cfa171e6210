package llm

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"

	"ibid"
)

// Dialect is how one provider's models are spoken to: everything that is not the
// same for all. A new one is a file and a line in Builtin. Most need no more than
// this record, as their answers are server-sent events (Read): then one loop
// (stream.go) does the rest for all. Others bring an adapter of their own (open).
type Dialect struct {
	Name   string // what specs begin with: "anthropic"
	Form   string // of a spec, for who has to write one: "anthropic:MODEL"
	Server string // in errors: "Anthropic"
	Base   string // where the server is when a spec does not say
	Path   string // of a URL without a path: "/v1"
	Key    Key
	Header map[string]string // that every request carries
	Absent string            // what to do where the server is not there

	// Model makes the name that the server knows of the one in the spec; nil: it is
	// that.
	Model func(name string) string
	// Endpoint is where answers are asked for, under the base URL.
	Endpoint func(model string) string
	// Thinking lists the ways to say how much thinking is wanted, the clearest first.
	// The last is nil and says nothing. A model that refuses one is asked in the next.
	Thinking func(ibid.Think) []any
	// Body writes a request; it is sent as JSON.
	Body func(Asked) any
	// Read returns what reads one answer.
	Read func() Reader
	// Refusals tell what of a request a server has refused.
	Refusals Refusals
	// Capabilities reads what the server says of a model, GET <base>/models/<model>.
	Capabilities func(info json.RawMessage) ibid.Capabilities

	// Windowed: the server gives a model the window that Config asks for, not its own.
	Windowed bool

	open  func(cfg Config, s spec) (ibid.Model, error) // nil: a streamed model
	embed func(cfg Config, s spec) (ibid.Embedder, error)
}

// ChoosesWindow reports whether the window of the model that the spec names is what
// ContextTokens says.
func (c Config) ChoosesWindow() bool {
	name, _, _ := strings.Cut(strings.TrimSpace(c.Spec), ":")
	d, _ := c.dialect(strings.ToLower(name))
	return d.Windowed
}

// Key is how a provider takes its API key.
type Key struct {
	Env    string // environment variable; its key goes to Host alone, and encrypted
	Host   string // of the provider's own servers
	Header string // "": Authorization, as a bearer token
	// Encrypted: a key is not sent in the clear to another machine.
	Encrypted bool
}

// Asked is a request to a model.
type Asked struct {
	ibid.ModelRequest        // Schema is empty where it stands in System instead
	Model             string // as the server knows it
	Name              string // as it is called here: "anthropic/claude-x"; see Replayed
	Thinking          any    // one of the dialect's ways; nil: nothing is said
	Short             bool   // the model has refused the usual limit of an answer
}

// Replayed returns the parts of a turn of the model's own as it wrote them
// (Ending.Replay), where they have to go back so, in the work on the current
// question; nil for other turns. call tells which call a part is: name is "" for
// another part, id where it tells nothing.
func (a Asked) Replayed(i int, call func(part json.RawMessage) (id, name string, err error)) []any {
	t := a.Turns[i]
	if t.Role != ibid.RoleAssistant || i <= a.LastQuestion() {
		return nil
	}
	return sameCalls(rawOf(t, a.Name), t.Calls(), call)
}

// LastQuestion is the index of the turn that is being answered, -1 for none.
func (a Asked) LastQuestion() int { return lastUserTurn(a.Turns) }

// Reader reads the events of one answer.
type Reader interface {
	// Event takes the data of an event. It returns ErrEnd where the answer is
	// complete, and a ServerError where the server says that it failed.
	Event(data []byte, a *Assembler) error
	// End is asked once, when no more events come.
	End(a *Assembler) Ending
}

// Ending is how an answer ended.
type Ending struct {
	Complete bool   // the protocol's own end was seen
	Length   bool   // the answer is as long as it may be, and not finished
	Withheld string // why the provider gives no answer, after its name: "refused to answer"
	Replay   []byte // the turn's parts as JSON, where they have to go back as they came
}

// ServerError is an error that a server reports within an answer: its JSON.
type ServerError []byte

func (ServerError) Error() string { return "the server reports an error" }

// Refusals are words of a server's errors (any of them, in lower case), by what a
// request is to be changed in. They are looked for in this order.
type Refusals struct {
	Final    []string // nothing: no other request would be taken
	Schema   []string // the schema goes into the prompt
	Thinking []string // thinking is asked for in the next way
	Length   []string // a shorter answer is asked for
}

// Builtin returns the dialects that ibid speaks.
func Builtin() []Dialect {
	return []Dialect{ollamaDialect(), openAIDialect(), anthropicDialect(), geminiDialect()}
}

func (c Config) dialects() []Dialect {
	if c.Dialects != nil {
		return c.Dialects
	}
	return Builtin()
}

func (c Config) dialect(name string) (Dialect, bool) {
	all := c.dialects()
	i := slices.IndexFunc(all, func(d Dialect) bool { return d.Name == name })
	if i < 0 {
		return Dialect{}, false
	}
	return all[i], true
}

// forms says how specs are written.
func (c Config) forms() string {
	var forms []string
	for _, d := range c.dialects() {
		forms = append(forms, d.Form)
	}
	return "write " + strings.Join(forms[:len(forms)-1], ", ") + " or " + forms[len(forms)-1]
}

// keyFor returns the API key to send to a server. One from the environment goes to
// its own provider, encrypted, and to nobody else.
func (c Config) keyFor(base *url.URL) string {
	for _, d := range c.dialects() {
		if d.Key.Host == base.Hostname() && d.Key.Env != "" && c.APIKey == "" && base.Scheme == "https" {
			return os.Getenv(d.Key.Env)
		}
	}
	return c.APIKey
}
