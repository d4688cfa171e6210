-- The built-in embedder as it was fitted last, which all processes share: vectors
-- of one fit say nothing beside those of another. There is one row at most.
CREATE TABLE fits (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    name      TEXT NOT NULL, -- of the embedder, and of the space of its vectors
    fitted_at INTEGER NOT NULL,
    model     BLOB NOT NULL
) STRICT;
