-- The originals that may be deleted: those that no version and no waiting
-- document names any more. A hash gets here in the transaction that lets go of
-- it, so a file whose hash is in no table of this database is never deleted.
-- A hash that has come back into use meanwhile is dropped from the list instead
-- (DB.Discarded).
CREATE TABLE discarded (
    hash TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER versions_discard AFTER DELETE ON versions BEGIN
    INSERT OR IGNORE INTO discarded VALUES (OLD.hash);
END;
-- What was replaced or removed before it was read never became a version.
CREATE TRIGGER documents_discard AFTER UPDATE OF pending ON documents
WHEN OLD.pending <> '' AND NEW.pending <> OLD.pending
    AND NOT EXISTS (SELECT 1 FROM versions WHERE hash = OLD.pending)
BEGIN
    INSERT OR IGNORE INTO discarded VALUES (OLD.pending);
END;
