-- The problems of the run: errors first.
SELECT severity, rule, times, event, file, line, sentence
FROM problems
ORDER BY id
