-- devices.csv: the phones of students, with their FCM tokens. A student's device is the one seen last.
-- last_seen is UTC. For local times write: CONVERT(nvarchar(19),
--   d.LastSeen AT TIME ZONE 'Turkey Standard Time' AT TIME ZONE 'UTC', 126) + N'Z'
SET NOCOUNT ON;
SELECT id, school_base_url, id_student, token, platform, last_seen
FROM (
  SELECT 0 AS part, N'id' AS id, N'school_base_url' AS school_base_url, N'id_student' AS id_student,
    N'token' AS token, N'platform' AS platform, N'last_seen' AS last_seen
  UNION ALL
  SELECT 1, CONVERT(nvarchar(256), d.Id), s.BaseUrl, CONVERT(nvarchar(256), d.StudentId),
    COALESCE(d.Token, N''), COALESCE(d.Platform, N''),
    COALESCE(CONVERT(nvarchar(19), d.LastSeen, 126) + N'Z', N'')
  FROM dbo.Device AS d
  JOIN dbo.Student AS st ON st.Id = d.StudentId
  JOIN dbo.School AS s ON s.Id = st.SchoolId
) AS csv
ORDER BY part;
