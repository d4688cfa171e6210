-- A message keeps its footnotes (citations) apart from all that was found for it.
-- Both can be opened, so the versions of both stay as long as the message does.
DROP TRIGGER messages_cite;
CREATE TRIGGER messages_cite AFTER UPDATE OF data ON messages BEGIN
    DELETE FROM cited WHERE message_id = NEW.id;
    INSERT OR IGNORE INTO cited
        SELECT json_extract(c.value, '$.document_id'), json_extract(c.value, '$.version'), NEW.id
        FROM json_each(NEW.data, '$.citations') c
        UNION
        SELECT json_extract(c.value, '$.document_id'), json_extract(c.value, '$.version'), NEW.id
        FROM json_each(NEW.data, '$.found') c;
END;
