-- The ranks that arrive later than the first rank of their collectives, by line of the program.
-- Delays within the error of the clocks, and clocks that cannot be compared, do not count.
SELECT c.file, c.line, c.name, c.axis, a.rank, COUNT(*) AS calls,
       ROUND(SUM(a.time - f.first) * 1e-6 / COUNT(*), 3) AS mean_ms,
       ROUND(MAX(a.time - f.first) * 1e-6, 3) AS longest_ms
FROM arrivals a
JOIN (SELECT event, MIN(time) AS first, COUNT(*) - COUNT(clock_error) AS unknown,
             CASE WHEN MIN(clock) = MAX(clock) THEN 0 ELSE 2 * MAX(clock_error) END AS error
      FROM arrivals
      GROUP BY event) f ON f.event = a.event
JOIN collectives c ON c.event = a.event
WHERE f.unknown = 0 AND a.time - f.first > f.error
GROUP BY c.file, c.line, c.name, c.axis, a.rank
ORDER BY SUM(a.time - f.first) DESC, c.file, c.line, a.rank
LIMIT 20
