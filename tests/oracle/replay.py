#!/usr/bin/env python3
"""Run DTensor's cases and print where the answers fall short.

A case is {"scenario", "expect"} with DTensor's answer, or with "must_refuse" what has to be refused
and the words to say it with, or with "dense" plain PyTorch's results where DTensor fails.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from judge import complaints

PROCESSES = 2


def command(options):
    """How scenarios are answered, and whether that is possible here."""
    if not options.torchrun:
        return [options.program, "run", "--json"], True
    launch = [options.torchrun, "--no-python", "--standalone", "--nproc-per-node", str(PROCESSES)]
    try:
        subprocess.run([options.torchrun, "--help"], capture_output=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return [], False
    return [*launch, options.program, "run", "--backend", "gloo", "--json"], True


def answers_of(answering, scenarios):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenarios.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(scenario) + "\n" for scenario in scenarios)
        run = subprocess.run([*answering, path], capture_output=True, text=True)
    return run, [json.loads(line) for line in run.stdout.splitlines()]


def chosen(options):
    """(where it stands, case) for the cases that are asked for."""
    for path in options.cases:
        with open(path, encoding="utf-8") as file:
            cases = [(f"{path}:{line}", json.loads(text)) for line, text in enumerate(file, 1)]
        if options.torchrun:
            cases = [(where, case) for where, case in cases
                     if math.prod(case["scenario"]["mesh"]["shape"]) % PROCESSES == 0]
        yield from cases[:: options.every]


def main(options):
    answering, possible = command(options)
    if not possible:
        print("no torchrun: it comes with the full torch")
        return 0
    cases = list(chosen(options))
    run, answers = answers_of(answering, [case["scenario"] for _, case in cases])
    short = 0
    for i, (where, case) in enumerate(cases):
        found = complaints(case, answers[i] if i < len(answers) else None)
        short += bool(found)
        for complaint in found:
            print(f"{where}: {case['scenario'].get('title', 'case')}: {complaint}")
    status = 0 if all(answer["ok"] for answer in answers) else 1
    if len(answers) != len(cases) or run.returncode != status:
        short += 1
        print(f"{len(answers)} answers to {len(cases)} scenarios, exit code {run.returncode}, "
              f"expected {status}\n{run.stderr}")
    print(f"{len(cases)} cases, {short} fall short")
    return 1 if short or not cases else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--torchrun", help=f"answer on {PROCESSES} processes that this launches, "
                                           "where they can share the ranks")
    parser.add_argument("--every", type=int, default=1, help="every so manieth case of a file")
    sys.exit(main(parser.parse_args()))
