-- Which chunks a document has is asked of this index alone: comparing the
-- search index with the database need not read the texts.
DROP INDEX chunks_by_document;
CREATE INDEX chunks_by_document ON chunks (document_id, level, ordinal, id);
