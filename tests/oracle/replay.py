#!/usr/bin/env python3
"""Runs recorded DTensor cases and prints the answers that are wrong.

A case is {"scenario", "expect"} with DTensor's answer. It may also have "must_refuse": the step to
refuse and words of the message; or "dense": the results of plain PyTorch, if DTensor fails.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from judge import complaints


def runs(torchrun):
    try:
        subprocess.run([torchrun, "--help"], capture_output=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def in_one_process(options):
    backend = ["--backend", options.backend] if options.backend else []
    return [options.program, "run", *backend, "--json"]


def on_processes(options, count):
    return [options.torchrun, "--no-python", "--standalone", "--nproc-per-node", str(count),
            options.program, "run", "--backend", options.backend or "gloo", "--json"]


def answers_of(answering, scenarios):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenarios.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(scenario) + "\n" for scenario in scenarios)
        run = subprocess.run([*answering, path], capture_output=True, text=True)
    return run, [json.loads(line) for line in run.stdout.splitlines()]


def ranks_of(case):
    return math.prod(case["scenario"]["mesh"]["shape"])


def read(path):
    """Returns ("PATH:LINE", case) for each case of a file."""
    with open(path, encoding="utf-8") as file:
        return [(f"{path}:{line}", json.loads(text)) for line, text in enumerate(file, 1)]


def by_ranks(files, most):
    """Selects at most `most` cases per file and number of ranks, spread over the file.

    Returns a sorted list of (number of ranks, cases)."""
    chosen = {}
    for cases in files:
        ranks = {ranks_of(case) for _, case in cases}
        for count in ranks:
            these = [(where, case) for where, case in cases if ranks_of(case) == count]
            chosen.setdefault(count, []).extend(these[:: math.ceil(len(these) / most)])
    return sorted(chosen.items())


def shortcomings(answering, cases):
    """Runs the cases and prints the errors. Returns the number of wrong answers, plus one if the
    number of answers or the exit code is wrong."""
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
    return short


def main(options):
    files = [read(path) for path in options.cases]
    if not options.torchrun:
        launches = [(in_one_process(options), [case for cases in files for case in cases])]
    elif not runs(options.torchrun):
        print("no torchrun: it comes with the full torch")
        return 0
    else:
        launches = [(on_processes(options, count), cases)
                    for count, cases in by_ranks(files, options.most)]
    total = sum(len(cases) for _, cases in launches)
    short = sum(shortcomings(answering, cases) for answering, cases in launches)
    print(f"{total} cases, {short} fall short")
    return 1 if short or not total else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--backend", choices=["simulated", "gloo", "nccl"],
                        help="run on this backend; default: simulated, or gloo with torchrun")
    parser.add_argument("--torchrun", help="answer on as many processes as a case has ranks, which "
                                           "this launches")
    parser.add_argument("--most", type=int, default=5,
                        help="with torchrun: cases of each file and number of ranks")
    sys.exit(main(parser.parse_args()))
