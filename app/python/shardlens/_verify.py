"""`python -m shardlens verify`: runs a program here and on torch's own DTensor, and compares the
recordings."""
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

from ._installed import program
from ._open import open as open_recording

# The kinds of differences that count. A job's recording has other texts for settings and programs,
# and its plans have no prices.
_COMPARED = ("placements", "collectives", "values")


class Unusable(Exception):
    """Raised if a program cannot be verified; the message says why."""


def verify(ranks, given, arguments, processes=False):
    """Runs a script or a scenario on simulated ranks and on DTensor, and prints the first
    differences. `processes`: runs a script in a process for each rank instead of on simulated
    ranks. The program of a recording runs only on the one of the two that did not make the
    recording. The output of the program goes to standard error. Returns the exit code: 0 same, 1
    different, 2 not run."""
    try:
        return _verify(ranks, given, arguments, processes)
    except (Unusable, OSError, ValueError) as why:
        print(str(why) if str(why).startswith("verify: ") else f"verify: {why}", file=sys.stderr)
        return 2


def _verify(ranks, given, arguments, processes):
    if given.endswith((".json", ".jsonl")):
        return _scenario(given)
    with tempfile.TemporaryDirectory() as folder:
        here, there = os.path.join(folder, "here.shardlens"), os.path.join(folder, "job")
        if not _is_recording(given):
            if ranks is None:
                raise Unusable("verify: got a script and no --ranks, expected --ranks N")
            _check(given)
            return _compare(_run_here(ranks, given, arguments, here, processes),
                            _run_there(ranks, given, arguments, there))
        recorded = open_recording(given)
        if "scenario" in recorded.meta:
            path = os.path.join(folder, "scenario.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(recorded.meta["scenario"])
            return _scenario(path)
        ranks, script = _program_of(recorded)
        _check(script)
        arguments = arguments or shlex.split(recorded.meta.get("arguments", ""))
        if "torch" in recorded.meta:
            return _compare(_run_here(ranks, script, arguments, here, processes), recorded)
        return _compare(recorded, _run_there(ranks, script, arguments, there))


# Returns True for a folder or an SQLite file. Raises Unusable if the path does not exist, or if a
# file with the name of a recording is none.
def _is_recording(path):
    if os.path.isdir(path):
        return True
    if not os.path.exists(path):
        raise Unusable(f"verify: {path}: no such file")
    with open(path, "rb") as file:
        if file.read(16) == b"SQLite format 3\0":
            return True
    if path.endswith(".shardlens"):
        raise Unusable(f"verify: {path}: got a file that is not a recording, expected a script, a recording or a "
                       "scenario")
    return False


def _program_of(recorded):
    """Returns the number of ranks and the script of a recording. Raises Unusable if the recording
    has no script, or if one of its source files has changed since."""
    sources = {key.removeprefix("source:"): text for key, text in recorded.meta.items()
               if key.startswith("source:")}
    script, mesh = recorded.meta.get("path", ""), re.match(r"\d+(x\d+)*", recorded.meta.get("mesh", ""))
    if script not in sources or mesh is None:
        raise Unusable(f"verify: {recorded.path}: got a recording without its program, expected one of a "
                       "scenario or of a Python script")
    for path, text in sources.items():
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                raise Unusable(f"verify: {path} has changed since {recorded.path} was recorded: record it "
                               "again")
    return math.prod(map(int, mesh[0].split("x"))), script


def _check(script):
    """Raises Unusable if the script imports shardlens, because DTensor cannot run it."""
    with open(script, encoding="utf-8") as file:
        if re.search(r"^\s*(from|import)\s+shardlens\b", file.read(), re.MULTILINE):
            raise Unusable(f"verify: {script}: got a script that imports shardlens, expected one that imports "
                           "torch.distributed.tensor, which runs on both")


def _scenario(path):
    """Verifies a scenario with the program `shardlens`, on the DTensor of this Python's torch.
    Returns its exit code."""
    return subprocess.run([program("shardlens", "SHARDLENS_PROGRAM", "verify"), "verify", path],
                          env={**os.environ, "SHARDLENS_TORCH": sys.executable}, check=False).returncode


def _run_here(ranks, script, arguments, path, processes):
    where, more = ("in processes", ["--processes"]) if processes else ("on simulated ranks", [])
    _run(where, [sys.executable, "-m", "shardlens", "run", "--ranks", str(ranks), *more, "--record", path, script,
                 *arguments])
    return open_recording(path)


def _run_there(ranks, script, arguments, folder):
    _run("on DTensor", [sys.executable, "-m", "torch.distributed.run", "--standalone",
                        "--nproc-per-node", str(ranks), "-m", __name__, folder, script, *arguments])
    return open_recording(folder)


def _record_rank(folder, script):
    """Records a script as `python -m shardlens record` does, then ends the process without Python's
    shutdown. Threads of torch sometimes abort during the shutdown, and torchrun would end the other
    ranks then."""
    from ._job import JobRecording
    from ._script import run_recorded
    try:
        run_recorded("verify", JobRecording(folder, "all", script), script)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _run(where, command):
    done = subprocess.run(command, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise Unusable(f"verify: the program ended with {done.returncode} {where}")


# Prints the differences of two recordings. Returns 0 if none of them counts, else 1.
def _compare(ours, theirs):
    differences, alike = ours._compared(theirs)
    is_same = True
    for kind in _COMPARED:
        found = [each for each in differences if each.kind == kind]
        if found:
            is_same = False
            print(f"{kind}: {len(found)} differ; first: {found[0].sentence}{_place(ours, found[0].event)}")
    if is_same:
        operators = "1 operator" if alike == 1 else f"{alike} operators"
        print(f"{operators} gave the same placements{_values_of(ours, theirs)} as on DTensor, with the same "
              "collectives")
    for each in differences:
        if each.kind == "program":
            refused = _is_error(ours, each.event), _is_error(theirs, each.other)
            if refused == (True, True):
                continue  # both failed here; the messages may differ
            where = (theirs, each.other) if refused == (False, True) else (ours, each.event)
            print(f"not compared: {each.sentence}{_place(*where)}")
    return 0 if is_same else 1


def _values_of(*recordings):
    """Returns " and values" if all of the recordings have values, else ""."""
    counts = [recording.sql("SELECT count(*) AS n FROM shard_values")[0].n for recording in recordings]
    return " and values" if all(counts) else ""


def _is_error(recording, event):
    return event != 0 and recording.event(event).kind == "Error"


# Returns the place of an event in the program as " (at FILE:LINE, ...)", or "" if unknown.
def _place(recording, event):
    lines = recording.story(event) if event else []
    return lines[-1].strip().join((" (", ")")) if lines and lines[-1].startswith("  at ") else ""


if __name__ == "__main__":
    del sys.argv[0]
    _record_rank(sys.argv.pop(0), sys.argv[0])
