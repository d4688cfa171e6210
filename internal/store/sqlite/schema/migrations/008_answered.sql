-- Questions that were answered, to be replayed for those who ask the same. key
-- says what an answer depended on: scope, versions of documents, model, settings.
CREATE TABLE answered (
    message_id  TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    key         TEXT NOT NULL,
    question    TEXT NOT NULL,
    answered_at INTEGER NOT NULL
) STRICT;
CREATE INDEX answered_by_key ON answered (key, answered_at DESC);
