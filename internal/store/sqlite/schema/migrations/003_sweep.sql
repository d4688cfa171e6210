-- A version that is not searched any more goes after a while, unless a message
-- cites it. replaced_at is since when it is not searched; NULL while it is.
ALTER TABLE versions ADD COLUMN replaced_at INTEGER;
UPDATE versions SET replaced_at = created_at WHERE NOT EXISTS (
    SELECT 1 FROM documents d
    WHERE d.id = versions.document_id AND d.removed_at IS NULL AND json_extract(d.data, '$.version') = versions.hash);
CREATE INDEX versions_replaced ON versions (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX versions_by_hash ON versions (hash);

-- Which versions each message cites: what stands in its data, kept apart so that
-- a sweep need not read every message.
CREATE TABLE cited (
    document_id TEXT NOT NULL,
    version     TEXT NOT NULL,
    message_id  TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (document_id, version, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX cited_by_message ON cited (message_id);

INSERT OR IGNORE INTO cited
    SELECT json_extract(c.value, '$.document_id'), json_extract(c.value, '$.version'), m.id
    FROM messages m, json_each(m.data, '$.citations') c;

CREATE TRIGGER messages_cite AFTER UPDATE OF data ON messages BEGIN
    DELETE FROM cited WHERE message_id = NEW.id;
    INSERT OR IGNORE INTO cited
        SELECT json_extract(c.value, '$.document_id'), json_extract(c.value, '$.version'), NEW.id
        FROM json_each(NEW.data, '$.citations') c;
END;
