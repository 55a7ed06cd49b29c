"""Runs the programs of the folder plain on four ranks, recorded with --plain."""
import pathlib
import unittest

import shardlens
from support import recorded_on_four_ranks

PROGRAMS = pathlib.Path(__file__).absolute().parent / "plain"


def text_of(program, *arguments):
    """Returns a program of PROGRAMS as text that runs with these arguments."""
    return f"import sys\nsys.argv[1:] = {list(arguments)!r}\n" + (PROGRAMS / f"{program}.py").read_text()


# Returns the problems of a recording without late ranks, which a busy machine has.
def problems_of(recording):
    return [each for each in recording.problems if each.rule != "late-rank"]


class PlainTest(unittest.TestCase):
    def recorded(self, program, *arguments, values="all", options=()):
        folder, _ = recorded_on_four_ranks(self, text_of(program, *arguments), "--plain", "--values", values, *options)
        return shardlens.open(folder)
