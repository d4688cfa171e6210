package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"

	"ibid"
	"ibid/internal/server/api"
)

// restoreStep is the version of a step that restores a file that was removed.
const restoreStep = -1

// Every so many files another one is uploaded under twinName, without a source.
const (
	twinName  = "twin.txt"
	twinEvery = 25
)

func twinText(n int) string { return fmt.Sprintf("This is file %d of those that have one name.\n", n) }

// restore takes a removal back. It may find that it has done so: the answer was
// lost.
func (c *ingestCrash) restore(base, name string) error {
	id, _ := c.ids.Load(name)
	resp, err := http.Post(base+"/v1/documents/"+id.(string)+"/restore", "", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var d ibid.Document
	if err := json.NewDecoder(resp.Body).Decode(&d); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || d.ID != id {
		return &refusedError{fmt.Sprintf("%s %+v", resp.Status, d)}
	}
	return nil
}

// upload sends a file that has the name of others. Sent again it must be known by
// its bytes.
func (c *ingestCrash) upload(base string, n int) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", twinName)
	part.Write([]byte(twinText(n)))
	form.Close()
	resp, err := http.Post(base+"/v1/documents", form.FormDataContentType(), &body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var taken api.Uploads
	if err := json.NewDecoder(resp.Body).Decode(&taken); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusAccepted || len(taken.Documents) != 1 {
		return &refusedError{fmt.Sprintf("%s %+v", resp.Status, taken.Errors)}
	}
	return nil
}

// checkTwins holds that each file of one name is there once, under a name of its
// own, and returns the other documents.
func (c *ingestCrash) checkTwins(docs []ibid.Document) []ibid.Document {
	want := map[string]bool{}
	for _, s := range c.steps {
		if s.name == twinName {
			want[ibid.VersionOf([]byte(twinText(s.version)))] = true
		}
	}
	var others []ibid.Document
	names, contents := map[string]bool{}, map[string]bool{}
	for _, d := range docs {
		if d.Name != twinName && !ibid.IsNumberedName(d.Name, twinName) {
			others = append(others, d)
			continue
		}
		if d.Status != ibid.DocumentReady || !want[d.Version] || names[d.Name] || contents[d.Version] {
			c.t.Errorf("%s (%s) is %s with the version %s", d.Name, d.ID, d.Status, d.Version)
		}
		names[d.Name], contents[d.Version] = true, true
	}
	if len(contents) != len(want) || !names[twinName] {
		c.t.Errorf("%d files of one name were uploaded, %d are there", len(want), len(contents))
	}
	return others
}
