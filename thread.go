package ibid

// Thread is a conversation. It exists from its first message on.
type Thread struct {
	Principal Principal `json:"-"` // whose it is
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	HeadID    string    `json:"head_id"` // the last message of the branch that is shown
	RunID     string    `json:"run_id,omitempty"`
	CreatedAt Time      `json:"created_at"`
	UpdatedAt Time      `json:"updated_at"`
}

// ThreadQuery says which threads a list holds; its zero value takes all.
type ThreadQuery struct {
	Text string // a part of the title, in upper or lower case
	ID   string // what the id begins with
}
