"""Runs many scenarios in batches, and finds the scenario at which a process crashes or hangs."""
import json
import os
import pathlib
import subprocess
import tempfile

BATCH = 400
UNWRITTEN = 40  # the most answers that an ended process may have buffered and not written
LONGEST = 300  # seconds per batch; a single scenario takes some milliseconds
# Texts that appear in a message of Shardlens or libtorch only after an internal error.
NEVER = ("INTERNAL ASSERT", "a bug of Shardlens", "basic_string", "/pytorch/", "vector::_M")


def run(program, text, *options, suffix=".jsonl", seconds=LONGEST):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("scenarios" + suffix)
        path.write_bytes(text)
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        try:
            return subprocess.run([program, "run", "--json", *options, path], env=environment,
                                  capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess([], None, late.stdout or b"", b"")


def lines(scenarios):
    return "".join(json.dumps(scenario) + "\n" for scenario in scenarios).encode()


def answers(program, scenarios, *options):
    """Returns an answer per scenario, or {"died": ...} if the process gave none."""
    found = []
    while len(found) < len(scenarios):
        batch = scenarios[len(found):len(found) + BATCH]
        done = run(program, lines(batch), *options)
        got = [json.loads(line) for line in done.stdout.splitlines(True) if line.endswith(b"\n")]
        found += got
        if done.returncode not in (0, 1) or len(got) < len(batch):
            found += alone(program, scenarios[len(found):len(found) + UNWRITTEN], done, *options)
    return found


def alone(program, scenarios, ended, *options):
    """Runs scenarios one by one, up to the one at which a process ends.

    These are the scenarios whose answers were lost when the process `ended`. If none of them
    ends a process alone, the last one gets the report of `ended`."""
    found = []
    for scenario in scenarios:
        done = run(program, lines([scenario]), *options, seconds=60)
        if done.returncode not in (0, 1) or not done.stdout.strip():
            return [*found, account(done)]
        found.append(json.loads(done.stdout))
    return [*found[:-1], account(ended)]


def account(done):
    ended = "does not end" if done.returncode is None else f"ends with {done.returncode}"
    return {"died": f"the process {ended}: {done.stderr.decode(errors='replace')[-300:]}"}


def complaint(answer):
    """Returns the error in an answer to invalid input: a dead process or a text of NEVER; else ""."""
    if "died" in answer:
        return answer["died"]
    message = (answer["error"] or {"message": ""})["message"]
    return next((f"'{word}' in: {message}" for word in NEVER if word in message), "")


# Parts of messages: refusals of a dry run for lack of values, and refusals that depend on values.
WANTS_DATA = ("which a dry run has none of", "without data", "its result is of them")
OF_DATA = ("conflicting data", "is out of range, expected", "is out of bounds", "offset")


def wants_data(estimated):
    return any(words in (estimated["error"] or {"message": ""})["message"] for words in WANTS_DATA)


def difference(answer, estimated):
    """Returns how a dry run differs from a run, or "". Differences that depend on values are ignored."""
    if answer["ok"] != estimated["ok"]:
        message = (answer["error"] or estimated["error"])["message"]
        if any(words in message for words in (WANTS_DATA if answer["ok"] else OF_DATA)):
            return ""
        return f"a run says {answer['error']}, a dry run {estimated['error']}"
    for name, result in answer["results"].items():
        other = estimated["results"].get(name)
        if other is None and wants_data(estimated):
            return ""  # both were refused, the dry run at an earlier step
        if other is None:
            return f"{name} is missing in a dry run"
        for key in ("shape", "dtype", "placements"):
            if result[key] != other[key]:
                return f"{name}: {key} {result[key]}, in a dry run {other[key]}"
        if result["locals"][0]["shape"] != other["locals"][0]["shape"]:
            return (f"{name}: local shape {result['locals'][0]['shape']}, in a dry run "
                    f"{other['locals'][0]['shape']}")
    return ""
