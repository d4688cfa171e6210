-- The documents of a folder, a category or a tag are listed by date as fast as by
-- name, and what the state of the server counts is kept.

ALTER TABLE document_labels ADD COLUMN added_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document_labels ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
UPDATE document_labels SET (added_at, changed_at) = (SELECT k.added_at, k.changed_at FROM document_keys k WHERE k.number = document_labels.number);
CREATE INDEX document_labels_by_added ON document_labels (label, added_at, number);
CREATE INDEX document_labels_by_changed ON document_labels (label, changed_at, number);

DROP TRIGGER document_keys_add;
CREATE TRIGGER document_keys_add AFTER INSERT ON document_keys BEGIN
    UPDATE library SET version = version + 1, documents = documents + 1, chunks = chunks + NEW.chunks;
    INSERT INTO labels (kind, value, documents) VALUES ('status', NEW.status, 1)
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO labels (kind, value, documents) SELECT value ->> 0, value ->> 1, 1 FROM json_each(ibid_labels(NEW.described)) WHERE true
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO document_labels (label, name, number, added_at, changed_at) SELECT l.id, NEW.name, NEW.number, NEW.added_at, NEW.changed_at
        FROM json_each(ibid_labels(NEW.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
    INSERT OR IGNORE INTO document_names SELECT value ->> 0, value ->> 1, value ->> 2, NEW.number FROM json_each(ibid_names(NEW.described));
    INSERT INTO document_parts (rowid, folded) VALUES (NEW.number, NEW.folded);
END;

DROP TRIGGER document_keys_relabel;
CREATE TRIGGER document_keys_relabel AFTER UPDATE OF described ON document_keys
WHEN NEW.name <> OLD.name OR NEW.changed_at <> OLD.changed_at OR ibid_labels(NEW.described) <> ibid_labels(OLD.described) BEGIN
    DELETE FROM document_labels WHERE (label, name, number) IN (SELECT l.id, OLD.name, OLD.number
        FROM json_each(ibid_labels(OLD.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1);
    INSERT INTO labels (kind, value, documents) SELECT value ->> 0, value ->> 1, 1 FROM json_each(ibid_labels(NEW.described)) WHERE true
        ON CONFLICT (kind, value) DO UPDATE SET documents = documents + 1;
    INSERT INTO document_labels (label, name, number, added_at, changed_at) SELECT l.id, NEW.name, NEW.number, NEW.added_at, NEW.changed_at
        FROM json_each(ibid_labels(NEW.described)) j CROSS JOIN labels l ON l.kind = j.value ->> 0 AND l.value = j.value ->> 1;
    UPDATE labels SET documents = documents - 1 WHERE (kind, value) IN (SELECT value ->> 0, value ->> 1 FROM json_each(ibid_labels(OLD.described)));
END;

-- How many passages were last looked at for names by whom (chunks.named_by).
CREATE TABLE named (
    by       INTEGER PRIMARY KEY,
    passages INTEGER NOT NULL
) STRICT;
INSERT INTO named SELECT named_by, count(*) FROM chunks WHERE level = 2 GROUP BY named_by;
CREATE TRIGGER chunks_name AFTER INSERT ON chunks WHEN NEW.level = 2 BEGIN
    INSERT INTO named VALUES (NEW.named_by, 1) ON CONFLICT (by) DO UPDATE SET passages = passages + 1;
END;
CREATE TRIGGER chunks_name_again AFTER UPDATE OF named_by ON chunks WHEN NEW.level = 2 AND NEW.named_by <> OLD.named_by BEGIN
    UPDATE named SET passages = passages - 1 WHERE by = OLD.named_by;
    INSERT INTO named VALUES (NEW.named_by, 1) ON CONFLICT (by) DO UPDATE SET passages = passages + 1;
END;
CREATE TRIGGER chunks_unname AFTER DELETE ON chunks WHEN OLD.level = 2 BEGIN
    UPDATE named SET passages = passages - 1 WHERE by = OLD.named_by;
END;

ALTER TABLE library ADD COLUMN entities INTEGER NOT NULL DEFAULT 0;
UPDATE library SET entities = (SELECT count(*) FROM entities);
CREATE TRIGGER entities_count AFTER INSERT ON entities BEGIN
    UPDATE library SET entities = entities + 1;
END;
CREATE TRIGGER entities_discount AFTER DELETE ON entities BEGIN
    UPDATE library SET entities = entities - 1;
END;
