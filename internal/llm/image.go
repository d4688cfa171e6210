package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"ibid"
)

// Painter makes pictures by a server that speaks OpenAI's protocol for images
// (POST /images/generations).
type Painter struct {
	origin
	base string
	// bare is set once the server has refused to be told how to send the picture.
	bare atomic.Bool
}

// paintTime bounds how long a server may be silent: most take half a minute.
const paintTime = 3 * time.Minute

// OpenPainter returns the image model that cfg.Spec names: "openai:MODEL" or
// "openai:MODEL@URL". It calls nobody.
func OpenPainter(cfg Config) (*Painter, error) {
	spec, err := cfg.parse()
	if err == nil && spec.dialect.Name != "openai" {
		e := ibid.Errorf(ibid.CodeBadRequest, "image model %q: only servers that speak OpenAI's protocol make pictures", cfg.Spec)
		e.Hint = "write openai:MODEL or openai:MODEL@http://HOST:PORT/v1"
		err = e
	}
	if err != nil {
		return nil, err
	}
	cfg.HeaderTimeout, cfg.IdleTimeout = cmp.Or(cfg.HeaderTimeout, paintTime), cmp.Or(cfg.IdleTimeout, paintTime)
	cfg = cfg.withDefaults()
	return &Painter{base: spec.base.String(),
		origin: origin{http: newClient(cfg), server: "the image server", model: spec.model, host: spec.base.Host, key: cfg.keyFor(spec.base), hint: "is it running, and is the URL right?"}}, nil
}

// Name says which model paints, for people.
func (p *Painter) Name() string { return "openai/" + p.model }

// sizes are the forms of pictures, by what they are called.
var sizes = map[string]string{"square": "1024x1024", "wide": "1536x1024", "tall": "1024x1536"}

// Paint makes one picture: form is square, wide or tall.
func (p *Painter) Paint(ctx context.Context, prompt, form string) (ibid.Image, error) {
	size := cmp.Or(sizes[form], sizes["square"])
	if form != "square" && strings.HasPrefix(p.model, "dall-e-3") { // which has sizes of its own
		size = map[string]string{"wide": "1792x1024", "tall": "1024x1792"}[form]
	}
	body := map[string]any{"model": p.model, "prompt": prompt, "n": 1, "size": cmp.Or(size, sizes["square"])}
	// OpenAI's newer models always send the bytes and refuse to be told so.
	if !strings.HasPrefix(p.model, "gpt-image") && !p.bare.Load() {
		body["response_format"] = "b64_json"
	}
	image, f := p.ask(ctx, body)
	if f != nil && f.status == http.StatusBadRequest && f.said.mentions("response_format") && body["response_format"] != nil {
		p.bare.Store(true)
		delete(body, "response_format")
		image, f = p.ask(ctx, body)
	}
	if f != nil {
		return ibid.Image{}, result(ctx, f)
	}
	return image, nil
}

func (p *Painter) ask(ctx context.Context, body map[string]any) (ibid.Image, *failure) {
	resp, f := p.post(ctx, p.base+"/images/generations", body)
	if f != nil {
		return ibid.Image{}, f
	}
	defer resp.Body.Close()
	var made struct {
		Data []struct {
			Bytes string `json:"b64_json"`
			URL   string `json:"url"`
		} `json:"data"`
	}
	if f := p.decode(resp.Body, &made); f != nil {
		return ibid.Image{}, f
	}
	switch {
	case len(made.Data) == 0:
		return ibid.Image{}, p.garbled(errors.New("no picture"))
	case made.Data[0].Bytes == "":
		return ibid.Image{}, &failure{Error: &ibid.Error{Code: ibid.CodeLLM, Message: fmt.Sprintf("%s (%s) sends no picture but an address", p.server, p.model),
			Hint: "let it answer with b64_json"}}
	}
	_, encoded, isURL := strings.Cut(made.Data[0].Bytes, ";base64,")
	if !isURL {
		encoded = made.Data[0].Bytes
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return ibid.Image{}, p.garbled(err)
	}
	kind := http.DetectContentType(data)
	if !strings.HasPrefix(kind, "image/") {
		return ibid.Image{}, p.garbled(fmt.Errorf("the picture is %s", kind))
	}
	return ibid.Image{MIME: kind, Data: data}, nil
}

// Check asks whether the server answers, without making a picture. A server that
// does not list its models cannot be asked.
func (p *Painter) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var list struct{}
	if f := p.get(ctx, p.base+"/models", &list); f != nil && f.status != http.StatusNotFound {
		return result(ctx, f)
	}
	return nil
}
