-- Lists of documents are asked by filter, order and page, and counts are kept, so
-- that neither costs more in a larger library. Triggers keep all of this in step
-- with documents; functions.go has the functions that they call.

-- What documents are listed and found by: a row for each that is in the library,
-- none for those that were removed.
CREATE TABLE document_keys (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    status     TEXT NOT NULL,
    added_at   INTEGER NOT NULL,
    described  TEXT NOT NULL, -- what of documents.data lists go by, as JSON (ibid_described)
    folded     TEXT NOT NULL, -- names and labels for the search for parts of them (ibid_folded)
    name       TEXT NOT NULL AS (described ->> '$.name') STORED,
    folder     TEXT NOT NULL AS (described ->> '$.folder') STORED,
    changed_at INTEGER NOT NULL AS (described ->> '$.changed_at') STORED,
    chunks     INTEGER NOT NULL AS (described ->> '$.chunks') STORED
) STRICT;
CREATE INDEX document_keys_by_name ON document_keys (name, number);
CREATE INDEX document_keys_by_added ON document_keys (added_at, number);
CREATE INDEX document_keys_by_changed ON document_keys (changed_at, number);
CREATE INDEX document_keys_by_status ON document_keys (status, name, number);

-- What documents can be narrowed by, with how many documents have it. kind is
-- 'folder' (that one or one above), 'in_folder' (directly), 'category', 'tag',
-- 'field' (value is a JSON array of the name and the value), 'part_of' or 'status'.
CREATE TABLE labels (
    id        INTEGER PRIMARY KEY,
    kind      TEXT NOT NULL,
    value     TEXT NOT NULL,
    documents INTEGER NOT NULL,
    UNIQUE (kind, value)
) STRICT;

-- Which documents have a label, by name. A status has no rows here.
CREATE TABLE document_labels (
    label  INTEGER NOT NULL,
    name   TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (label, name, number)
) STRICT, WITHOUT ROWID;

-- What documents are called: name, path and title (text.FoldName, text.NameKey).
CREATE TABLE document_names (
    folded  TEXT NOT NULL,
    written TEXT NOT NULL,
    key     TEXT NOT NULL,
    number  INTEGER NOT NULL,
    PRIMARY KEY (folded, written, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_names_by_key ON document_names (key, number);

-- Parts of three characters of what documents are called.
CREATE VIRTUAL TABLE document_parts USING fts5 (folded, content = 'document_keys', content_rowid = 'number', tokenize = 'trigram case_sensitive 1');
CREATE VIRTUAL TABLE document_parts_terms USING fts5vocab ('document_parts', 'row');

-- Totals of the library. version grows with every change that an answer could
-- depend on.
CREATE TABLE library (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    version   INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    chunks    INTEGER NOT NULL
) STRICT;

INSERT INTO document_keys (id, status, added_at, described, folded)
    SELECT id, status, added_at, ibid_described(data), ibid_folded(data) FROM documents WHERE removed_at IS NULL ORDER BY added_at, id;
INSERT INTO library SELECT 1, 1, count(*), coalesce(sum(chunks), 0) FROM document_keys;
INSERT INTO labels (kind, value, documents)
    SELECT l.value ->> 0, l.value ->> 1, count(*) FROM document_keys k, json_each(ibid_labels(k.described)) l GROUP BY 1, 2;
INSERT INTO document_labels
    SELECT l.id, k.name, k.number FROM document_keys k, json_each(ibid_labels(k.described)) j
    JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
INSERT INTO labels (kind, value, documents) SELECT 'status', status, count(*) FROM document_keys GROUP BY status;
INSERT OR IGNORE INTO document_names
    SELECT n.value ->> 0, n.value ->> 1, n.value ->> 2, k.number FROM document_keys k, json_each(ibid_names(k.described)) n;
INSERT INTO document_parts (document_parts) VALUES ('rebuild');


DROP INDEX documents_waiting; -- what waits is found by its status alone

CREATE TRIGGER documents_list AFTER INSERT ON documents WHEN NEW.removed_at IS NULL BEGIN
    INSERT INTO document_keys (id, status, added_at, described, folded)
        VALUES (NEW.id, NEW.status, NEW.added_at, ibid_described(NEW.data), ibid_folded(NEW.data));
END;
CREATE TRIGGER documents_list_again AFTER UPDATE OF removed_at ON documents WHEN NEW.removed_at IS NULL AND OLD.removed_at IS NOT NULL BEGIN
    INSERT INTO document_keys (id, status, added_at, described, folded)
        VALUES (NEW.id, NEW.status, NEW.added_at, ibid_described(NEW.data), ibid_folded(NEW.data));
END;
CREATE TRIGGER documents_unlist AFTER UPDATE OF removed_at ON documents WHEN NEW.removed_at IS NOT NULL AND OLD.removed_at IS NULL BEGIN
    DELETE FROM document_keys WHERE id = OLD.id;
END;
CREATE TRIGGER documents_forget AFTER DELETE ON documents WHEN OLD.removed_at IS NULL BEGIN
    DELETE FROM document_keys WHERE id = OLD.id;
END;
CREATE TRIGGER documents_describe AFTER UPDATE OF data ON documents WHEN NEW.removed_at IS NULL AND OLD.removed_at IS NULL BEGIN
    UPDATE document_keys SET described = ibid_described(NEW.data), folded = ibid_folded(NEW.data)
        WHERE id = NEW.id AND described <> ibid_described(NEW.data);
END;
CREATE TRIGGER documents_status AFTER UPDATE OF status ON documents WHEN NEW.removed_at IS NULL AND OLD.removed_at IS NULL AND NEW.status <> OLD.status BEGIN
    UPDATE document_keys SET status = NEW.status WHERE id = NEW.id;
END;
CREATE TRIGGER documents_version AFTER UPDATE OF change ON documents WHEN NEW.change <> OLD.change BEGIN
    UPDATE library SET version = version + 1;
END;

CREATE TRIGGER document_keys_add AFTER INSERT ON document_keys BEGIN
    UPDATE library SET version = version + 1, documents = documents + 1, chunks = chunks + NEW.chunks;
    INSERT INTO labels (kind, value, documents) VALUES ('status', NEW.status, 1)
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO labels (kind, value, documents) SELECT value ->> 0, value ->> 1, 1 FROM json_each(ibid_labels(NEW.described)) WHERE true
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO document_labels SELECT l.id, NEW.name, NEW.number
        FROM json_each(ibid_labels(NEW.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
    INSERT OR IGNORE INTO document_names SELECT value ->> 0, value ->> 1, value ->> 2, NEW.number FROM json_each(ibid_names(NEW.described));
    INSERT INTO document_parts (rowid, folded) VALUES (NEW.number, NEW.folded);
END;
CREATE TRIGGER document_keys_remove AFTER DELETE ON document_keys BEGIN
    UPDATE library SET version = version + 1, documents = documents - 1, chunks = chunks - OLD.chunks;
    UPDATE labels SET documents = documents - 1 WHERE kind = 'status' AND value = OLD.status;
    DELETE FROM document_labels WHERE (label, name, number) IN (SELECT l.id, OLD.name, OLD.number
        FROM json_each(ibid_labels(OLD.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1);
    UPDATE labels SET documents = documents - 1 WHERE (kind, value) IN (SELECT value ->> 0, value ->> 1 FROM json_each(ibid_labels(OLD.described)));
    DELETE FROM document_names WHERE (folded, written, number) IN (SELECT value ->> 0, value ->> 1, OLD.number FROM json_each(ibid_names(OLD.described)));
    INSERT INTO document_parts (document_parts, rowid, folded) VALUES ('delete', OLD.number, OLD.folded);
END;
CREATE TRIGGER document_keys_status AFTER UPDATE OF status ON document_keys WHEN NEW.status <> OLD.status BEGIN
    UPDATE labels SET documents = documents - 1 WHERE kind = 'status' AND value = OLD.status;
    INSERT INTO labels (kind, value, documents) VALUES ('status', NEW.status, 1)
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
END;
CREATE TRIGGER document_keys_describe AFTER UPDATE OF described ON document_keys WHEN NEW.described <> OLD.described BEGIN
    UPDATE library SET version = version + 1, chunks = chunks + NEW.chunks - OLD.chunks;
END;
CREATE TRIGGER document_keys_relabel AFTER UPDATE OF described ON document_keys
WHEN NEW.name <> OLD.name OR ibid_labels(NEW.described) <> ibid_labels(OLD.described) BEGIN
    DELETE FROM document_labels WHERE (label, name, number) IN (SELECT l.id, OLD.name, OLD.number
        FROM json_each(ibid_labels(OLD.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1);
    INSERT INTO labels (kind, value, documents) SELECT value ->> 0, value ->> 1, 1 FROM json_each(ibid_labels(NEW.described)) WHERE true
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO document_labels SELECT l.id, NEW.name, NEW.number
        FROM json_each(ibid_labels(NEW.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
    UPDATE labels SET documents = documents - 1 WHERE (kind, value) IN (SELECT value ->> 0, value ->> 1 FROM json_each(ibid_labels(OLD.described)));
END;
CREATE TRIGGER document_keys_rename AFTER UPDATE OF folded ON document_keys WHEN NEW.folded <> OLD.folded OR NEW.described <> OLD.described AND ibid_names(NEW.described) <> ibid_names(OLD.described) BEGIN
    DELETE FROM document_names WHERE (folded, written, number) IN (SELECT value ->> 0, value ->> 1, OLD.number FROM json_each(ibid_names(OLD.described)));
    INSERT OR IGNORE INTO document_names SELECT value ->> 0, value ->> 1, value ->> 2, NEW.number FROM json_each(ibid_names(NEW.described));
    INSERT INTO document_parts (document_parts, rowid, folded) VALUES ('delete', OLD.number, OLD.folded);
    INSERT INTO document_parts (rowid, folded) VALUES (NEW.number, NEW.folded);
END;
-- A label goes with the last document that has it.
CREATE TRIGGER labels_forget AFTER UPDATE OF documents ON labels WHEN NEW.documents = 0 BEGIN
    DELETE FROM labels WHERE id = NEW.id;
END;
