-- The first numbered collectives of the groups in which ranks called something else, or are missing.
SELECT ranks, process_group, sequence, MIN(event) AS event, COUNT(*) AS different_calls,
       MIN(name) AS name, MAX(name) AS other_name, SUM(arrived) AS arrived, MAX(expected) AS expected
FROM collectives
WHERE sequence > 0
GROUP BY ranks, process_group, sequence
HAVING COUNT(*) > 1 OR SUM(arrived) < MAX(expected)
ORDER BY event
LIMIT 5
