#!/usr/bin/env python3
"""Runs the scenarios of the gallery on GPUs and on simulated ranks, and compares the answers.

    gallery_on_gpus.py SHARDLENS FOLDER

SHARDLENS is the program, FOLDER has the scenarios. Prints a line per difference; exit code 1 if
there is one. Floating-point values may differ by rounding, as in tests/oracle.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests" / "oracle"))

from whole import are_close  # pylint: disable=wrong-import-position


def answers(program, backend, scenarios):
    """Returns the answers, in the order of the scenarios. One process runs all of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(scenario) + "\n" for scenario in scenarios)
        file.flush()
        done = subprocess.run([program, "run", "--json", "--backend", backend, file.name],
                              stdout=subprocess.PIPE, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(scenarios):
        sys.exit(f"{backend}: got {len(found)} answers, expected {len(scenarios)}")
    return found


def differences(on_gpus, simulated):
    if on_gpus.get("error") != simulated.get("error"):
        yield f"error {on_gpus.get('error')}, simulated {simulated.get('error')}"
    names = on_gpus["results"].keys() | simulated["results"].keys()
    for name in sorted(names):
        got, want = on_gpus["results"].get(name), simulated["results"].get(name)
        if got is None or want is None:
            yield f"{name} is missing {'on GPUs' if got is None else 'on simulated ranks'}"
            continue
        for key in ("shape", "dtype", "placements"):
            if got[key] != want[key]:
                yield f"{name}: {key} {got[key]}, simulated {want[key]}"
        # Masked rows of a pending lookup have no defined values.
        if any(placement.startswith("MaskP") for placement in want["placements"]):
            continue
        for mine, its in zip(got["locals"], want["locals"]):
            if not are_close(mine["data"], its["data"], want["dtype"]):
                yield f"{name}: rank {its['rank']} has other values"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = sorted(folder.glob("*.json"))
    scenarios = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    pairs = zip(paths, answers(program, "nccl", scenarios), answers(program, "simulated", scenarios))
    found = [f"{path.name}: {line}" for path, got, want in pairs for line in differences(got, want)]
    print("\n".join([*found, f"{len(paths)} scenarios, {len(found)} differences"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
