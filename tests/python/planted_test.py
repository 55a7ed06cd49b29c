"""A job with tensor parallelism and FSDP2 on 2x2 ranks that has a bug on rank 3: what is said of it, and what not."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import load_tests, start_ranks  # noqa: F401

try:
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

PROGRAMS = pathlib.Path(__file__).absolute().parents[1] / "jobs/programs"
RANKS = 4


def setUpModule():
    global _python
    from warm_python import warm_python
    _python = warm_python("torch.distributed.tensor.parallel", "torch.distributed.fsdp")


def line(file, text):
    """Returns the number of the first line of a program that has this text."""
    lines = (PROGRAMS / file).read_text().splitlines()
    return next(number for number, each in enumerate(lines, 1) if text in each)


class Planted(unittest.TestCase):
    def start(self, bug):
        """Starts the ranks with a bug. Returns them and the folder of the recording."""
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        folder = pathlib.Path(held.name, "recording")
        command = [_python, "-m", "shardlens", "record", "-o", folder, "--values", "all", PROGRAMS / "planted.py",
                   bug, f"{held.name}/store"]
        return start_ranks(RANKS, command, sys.path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL), folder

    def end(self, ranks):
        """Waits for the ranks. Returns which have failed, and what they have said."""
        said = [rank.communicate()[1] for rank in ranks]
        return [rank for rank in range(RANKS) if ranks[rank].returncode != 0], said

    def run_to_end(self, bug):
        """Runs a job that ends without an error. Returns its recording."""
        ranks, folder = self.start(bug)
        failed, said = self.end(ranks)
        self.assertEqual(failed, [], said)
        return shardlens.open(folder)

    def found(self, recording):
        """Returns the problems of a recording: rule, sentence, and the program and line."""
        return [(problem.rule, problem.sentence, f"{os.path.basename(problem.file or '')}:{problem.line}")
                for problem in recording.problems]

    def test_a_bug_on_the_second_replica_alone(self):
        (rule, sentence, where), = self.found(self.run_to_end("value"))
        self.assertEqual((rule, where), ("copies-differ", f"planted.py:{line('planted.py', 'THE VALUE')}"))
        self.assertRegex(sentence, r"^copies of from_local differ: [-\d.]+ on rank 3 at \[0, 0\], [-\d.]+ on rank 2$")

    def test_a_shape_that_differs(self):
        ranks, folder = self.start("shape")
        failed, said = self.end(ranks)
        self.assertEqual(failed, list(range(RANKS)), said)
        found = self.beside_lateness(folder)
        unequal = ("unequal-sizes", "all_reduce over tp: rank 2 sent 128 B, rank 3 256 B",
                   f"models.py:{line('models.py', 'functional.relu')}")
        self.assertEqual(found.count(unequal), 1, found)
        others = [each for each in found if each != unequal]
        # Gloo aborts one of the two, or both; the remaining ranks lose their peer.
        self.assertEqual({rule for rule, _, _ in others}, {"process-died"})
        for _, sentence, _ in others:
            self.assertRegex(sentence, "^ranks? (2|3|2, 3) died ")

    def test_an_error_of_one_rank(self):
        ranks, folder = self.start("error")
        failed, said = self.end(ranks)
        self.assertEqual(failed, list(range(RANKS)), said)
        first, *others = shardlens.open(folder).problems
        self.assertEqual((first.rule, first.sentence), ("refused-step", "rank 3: ValueError: 2 rows, expected 3"))
        self.assertRegex(first.consequences, "^ranks? [012, ]+ (failed|died)")
        self.assertEqual({problem.consequences for problem in others}, {""} if others else set())

    def test_a_slow_rank_is_late_and_no_more(self):
        found = self.found(self.run_to_end("slow"))
        self.assertNotEqual(found, [])
        for rule, sentence, _ in found:
            self.assertEqual(rule, "late-rank")
            self.assertRegex(sentence, "^rank 3 ")

    def test_a_hang(self):
        ranks, folder = self.start("hang")
        summed = "name = 'all_reduce' AND ranks = '2,3' AND step = 2"
        while not (folder.exists() and len(list(folder.glob("*.shardlens"))) == RANKS and shardlens.open(folder).sql(
                f"SELECT id FROM events WHERE {summed}")):
            self.assertIsNone(ranks[2].poll(), ranks[2].stderr)
        # Rank 0 waits, too, for rank 1: until it is recorded that rank 1 waits itself, that is reported as well.
        waiting = self.beside_lateness(folder)
        self.assertEqual({rule for rule, _, _ in waiting}, {"rank-that-waits"}, waiting)
        self.assertTrue(any("has waited for rank 3 since" in sentence for _, sentence, _ in waiting), waiting)
        for _, sentence, where in waiting:
            self.assertRegex(sentence, "^(all_reduce over tp: rank 2|all_gather.*: rank 1) has waited for rank 3 since |"
                                       "^all_reduce over tp: rank 0 has waited for rank 1 since ")
            if sentence.startswith("all_reduce over tp: rank 2"):
                self.assertEqual(where, f"models.py:{line('models.py', 'functional.relu')}")
        ranks[3].stdin.close()
        ranks[3].stdin = None
        failed, said = self.end(ranks)
        self.assertEqual(failed, [], said)
        self.assertEqual(self.beside_lateness(folder), [])

    # Returns the problems without late ranks: a busy machine may delay a rank.
    def beside_lateness(self, folder):
        return [problem for problem in self.found(shardlens.open(folder)) if problem[0] != "late-rank"]


if __name__ == "__main__":
    unittest.main()
