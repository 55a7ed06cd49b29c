#!/usr/bin/env python3
"""replay.py SHARDLENS CASES.jsonl: run DTensor's cases and print where the answers fall short.

A case is {"scenario", "expect"} with DTensor's answer, or with "must_refuse" what has to be refused
and the words to say it with, or with "dense" plain PyTorch's results where DTensor fails.
"""
import json
import os
import subprocess
import sys
import tempfile

from judge import complaints


def answers_of(program, scenarios):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenarios.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(scenario) + "\n" for scenario in scenarios)
        run = subprocess.run([program, "run", "--json", path], capture_output=True, text=True)
    return run, [json.loads(line) for line in run.stdout.splitlines()]


def main(program, path):
    with open(path, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    run, answers = answers_of(program, [case["scenario"] for case in cases])
    short = 0
    for line, case in enumerate(cases, start=1):
        found = complaints(case, answers[line - 1] if line <= len(answers) else None)
        short += bool(found)
        for complaint in found:
            print(f"{path}:{line}: {case['scenario'].get('title', 'case')}: {complaint}")
    status = 0 if all(answer["ok"] for answer in answers) else 1
    if len(answers) != len(cases) or run.returncode != status:
        short += 1
        print(f"{len(answers)} answers to {len(cases)} scenarios, exit code {run.returncode}, "
              f"expected {status}\n{run.stderr}")
    print(f"{len(cases)} cases, {short} fall short")
    return 1 if short or not cases else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
