-- exams.csv: the exams that GetExamTableByExamId returns.
SET NOCOUNT ON;
SELECT exam_id, name
FROM (
  SELECT 0 AS part, N'exam_id' AS exam_id, N'name' AS name
  UNION ALL
  SELECT 1, CONVERT(nvarchar(256), e.Id), N'"' + REPLACE(COALESCE(e.Name, N''), N'"', N'""') + N'"'
  FROM dbo.Exam AS e
) AS csv
ORDER BY part;
