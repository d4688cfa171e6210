package api

// Inventory says of every byte that is stored what it is and where it lies.
// The holdings are all files of the data directory and the configuration file,
// each counted once; what a database holds is listed below it.
type Inventory struct {
	Data     string    `json:"data"` // the data directory
	Bytes    int64     `json:"bytes"`
	Holdings []Holding `json:"holdings"`
}

// Holding is files of one kind.
type Holding struct {
	What  string `json:"what"`
	Path  string `json:"path"` // within the data directory, else absolute
	Bytes int64  `json:"bytes"`
	Files int    `json:"files"`
	About string `json:"about"`
	Parts []Part `json:"parts,omitempty"` // of the database: they are within Bytes, or still in its log
}

// Part is a table of a database.
type Part struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"` // with its indexes
	Rows  int64  `json:"rows"`
}
