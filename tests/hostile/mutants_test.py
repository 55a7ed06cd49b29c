"""Runs gallery scenarios with random changes to their steps. Checks that no process crashes or
hangs, and that a dry run agrees with a run.

    mutants_test.py PROGRAM [--scenarios N] [--seeds A B ...] [--dump FOLDER]
"""
import argparse
import collections
import json
import pathlib
import sys

from answers import answers, complaint, difference
from mutants import Mutator


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--scenarios", type=int, default=400, help="for each seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--dump", type=pathlib.Path, help="where to write the scenarios that fail")
    return parser.parse_args()


def main(given):
    ran = wrong = 0
    for seed in given.seeds:
        mutator = Mutator(seed)
        scenarios = [mutator.scenario() for _ in range(given.scenarios)]
        real, dry = answers(given.program, scenarios), answers(given.program, scenarios, "--dry")
        ran += len(real)
        for number, each in enumerate(zip(scenarios, real, dry, strict=True)):
            scenario, answer, estimated = each
            why = complaint(answer) or complaint(estimated) or difference(answer, estimated)
            if not why:
                continue
            wrong += 1
            print(f"seed {seed}, scenario {number}: {why}\n  {json.dumps(scenario)[:3000]}")
            if given.dump:
                (given.dump / f"mutant-{seed}-{number}.json").write_text(json.dumps(scenario))
        print(f"seed {seed}: {collections.Counter(answer.get('ok') for answer in real)}")
    print(f"{ran} scenarios, {wrong} wrong")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main(options()))
