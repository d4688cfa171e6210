-- Files of messages: what came with a question, and pictures that an answer made.
-- The message itself only says what they are called.
CREATE TABLE files (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL, -- place within the message, from 0
    name       TEXT NOT NULL,
    mime       TEXT NOT NULL,
    data       BLOB NOT NULL,
    extract    BLOB, -- what it says, as gzipped JSON, once somebody has read it
    PRIMARY KEY (message_id, n)
) STRICT;
