-- The traffic of each mesh axis by kind of collective: sent by all recorded ranks.
SELECT axis, name, COUNT(*) AS calls, SUM(bytes) AS bytes
FROM collectives
GROUP BY axis, name
ORDER BY bytes DESC, axis, name
