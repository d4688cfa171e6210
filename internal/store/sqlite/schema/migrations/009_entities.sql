-- The graph of entities: which passages name what. Entities that a passage names
-- together are neighbours. A passage goes by a number here, as its id would
-- take more room than all else; it has none before somebody has looked at it.
ALTER TABLE chunks ADD COLUMN number INTEGER;
ALTER TABLE chunks ADD COLUMN named_by INTEGER NOT NULL DEFAULT 0; -- ibid.NamedBy
CREATE UNIQUE INDEX chunks_by_number ON chunks (number);
CREATE INDEX chunks_by_namer ON chunks (named_by) WHERE level = 2;

CREATE TABLE entities (
    id   INTEGER PRIMARY KEY,
    key  TEXT NOT NULL UNIQUE, -- how names are compared
    name TEXT NOT NULL         -- as the first passage writes it
) STRICT;

CREATE TABLE mentions (
    passage INTEGER NOT NULL REFERENCES chunks (number) ON DELETE CASCADE,
    entity  INTEGER NOT NULL REFERENCES entities (id),
    count   INTEGER NOT NULL, -- how often the passage names it
    PRIMARY KEY (passage, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity);

-- A name goes with the last passage that has it.
CREATE TRIGGER mentions_forget AFTER DELETE ON mentions BEGIN
    DELETE FROM entities WHERE id = OLD.entity AND NOT EXISTS (SELECT 1 FROM mentions WHERE entity = OLD.entity);
END;
