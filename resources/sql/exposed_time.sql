-- How long ranks were blocked by collectives, in each step: per rank, in milliseconds. Only calls
-- whose exposed time was recorded count.
SELECT a.step, c.axis, c.name, COUNT(DISTINCT a.rank) AS ranks, COUNT(DISTINCT a.event) AS calls,
       ROUND(SUM(a.exposed) * 1e-6 / COUNT(DISTINCT a.rank), 3) AS exposed_ms
FROM arrivals a
JOIN collectives c ON c.event = a.event
WHERE a.exposed IS NOT NULL
GROUP BY a.step, c.axis, c.name
ORDER BY a.step, exposed_ms DESC, c.axis, c.name
