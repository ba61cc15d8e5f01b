-- notes.csv: the notes that SendMarkNotes sends to a class.
-- sqlcmd cuts nvarchar(max) after 256 characters, so text is converted. One longer than about 3,900 characters
-- loses its closing quote, which the import reports. bcp has no such limit: make a view of
-- the inner SELECT, with nvarchar(max), and run
--   bcp "SELECT school_base_url, id, note_type, title, text FROM School.dbo.notes_csv ORDER BY part" queryout notes.csv
--     -c -C 65001 -t "," -r "\n" -S SQL1 -T
-- bcp writes an empty text as a NUL character, so write NULLIF(..., N'') in place of COALESCE(..., N'').
SET NOCOUNT ON;
SELECT school_base_url, id, note_type, title, text
FROM (
  SELECT 0 AS part, N'school_base_url' AS school_base_url, N'id' AS id, N'note_type' AS note_type,
    N'title' AS title, N'text' AS text
  UNION ALL
  SELECT 1, s.BaseUrl, CONVERT(nvarchar(256), n.Id), COALESCE(CONVERT(nvarchar(256), n.TypeId), N''),
    N'"' + REPLACE(COALESCE(n.Title, N''), N'"', N'""') + N'"',
    CONVERT(nvarchar(4000), N'"' + REPLACE(COALESCE(n.Text, N''), N'"', N'""') + N'"')
  FROM dbo.Note AS n
  JOIN dbo.School AS s ON s.Id = n.SchoolId
) AS csv
ORDER BY part;
