-- Threads, messages, runs and their logs.

CREATE TABLE threads (
    id         TEXT PRIMARY KEY,
    title      TEXT NOT NULL,
    head_id    TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL, -- Unix milliseconds, as all times here
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX threads_by_time ON threads (updated_at DESC);

-- A message's parent is the message before it; several children are branches.
-- data is the whole message as JSON; the columns are what is searched by.
CREATE TABLE messages (
    id         TEXT PRIMARY KEY,
    thread_id  TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    parent_id  TEXT NOT NULL DEFAULT '',
    role       TEXT NOT NULL,
    status     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    data       TEXT NOT NULL
) STRICT;
CREATE INDEX messages_by_thread ON messages (thread_id, created_at);
CREATE INDEX messages_by_parent ON messages (parent_id);

-- A run is the work on one assistant message and has its id.
CREATE TABLE runs (
    id              TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    thread_id       TEXT NOT NULL,
    user_message_id TEXT NOT NULL,
    request         TEXT NOT NULL,
    status          TEXT NOT NULL,
    attempt         INTEGER NOT NULL DEFAULT 0,
    owner           TEXT NOT NULL DEFAULT '',
    fence           INTEGER NOT NULL DEFAULT 0,
    lease_until     INTEGER NOT NULL DEFAULT 0,
    last_seq        INTEGER NOT NULL DEFAULT 0,
    accepted_at     INTEGER NOT NULL,
    finished_at     INTEGER
) STRICT;
CREATE UNIQUE INDEX runs_one_active_per_thread ON runs (thread_id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_waiting ON runs (accepted_at) WHERE status IN ('queued', 'running');
CREATE INDEX runs_by_thread ON runs (thread_id, accepted_at);

CREATE TABLE events (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    type   TEXT NOT NULL,
    data   TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- The library. data is the whole document as JSON. change grows with every
-- change of what is searched, so that an index snapshot can be brought up to
-- date; a removed document keeps its row as a tombstone until it is swept.
CREATE TABLE documents (
    id         TEXT PRIMARY KEY,
    source     TEXT NOT NULL,
    status     TEXT NOT NULL,
    pending    TEXT NOT NULL DEFAULT '', -- the version that waits for the pipeline
    change     INTEGER NOT NULL DEFAULT 0,
    removed_at INTEGER,
    added_at   INTEGER NOT NULL,
    data       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_by_source ON documents (source) WHERE removed_at IS NULL;
CREATE INDEX documents_by_change ON documents (change);
CREATE INDEX documents_waiting ON documents (added_at) WHERE status IN ('queued', 'processing');

-- What each version says: the extracted text and its blocks, as gzipped JSON.
CREATE TABLE versions (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    hash        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    extract     BLOB NOT NULL,
    PRIMARY KEY (document_id, hash)
) STRICT;

-- The chunks of each document's current version.
CREATE TABLE chunks (
    id          TEXT PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    version     TEXT NOT NULL,
    ordinal     INTEGER NOT NULL,
    level       INTEGER NOT NULL,
    parent_id   TEXT NOT NULL,
    heading     TEXT NOT NULL, -- JSON array
    pages       TEXT NOT NULL, -- JSON array
    start_at    INTEGER NOT NULL,
    end_at      INTEGER NOT NULL,
    text        TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_document ON chunks (document_id, ordinal);

-- Vectors of embedders that cost something to call; the built-in one is fitted
-- and applied anew instead.
CREATE TABLE embeddings (
    space    TEXT NOT NULL,
    chunk_id TEXT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    vector   BLOB NOT NULL, -- little-endian float32
    PRIMARY KEY (space, chunk_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
