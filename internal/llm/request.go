package llm

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"ibid"
)

// askForJSON adds to a prompt what a schema says, for models that do not take it
// any other way.
func askForJSON(system string, schema json.RawMessage) string {
	return system + "\n\nAnswer with one JSON value that fits this JSON schema, and nothing else:\n" + string(schema)
}

// mimeOf returns the kind of a picture, from its bytes where it does not say.
func mimeOf(img *ibid.Image) string {
	if img.MIME != "" {
		return img.MIME
	}
	return http.DetectContentType(img.Data)
}

// base64Of returns the bytes of a picture as JSON carries them.
func base64Of(img *ibid.Image) string { return base64.StdEncoding.EncodeToString(img.Data) }

// objectSchema returns the schema of a tool's arguments; that of an object without
// fields where there is none.
func objectSchema(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || !json.Valid(schema) {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}

// objectArguments returns the arguments of a call as the JSON object that servers
// insist on.
func objectArguments(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// lastUserTurn returns the index of the question that is being worked on, -1 for
// none.
func lastUserTurn(turns []ibid.Turn) int {
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == ibid.RoleUser {
			return i
		}
	}
	return -1
}
