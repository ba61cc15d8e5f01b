-- schools.csv: the schools, by the base URL that callers send (parameter BaseUrl of the operations).
-- As in all files here: the first row of the result is the header, and each value is a text.
-- Replace dbo.School and its columns by those of your database; keep the names after AS.
SET NOCOUNT ON;
SELECT base_url, name
FROM (
  SELECT 0 AS part, N'base_url' AS base_url, N'name' AS name
  UNION ALL
  SELECT 1, s.BaseUrl, N'"' + REPLACE(COALESCE(s.Name, N''), N'"', N'""') + N'"'
  FROM dbo.School AS s
) AS csv
ORDER BY part;
