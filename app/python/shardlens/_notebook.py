"""The HTML of a recording for notebooks."""
import html
import os

_STEPS = 10  # rows of the table of steps, at most

_COLLECTIVES = "CASE kind WHEN 'Collective' THEN {} ELSE 0 END"
_BY_STEP = f"""
    SELECT step, sum(kind = 'Operator') AS operators, sum(kind = 'Redistribute') AS redistributions,
           sum({_COLLECTIVES.format(1)}) AS collectives, sum({_COLLECTIVES.format("bytes")}) AS bytes
    FROM events WHERE step > 0 GROUP BY step ORDER BY step LIMIT {_STEPS}"""


def shown(recording):
    """Returns HTML: a summary of the recording, its problems, and a table of its first steps."""
    meta = recording.meta
    steps = len(recording.steps)
    summary = [_count(len(recording), "event"), _count(steps, "step")]
    summary += [f"{key} {html.escape(meta[key])}" for key in ("mesh", "backend") if key in meta]
    more = f"<p>and {_count(steps - _STEPS, 'step')} more</p>" if steps > _STEPS else ""
    return (f"<div><b>Recording</b> {html.escape(str(recording.path))}: {', '.join(summary)}"
            f"{_problems(recording.problems)}{_steps(recording.sql(_BY_STEP))}{more}</div>")


def _count(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _problems(problems):
    if not problems:
        return "<p>no problems</p>"
    rows = [(problem.severity, problem.sentence, problem.advice, _place(problem), problem.times)
            for problem in problems]
    return _table(("", "problem", "what to do", "where", "times"), rows)


def _place(problem):
    return f"{os.path.basename(problem.file)}:{problem.line}" if problem.line else ""


def _steps(steps):
    return _table(("step", "operators", "redistributions", "collectives", "bytes"), steps) if steps else ""


def _table(heads, rows):
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(str(cell))}</td>' for cell in row)}</tr>"
                   for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
