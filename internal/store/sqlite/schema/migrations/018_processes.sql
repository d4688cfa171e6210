-- Several processes may work on one database at a time. Each has a name, its owner,
-- under which it holds leases: on runs, and on documents.

-- Somebody has asked for the run to be stopped; whoever holds it stops it.
ALTER TABLE runs ADD COLUMN stop_requested INTEGER NOT NULL DEFAULT 0;

-- A document in work (status 'processing') has a row here. Writes of whoever works
-- on it name the fence, which is given out once only: without its row they are
-- refused.
CREATE TABLE document_leases (
    fence       INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id TEXT NOT NULL UNIQUE REFERENCES documents (id) ON DELETE CASCADE,
    version     TEXT NOT NULL,
    owner       TEXT NOT NULL,
    lease_until INTEGER NOT NULL -- Unix milliseconds
) STRICT;
-- Whoever works on these is gone: there was one process, and it opens the database now.
INSERT INTO document_leases (document_id, version, owner, lease_until)
    SELECT id, CASE pending WHEN '' THEN coalesce(json_extract(data, '$.version'), '') ELSE pending END, '', 0
    FROM documents WHERE status = 'processing' AND removed_at IS NULL;
-- Nothing of a document that is removed is worked on.
CREATE TRIGGER documents_unlease AFTER UPDATE OF removed_at ON documents WHEN NEW.removed_at IS NOT NULL AND OLD.removed_at IS NULL BEGIN
    DELETE FROM document_leases WHERE document_id = OLD.id;
END;

-- The owners that have the password of a version in their memory. While one of them
-- lives, only they read the version.
CREATE TABLE held_versions (
    hash  TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (hash, owner)
) STRICT, WITHOUT ROWID;
