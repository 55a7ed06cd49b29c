"""`python -m shardlens verify`: a program here and on torch's own DTensor, and where they part."""
import os
import subprocess
import sys
import tempfile

from ._open import open as open_recording

# What both recorders tell alike. A job's recording names settings and program its own way, and prices
# no plans.
_COMPARED = ("placements", "collectives", "values")


def verify(ranks, script, arguments):
    """Runs the script on simulated ranks, then under torchrun with torch's own DTensor, and prints what
    differs first. What the program prints goes to standard error. Gives the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = os.path.join(folder, "here.shardlens"), os.path.join(folder, "job")
        _run("on simulated ranks", [sys.executable, "-m", "shardlens", "run", "--ranks", str(ranks),
                                    "--record", here, script, *arguments])
        _run("on DTensor", [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(ranks),
                            "-m", "shardlens", "record", "-o", there, "--values", "all", script,
                            *arguments])
        ours = open_recording(here)
        found = ours.differences(open_recording(there))
        return _tell(ours, [each for each in found if each.kind in _COMPARED])


def _run(where, command):
    done = subprocess.run(command, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        print(f"verify: the program ended with {done.returncode} {where}", file=sys.stderr)
        sys.exit(2)


def _tell(ours, differences):
    for kind in _COMPARED:
        alike = [each for each in differences if each.kind == kind]
        if alike:
            first = alike[0]
            print(f"{kind}: {len(alike)} differ; first: {first.sentence}{_place(ours, first.event)}")
    if not differences:
        print(f"{len(ours.sql('SELECT id FROM events WHERE kind = ' + repr('Operator')))} operators gave "
              "the same placements and values as on DTensor, with the same collectives")
    return 1 if differences else 0


def _place(recording, event):
    lines = recording.story(event) if event else []
    return lines[-1].strip().join((" (", ")")) if lines and lines[-1].startswith("  at ") else ""
