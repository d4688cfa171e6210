-- A run does work of a kind: 'answer' answers a question (internal/run/kind.go).
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'answer';
