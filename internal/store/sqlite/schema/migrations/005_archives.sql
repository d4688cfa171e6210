-- What came out of an archive is found by the archive's id.
CREATE INDEX documents_by_archive ON documents (json_extract(data, '$.part_of')) WHERE json_extract(data, '$.part_of') IS NOT NULL;
