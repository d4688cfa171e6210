-- Whose things are: a principal's id, '' for nobody's, which the program alone sees.
-- Until there are accounts there is one principal, 'owner' (ibid.Owner).

ALTER TABLE threads ADD COLUMN principal TEXT NOT NULL DEFAULT '';
UPDATE threads SET principal = 'owner';
DROP INDEX threads_by_time;
CREATE INDEX threads_by_time ON threads (principal, updated_at DESC, id) WHERE removed_at IS NULL;
CREATE INDEX threads_removed ON threads (principal, removed_at, id) WHERE removed_at IS NOT NULL;

-- Who asked. The thread says who may read it.
ALTER TABLE runs ADD COLUMN principal TEXT NOT NULL DEFAULT '';
UPDATE runs SET principal = 'owner';

ALTER TABLE answered ADD COLUMN principal TEXT NOT NULL DEFAULT '';
UPDATE answered SET principal = 'owner';
DROP INDEX answered_by_key;
CREATE INDEX answered_by_key ON answered (key, principal, answered_at DESC, thread_id);

ALTER TABLE databases ADD COLUMN principal TEXT NOT NULL DEFAULT '';
UPDATE databases SET principal = 'owner';

-- Two principals may add the same path or URL: each has a document of it.
ALTER TABLE documents ADD COLUMN principal TEXT NOT NULL DEFAULT '';
UPDATE documents SET principal = 'owner';
DROP INDEX documents_by_source;
CREATE UNIQUE INDEX documents_by_source ON documents (principal, source) WHERE removed_at IS NULL;
DROP INDEX documents_by_place;
CREATE INDEX documents_by_place ON documents (principal, coalesce(json_extract(data, '$.folder'), ''), json_extract(data, '$.name'))
    WHERE removed_at IS NULL;
CREATE INDEX documents_removed ON documents (principal, removed_at, id) WHERE removed_at IS NOT NULL;

-- Lists, labels and counts are kept for each principal.
ALTER TABLE document_keys ADD COLUMN principal TEXT NOT NULL DEFAULT '';
UPDATE document_keys SET principal = 'owner';
DROP INDEX document_keys_by_name;
DROP INDEX document_keys_by_added;
DROP INDEX document_keys_by_changed;
DROP INDEX document_keys_by_status;
CREATE INDEX document_keys_by_name ON document_keys (principal, name, number);
CREATE INDEX document_keys_by_added ON document_keys (principal, added_at, number);
CREATE INDEX document_keys_by_changed ON document_keys (principal, changed_at, number);
CREATE INDEX document_keys_by_status ON document_keys (status, principal, name, number);

DROP TRIGGER documents_list;
DROP TRIGGER documents_list_again;
DROP TRIGGER documents_version;
DROP TRIGGER document_keys_add;
DROP TRIGGER document_keys_remove;
DROP TRIGGER document_keys_status;
DROP TRIGGER document_keys_describe;
DROP TRIGGER document_keys_relabel;
DROP TRIGGER labels_forget;
DROP TRIGGER entities_count;
DROP TRIGGER entities_discount;

ALTER TABLE labels RENAME TO labels_before;
CREATE TABLE labels (
    id        INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    kind      TEXT NOT NULL,
    value     TEXT NOT NULL,
    documents INTEGER NOT NULL,
    UNIQUE (principal, kind, value)
) STRICT;
INSERT INTO labels SELECT id, 'owner', kind, value, documents FROM labels_before;
DROP TABLE labels_before;

-- A row for each principal that has or had documents, and one for all of them
-- together, ''. entities are counted there alone: what passages name is the same
-- entity, whosever they are.
ALTER TABLE library RENAME TO library_before;
CREATE TABLE library (
    principal TEXT PRIMARY KEY,
    version   INTEGER NOT NULL DEFAULT 0,
    documents INTEGER NOT NULL DEFAULT 0,
    chunks    INTEGER NOT NULL DEFAULT 0,
    entities  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO library SELECT '', version, documents, chunks, entities FROM library_before;
INSERT INTO library SELECT 'owner', version, documents, chunks, 0 FROM library_before;
DROP TABLE library_before;

CREATE TRIGGER documents_list AFTER INSERT ON documents WHEN NEW.removed_at IS NULL BEGIN
    INSERT INTO document_keys (id, principal, status, added_at, described, folded)
        VALUES (NEW.id, NEW.principal, NEW.status, NEW.added_at, ibid_described(NEW.data), ibid_folded(NEW.data));
END;
CREATE TRIGGER documents_list_again AFTER UPDATE OF removed_at ON documents WHEN NEW.removed_at IS NULL AND OLD.removed_at IS NOT NULL BEGIN
    INSERT INTO document_keys (id, principal, status, added_at, described, folded)
        VALUES (NEW.id, NEW.principal, NEW.status, NEW.added_at, ibid_described(NEW.data), ibid_folded(NEW.data));
END;
CREATE TRIGGER documents_version AFTER UPDATE OF change ON documents WHEN NEW.change <> OLD.change BEGIN
    UPDATE library SET version = version + 1 WHERE principal IN ('', NEW.principal);
END;

CREATE TRIGGER document_keys_add AFTER INSERT ON document_keys BEGIN
    INSERT INTO library (principal) VALUES (NEW.principal) ON CONFLICT DO NOTHING;
    UPDATE library SET version = version + 1, documents = documents + 1, chunks = chunks + NEW.chunks WHERE principal IN ('', NEW.principal);
    INSERT INTO labels (principal, kind, value, documents) VALUES (NEW.principal, 'status', NEW.status, 1)
        ON CONFLICT (principal, kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO labels (principal, kind, value, documents)
        SELECT NEW.principal, value ->> 0, value ->> 1, 1 FROM json_each(ibid_labels(NEW.described)) WHERE true
        ON CONFLICT (principal, kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO document_labels (label, name, number, added_at, changed_at) SELECT l.id, NEW.name, NEW.number, NEW.added_at, NEW.changed_at
        FROM json_each(ibid_labels(NEW.described)) j
        CROSS JOIN labels l ON l.principal = NEW.principal AND l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
    INSERT OR IGNORE INTO document_names SELECT value ->> 0, value ->> 1, value ->> 2, NEW.number FROM json_each(ibid_names(NEW.described));
    INSERT INTO document_parts (rowid, folded) VALUES (NEW.number, NEW.folded);
END;
CREATE TRIGGER document_keys_remove AFTER DELETE ON document_keys BEGIN
    UPDATE library SET version = version + 1, documents = documents - 1, chunks = chunks - OLD.chunks WHERE principal IN ('', OLD.principal);
    UPDATE labels SET documents = documents - 1 WHERE principal = OLD.principal AND kind = 'status' AND value = OLD.status;
    DELETE FROM document_labels WHERE (label, name, number) IN (SELECT l.id, OLD.name, OLD.number
        FROM json_each(ibid_labels(OLD.described)) j
        CROSS JOIN labels l ON l.principal = OLD.principal AND l.kind = j.value ->> 0 AND l.value = j.value ->> 1);
    UPDATE labels SET documents = documents - 1
        WHERE (principal, kind, value) IN (SELECT OLD.principal, value ->> 0, value ->> 1 FROM json_each(ibid_labels(OLD.described)));
    DELETE FROM document_names WHERE (folded, written, number) IN (SELECT value ->> 0, value ->> 1, OLD.number FROM json_each(ibid_names(OLD.described)));
    INSERT INTO document_parts (document_parts, rowid, folded) VALUES ('delete', OLD.number, OLD.folded);
END;
CREATE TRIGGER document_keys_status AFTER UPDATE OF status ON document_keys WHEN NEW.status <> OLD.status BEGIN
    UPDATE labels SET documents = documents - 1 WHERE principal = OLD.principal AND kind = 'status' AND value = OLD.status;
    INSERT INTO labels (principal, kind, value, documents) VALUES (NEW.principal, 'status', NEW.status, 1)
        ON CONFLICT (principal, kind, value) DO UPDATE SET documents = documents + 1;
END;
CREATE TRIGGER document_keys_describe AFTER UPDATE OF described ON document_keys WHEN NEW.described <> OLD.described BEGIN
    UPDATE library SET version = version + 1, chunks = chunks + NEW.chunks - OLD.chunks WHERE principal IN ('', NEW.principal);
END;
CREATE TRIGGER document_keys_relabel AFTER UPDATE OF described ON document_keys
WHEN NEW.name <> OLD.name OR NEW.changed_at <> OLD.changed_at OR ibid_labels(NEW.described) <> ibid_labels(OLD.described) BEGIN
    DELETE FROM document_labels WHERE (label, name, number) IN (SELECT l.id, OLD.name, OLD.number
        FROM json_each(ibid_labels(OLD.described)) j
        CROSS JOIN labels l ON l.principal = OLD.principal AND l.kind = j.value ->> 0 AND l.value = j.value ->> 1);
    INSERT INTO labels (principal, kind, value, documents)
        SELECT NEW.principal, value ->> 0, value ->> 1, 1 FROM json_each(ibid_labels(NEW.described)) WHERE true
        ON CONFLICT (principal, kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO document_labels (label, name, number, added_at, changed_at) SELECT l.id, NEW.name, NEW.number, NEW.added_at, NEW.changed_at
        FROM json_each(ibid_labels(NEW.described)) j
        CROSS JOIN labels l ON l.principal = NEW.principal AND l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
    UPDATE labels SET documents = documents - 1
        WHERE (principal, kind, value) IN (SELECT OLD.principal, value ->> 0, value ->> 1 FROM json_each(ibid_labels(OLD.described)));
END;
-- A label goes with the last document that has it.
CREATE TRIGGER labels_forget AFTER UPDATE OF documents ON labels WHEN NEW.documents = 0 BEGIN
    DELETE FROM labels WHERE id = NEW.id;
END;

CREATE TRIGGER entities_count AFTER INSERT ON entities BEGIN
    UPDATE library SET entities = entities + 1 WHERE principal = '';
END;
CREATE TRIGGER entities_discount AFTER DELETE ON entities BEGIN
    UPDATE library SET entities = entities - 1 WHERE principal = '';
END;
