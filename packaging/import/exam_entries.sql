-- exam_entries.csv: the subjects of each exam, one per row, with date and time.
-- Format 23 is 2026-12-03; format 108 begins with 09:00.
SET NOCOUNT ON;
SELECT exam_id, subject_name, exam_date, start_time, duration_minutes
FROM (
  SELECT 0 AS part, N'exam_id' AS exam_id, N'subject_name' AS subject_name, N'exam_date' AS exam_date,
    N'start_time' AS start_time, N'duration_minutes' AS duration_minutes
  UNION ALL
  SELECT 1, CONVERT(nvarchar(256), e.ExamId), N'"' + REPLACE(e.SubjectName, N'"', N'""') + N'"',
    CONVERT(nvarchar(10), e.StartsAt, 23), CONVERT(nvarchar(5), e.StartsAt, 108),
    CONVERT(nvarchar(10), e.DurationMinutes)
  FROM dbo.ExamEntry AS e
) AS csv
ORDER BY part;
