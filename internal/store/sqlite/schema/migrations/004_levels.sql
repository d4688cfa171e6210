-- Chunks on three levels without keeping the text three times. A passage (level
-- 2) has its text. A section (level 1) has in text only what stands between its
-- passages, one after the other: the rest is theirs. Sentences (level 3) are
-- spans within their passage, as pairs of varints in its column sentences: bytes
-- that are passed over, bytes of the sentence. NULL: not divided yet.
ALTER TABLE chunks ADD COLUMN sentences BLOB;
CREATE INDEX chunks_by_parent ON chunks (parent_id) WHERE level = 2;
