package ingest

import (
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// maxNamed bounds how many entities of one passage are kept: a longer list is a
// register, and says of no two of them that they belong together.
const maxNamed = 24

// maxName bounds a name, in bytes.
const maxName = 60

// Namings returns what passages name, by the heuristic of text.Entities. It
// depends on nothing but their texts.
func Namings(passages []ibid.Chunk) []ibid.Naming {
	namings := make([]ibid.Naming, len(passages))
	for i, p := range passages {
		namings[i] = naming(p, text.Entities(p.Text))
	}
	return namings
}

// naming makes a naming of the names that were found in a passage. What the
// passage does not say is left out: names may come from a model.
func naming(passage ibid.Chunk, names []string) ibid.Naming {
	n := ibid.Naming{ChunkID: passage.ID}
	said := words(passage.Text)
	for _, name := range names {
		name = strings.Join(strings.Fields(name), " ")
		key := text.EntityKey(name)
		known := slices.ContainsFunc(n.Entities, func(e ibid.Entity) bool { return e.Key == key })
		times := strings.Count(said, words(name))
		if key == "" || known || times == 0 || len(name) > maxName {
			continue
		}
		if n.Entities = append(n.Entities, ibid.Entity{Key: key, Name: name, Count: times}); len(n.Entities) == maxNamed {
			break
		}
	}
	return n
}

// words writes a text as names are looked for in it.
func words(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
