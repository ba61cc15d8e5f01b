-- classes.csv: the classes of each school. The id is the one that callers send, often a code such as 1A.
SET NOCOUNT ON;
SELECT school_base_url, id_class, name
FROM (
  SELECT 0 AS part, N'school_base_url' AS school_base_url, N'id_class' AS id_class, N'name' AS name
  UNION ALL
  SELECT 1, s.BaseUrl, CONVERT(nvarchar(256), c.Id), N'"' + REPLACE(COALESCE(c.Name, N''), N'"', N'""') + N'"'
  FROM dbo.Class AS c
  JOIN dbo.School AS s ON s.Id = c.SchoolId
) AS csv
ORDER BY part;
