-- Conversations are read in parts: a branch from a message upwards, all messages
-- from the newest backwards, threads by when they changed or by their title. Each
-- is an index lookup, so that none depends on how much was said before.

-- questions is how many questions stand on a message's branch, from the thread's
-- first message to this one, itself included. files is how many files it has.
ALTER TABLE messages ADD COLUMN questions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN files INTEGER NOT NULL DEFAULT 0;

-- Siblings (same thread, parent and role) are found without their data. The thread
-- stands in it because first messages have no parent.
DROP INDEX messages_by_parent;
CREATE INDEX messages_by_parent ON messages (parent_id, thread_id, role, created_at, id);
DROP INDEX messages_by_thread;
CREATE INDEX messages_by_thread ON messages (thread_id, created_at, role DESC, id);
CREATE INDEX messages_with_files ON messages (thread_id, created_at, role DESC, id) WHERE files > 0;

CREATE TEMP TABLE counted (id TEXT PRIMARY KEY, questions INTEGER NOT NULL);
INSERT INTO counted
    WITH RECURSIVE below (id, questions) AS (
        SELECT id, role = 'user' FROM messages WHERE parent_id = ''
        UNION ALL
        SELECT m.id, b.questions + (m.role = 'user') FROM below b JOIN messages m ON m.parent_id = b.id)
    SELECT id, questions FROM below;
UPDATE messages SET
    questions = coalesce((SELECT c.questions FROM counted c WHERE c.id = messages.id), 0),
    files = (SELECT count(*) FROM files f WHERE f.message_id = messages.id);
DROP TABLE counted;

-- Parts of titles are found by their trigrams. number ties a thread to its entry
-- there: a rowid may change when the database is compacted.
ALTER TABLE threads ADD COLUMN number INTEGER;
UPDATE threads SET number = rowid;
CREATE UNIQUE INDEX threads_by_number ON threads (number);
CREATE VIRTUAL TABLE thread_titles USING fts5 (title, content = '', contentless_delete = 1, tokenize = 'trigram');
INSERT INTO thread_titles (rowid, title) SELECT number, title FROM threads;

CREATE TRIGGER threads_number AFTER INSERT ON threads BEGIN
    UPDATE threads SET number = (SELECT coalesce(max(number), 0) + 1 FROM threads) WHERE id = NEW.id;
    INSERT INTO thread_titles (rowid, title) SELECT number, title FROM threads WHERE id = NEW.id;
END;
CREATE TRIGGER threads_rename AFTER UPDATE OF title ON threads WHEN NEW.title IS NOT OLD.title BEGIN
    DELETE FROM thread_titles WHERE rowid = OLD.number;
    INSERT INTO thread_titles (rowid, title) VALUES (OLD.number, NEW.title);
END;
CREATE TRIGGER threads_forget AFTER DELETE ON threads BEGIN
    DELETE FROM thread_titles WHERE rowid = OLD.number;
END;

-- Runs that wait, and those that are worked on, are looked for by their own status.
DROP INDEX runs_waiting;
CREATE INDEX runs_waiting ON runs (accepted_at, id) WHERE status = 'queued';
CREATE INDEX runs_working ON runs (lease_until) WHERE status = 'running';

-- The questions of a key are passed over without their messages; the oldest of all
-- are found at once.
ALTER TABLE answered ADD COLUMN thread_id TEXT NOT NULL DEFAULT '';
UPDATE answered SET thread_id = coalesce((SELECT thread_id FROM messages m WHERE m.id = answered.message_id), '');
DROP INDEX answered_by_key;
CREATE INDEX answered_by_key ON answered (key, answered_at DESC, thread_id);
