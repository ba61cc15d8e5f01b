-- note_types.csv: the kinds of notes that GetStudentsNoteType lists.
SET NOCOUNT ON;
SELECT id, name
FROM (
  SELECT 0 AS part, N'id' AS id, N'name' AS name
  UNION ALL
  SELECT 1, CONVERT(nvarchar(256), t.Id), N'"' + REPLACE(COALESCE(t.Name, N''), N'"', N'""') + N'"'
  FROM dbo.NoteType AS t
) AS csv
ORDER BY part;
