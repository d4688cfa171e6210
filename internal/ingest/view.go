package ingest

import "ibid/internal/access"

// system is how the pipeline looks at documents: it works on all of them, whoever
// they belong to, and what it reads goes back into the same document.
var system = access.System("the pipeline works on everybody's documents")
