-- How often the work on a version that waits was cut short from outside: by the end
-- of the process that read it, and by the end of ibid itself.
ALTER TABLE documents ADD COLUMN reader_kills INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
-- What was in work when ibid ended goes behind the rest.
CREATE INDEX documents_queued ON documents (crashes, added_at, id) WHERE status = 'queued' AND removed_at IS NULL;
