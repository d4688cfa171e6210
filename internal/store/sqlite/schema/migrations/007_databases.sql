-- Databases that questions can be asked of. The source may hold a password.
CREATE TABLE databases (
    id         TEXT PRIMARY KEY,
    source     TEXT NOT NULL,
    data       TEXT NOT NULL, -- all else, as JSON
    added_at   INTEGER NOT NULL,
    removed_at INTEGER        -- NULL while it is attached
) STRICT;
