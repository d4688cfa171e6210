-- The hash of a file's bytes (ibid.VersionOf), so that what is cited from it says
-- which version it was. Files that are older than this have none here: theirs is
-- worked out when they are looked up.
ALTER TABLE files ADD COLUMN version TEXT NOT NULL DEFAULT '';
