package ibid

// Entity is a person, an organisation, a place, a product or a thing that a
// passage names.
type Entity struct {
	Key   string // how names are compared: text.EntityKey of Name
	Name  string // how it is written
	Count int    // how often the passage names it
}

// Naming is what one passage names. Entities that passages name together are
// neighbours in the graph of the library.
type Naming struct {
	ChunkID  string
	Entities []Entity
}

// NamedBy says who has looked for what a passage names.
type NamedBy int

// A passage is named by the heuristic when it is taken in, and then by a model
// where one is asked for. NamedInVain is a passage that the model could make
// nothing of: what the heuristic found stands.
const (
	NamedByNobody NamedBy = iota
	NamedByHeuristic
	NamedByModel
	NamedInVain
)

// Neighbour is an entity that passages name beside the one they were found for.
type Neighbour struct {
	Key      string
	Name     string
	Together int // how many of those passages name it
	Passages int // how many passages of the library do
}
