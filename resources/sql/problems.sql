-- The problems of the run with their cost and cause: errors first.
SELECT severity, rule, times, bytes, event, file, line, sentence, cause
FROM problems
ORDER BY id
