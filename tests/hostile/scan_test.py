"""Calls every operator that has a rule with random arguments. Each call must answer or refuse.

    scan_test.py PROGRAM [--calls N] [--seeds A B ...] [--only TEXT] [--dump FOLDER]

Makes N calls of each operator per seed. The default takes some seconds.
"""
import argparse
import collections
import json
import pathlib
import sys

from answers import answers, complaint
from calls import Caller, operators


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--calls", type=int, default=2, help="of each operator")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--only", default="", help="operators whose name has this in it")
    parser.add_argument("--dump", type=pathlib.Path, help="where to write the scenarios that fail")
    return parser.parse_args()


def main(given):
    called = [each for each in operators(given.program) if given.only in each["name"]]
    ran = wrong = 0
    for seed in given.seeds:
        caller = Caller(seed)
        scenarios = [caller.scenario(operator) for operator in called for _ in range(given.calls)]
        found = answers(given.program, scenarios)
        ran += len(found)
        for number, (scenario, answer) in enumerate(zip(scenarios, found, strict=True)):
            why = complaint(answer)
            if not why:
                continue
            wrong += 1
            name = scenario["steps"][-1]["call"]
            print(f"seed {seed}, call {number}: {name}: {why}\n  {json.dumps(scenario)}")
            if given.dump:
                (given.dump / f"{name}-{seed}-{number}.json").write_text(json.dumps(scenario))
        print(f"seed {seed}: {collections.Counter(answer.get('ok') for answer in found)}")
    print(f"{len(called)} operators, {ran} calls, {wrong} wrong")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main(options()))
