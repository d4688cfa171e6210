package param

import (
	"encoding/json"
	"testing"
)

type everyArgument struct {
	Name  string `json:"name" about:"its \"name\""`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"20"`
	Page  int    `json:"page,omitempty" minimum:"1"`
	Form  string `json:"form,omitempty" enum:"square,wide,tall"`
	Whole bool   `json:"whole,omitempty"`
}

func TestSchema(t *testing.T) {
	want := `{"type":"object","properties":{"name":{"type":"string","description":"its \"name\""},` +
		`"limit":{"type":"integer","minimum":1,"maximum":20},"page":{"type":"integer","minimum":1},` +
		`"form":{"type":"string","enum":["square","wide","tall"]},"whole":{"type":"boolean"}},"required":["name"]}`
	if got := string(Schema(everyArgument{})); got != want || !json.Valid([]byte(got)) {
		t.Errorf("%s, want\n%s", got, want)
	}
	if got, want := string(Schema(struct{}{})), `{"type":"object","properties":{}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, wrong := range []any{struct{ Name string }{}, struct {
		At float64 `json:"at"`
	}{}, struct {
		N int `json:"n" minimum:"few"`
	}{}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a schema of %T was written", wrong)
				}
			}()
			Schema(wrong)
		}()
	}
}

func TestRead(t *testing.T) {
	usual := everyArgument{Limit: 7, Form: "square"}
	for raw, want := range map[string]everyArgument{
		`{"name":"a"}`: {Name: "a", Limit: 7, Form: "square"},
		`{"name":" a ","limit":"99","page":3.0,"form":"Wide","whole":"true","other":[1]}`: {Name: "a", Limit: 20, Page: 3, Form: "wide", Whole: true},
		`{"name":5,"limit":-4,"page":-4,"form":null,"whole":false}`:                       {Name: "5", Limit: 1, Page: -4, Form: "square"},
		`"{\"name\":\"inside\"}"`: {Name: "inside", Limit: 7, Form: "square"},
	} {
		got := usual
		if err := Read(json.RawMessage(raw), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", raw, got, err, want)
		}
	}
	for raw, want := range map[string]string{
		``:                            "name is missing",
		`[]`:                          "the arguments are not a JSON object",
		`{"name":{}}`:                 "name must be a text",
		`{"name":"a","limit":"few"}`:  "limit must be a whole number",
		`{"name":"a","limit":1.5}`:    "limit must be a whole number",
		`{"name":"a","form":"round"}`: "form must be square, wide or tall",
		`{"name":"a","whole":"yes"}`:  "whole must be true or false",
	} {
		got := usual
		err := Read(json.RawMessage(raw), &got)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}
