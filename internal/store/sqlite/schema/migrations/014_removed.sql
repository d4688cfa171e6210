-- What was removed can be taken back until it is swept (limits.keep_removed).
-- removed_with names the document whose removal took this one along: the archive
-- for what came out of it, otherwise the document itself.
ALTER TABLE documents ADD COLUMN removed_with TEXT;
UPDATE documents SET removed_with = id WHERE removed_at IS NOT NULL;
-- An archive and what came out of it have the same removed_at. Archives lie in
-- archives at most two deep, so two rounds reach the outermost one.
UPDATE documents SET removed_with = json_extract(data, '$.part_of')
    WHERE removed_at IS NOT NULL AND EXISTS (SELECT 1 FROM documents a
        WHERE a.id = json_extract(documents.data, '$.part_of') AND a.removed_at = documents.removed_at);
UPDATE documents SET removed_with = (SELECT a.removed_with FROM documents a WHERE a.id = documents.removed_with)
    WHERE removed_with <> id;
CREATE INDEX documents_by_removal ON documents (removed_at, id) WHERE removed_at IS NOT NULL;
CREATE INDEX documents_removed_with ON documents (removed_with) WHERE removed_with IS NOT NULL;

-- A removed document keeps the version that waits for the pipeline, so the bytes
-- of every waiting version stay, whether its document is removed or not.
CREATE INDEX documents_by_pending ON documents (pending) WHERE pending <> '';

-- A removed thread keeps its messages, runs and files.
ALTER TABLE threads ADD COLUMN removed_at INTEGER; -- NULL while it is there
DROP INDEX threads_by_time;
CREATE INDEX threads_by_time ON threads (updated_at DESC, id) WHERE removed_at IS NULL;
CREATE INDEX threads_by_removal ON threads (removed_at, id) WHERE removed_at IS NOT NULL;

-- Which documents have a name in a folder, as people see them.
CREATE INDEX documents_by_place ON documents (coalesce(json_extract(data, '$.folder'), ''), json_extract(data, '$.name'))
    WHERE removed_at IS NULL;
