package param

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Schema writes the JSON schema of a tool's arguments, which are the fields of a
// struct, in their order:
//
//	type findArguments struct {
//		Name  string `json:"name" about:"a part of the name"`          // must be there
//		Limit int    `json:"limit,omitempty" minimum:"1" maximum:"20"` // may be left out
//		Form  string `json:"form,omitempty" enum:"square,wide,tall"`
//		Whole bool   `json:"whole,omitempty"`
//	}
//
// about is what the model is told of a field. A struct that cannot be written so is
// a mistake in the program: Schema panics, at the start.
func Schema(arguments any) json.RawMessage {
	properties, required := []string{}, []string{}
	for _, f := range fieldsOf(reflect.TypeOf(arguments)) {
		written := []string{`"type":` + quoted(f.kind)}
		if len(f.enum) > 0 {
			written = append(written, `"enum":`+quoted(f.enum))
		}
		if f.minimum != nil {
			written = append(written, `"minimum":`+strconv.Itoa(*f.minimum))
		}
		if f.maximum != nil {
			written = append(written, `"maximum":`+strconv.Itoa(*f.maximum))
		}
		if f.about != "" {
			written = append(written, `"description":`+quoted(f.about))
		}
		properties = append(properties, quoted(f.name)+":{"+strings.Join(written, ",")+"}")
		if f.required {
			required = append(required, f.name)
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		schema += `,"required":` + quoted(required)
	}
	return json.RawMessage(schema + "}")
}

func quoted(v any) string {
	raw, err := json.Marshal(v)
	if err != nil { // strings always encode
		panic(err)
	}
	return string(raw)
}

// field is one argument of a tool.
type field struct {
	index            int // in the struct
	name             string
	kind             string // in JSON schema: string, integer, boolean
	required         bool
	minimum, maximum *int // of integers
	enum             []string
	about            string
}

// fieldsOf reads the fields of a struct of arguments.
func fieldsOf(t reflect.Type) []field {
	kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Bool: "boolean"}
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f := field{index: i, name: name, kind: kinds[sf.Type.Kind()], required: options != "omitempty", about: sf.Tag.Get("about")}
		if f.kind == "" || name == "" {
			panic(fmt.Sprintf("param: the argument %s.%s needs a name, and must be a string, an int or a bool", t, sf.Name))
		}
		f.minimum, f.maximum = bound(sf.Tag, "minimum"), bound(sf.Tag, "maximum")
		if enum := sf.Tag.Get("enum"); enum != "" {
			f.enum = strings.Split(enum, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

func bound(tag reflect.StructTag, name string) *int {
	s, set := tag.Lookup(name)
	if !set {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(fmt.Sprintf("param: %s is no number: %q", name, s))
	}
	return &n
}

// Read reads the arguments of a call into a struct as Schema describes it.
// What is left out keeps the value that stands in the struct. Models are imprecise,
// so a number may come as "5" or 5.0 and a text as a number, and whole numbers with
// two bounds are brought between them. The error is an Error.
func Read(raw json.RawMessage, into any) error {
	args := argumentsOf(raw)
	v := reflect.ValueOf(into).Elem()
	for _, f := range fieldsOf(v.Type()) {
		value := v.Field(f.index)
		switch f.kind {
		case "string":
			s := args.optional(f.name)
			if s == "" && f.required {
				args.wrong("%s is missing", f.name)
			}
			if s == "" {
				continue
			}
			if len(f.enum) > 0 {
				if s = strings.ToLower(s); !slices.Contains(f.enum, s) {
					args.wrong("%s must be %s", f.name, alternatives(f.enum))
				}
			}
			value.SetString(s)
		case "integer":
			n := args.integer(f.name, int(value.Int()))
			if f.minimum != nil && f.maximum != nil {
				n = min(max(n, *f.minimum), *f.maximum)
			}
			value.SetInt(int64(n))
		case "boolean":
			value.SetBool(args.flag(f.name))
		}
	}
	return args.err
}

// alternatives is "square, wide or tall".
func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
