-- students.csv: the students. ShowActive is one character, by which GetStudentSchool filters.
-- If your table has that character, write st.ShowActive in place of the CASE.
SET NOCOUNT ON;
SELECT school_base_url, id_student, fullName, ShowActive, id_class
FROM (
  SELECT 0 AS part, N'school_base_url' AS school_base_url, N'id_student' AS id_student, N'fullName' AS fullName,
    N'ShowActive' AS ShowActive, N'id_class' AS id_class
  UNION ALL
  SELECT 1, s.BaseUrl, CONVERT(nvarchar(256), st.Id),
    N'"' + REPLACE(COALESCE(st.FullName, N''), N'"', N'""') + N'"',
    CASE WHEN st.IsActive = 1 THEN N'Y' ELSE N'N' END,
    COALESCE(CONVERT(nvarchar(256), st.ClassId), N'')
  FROM dbo.Student AS st
  JOIN dbo.School AS s ON s.Id = st.SchoolId
) AS csv
ORDER BY part;
