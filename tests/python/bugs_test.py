"""The bug examples, recorded under torch's own DTensor: the problem reported for each, and its
line."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import warm_python

try:
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

BUGS = pathlib.Path(__file__).absolute().parents[2] / "app" / "python" / "examples" / "bugs"


def started(name, folder):
    return subprocess.Popen(
        [warm_python(), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         "-m", "shardlens", "record", "-o", folder, "--values", "all", BUGS / f"{name}.py"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def line_of(name, words):
    lines = (BUGS / f"{name}.py").read_text().splitlines()
    (line,) = [at for at, text in enumerate(lines, 1) if words in text]
    return line


class Bugs(unittest.TestCase):
    def problems(self, name):
        with tempfile.TemporaryDirectory() as folder:
            job = started(name, folder)
            _, said = job.communicate()
            self.assertEqual(job.returncode, 0, said)
            recording = shardlens.open(folder)
            for problem in recording.problems:
                self.assertEqual(problem.file, str(BUGS / f"{name}.py"))
            return recording, [(problem.rule, problem.severity, problem.sentence, problem.times, problem.line)
                               for problem in recording.problems]

    def test_a_missing_reduction(self):
        name = "missing_reduction"
        recording, problems = self.problems(name)
        self.assertEqual(problems, [
            ("partial-read", "warning",
             "to_local() of mm, which is P(sum): each rank continues with a separate partial value", 1,
             line_of(name, "# the bug"))])
        self.assertEqual(recording.query("kind:collective op:all_reduce"), [])

    def test_a_wrong_placement_of_from_local(self):
        name = "wrong_from_local"
        _, problems = self.problems(name)
        self.assertEqual(problems, [
            ("copies-differ", "error",
             "copies of from_local differ: 12 on rank 1 at [0, 0], 0 on rank 0", 1,
             line_of(name, "# the bug"))])

    def test_a_branch_that_depends_on_the_rank(self):
        name = "hanging_branch"
        with tempfile.TemporaryDirectory() as folder:
            job = started(name, folder)
            try:
                recording, problem = self.mismatch(job, folder)
            finally:
                job.terminate()
                job.communicate()
            self.assertEqual((problem.severity, problem.sentence),
                             ("error", "rank 1 called all_reduce where the other ranks called all_gather over tp"))
            places = [recording.event(event) for event in problem.events]
            self.assertEqual(sorted((event.step, event.line) for event in places),
                             [(2, line_of(name, "@ w")), (2, line_of(name, "# the bug"))])

    def mismatch(self, job, folder):
        """Returns the recording and the mismatch while the job hangs. The job itself would end only
        when its collective times out."""
        while True:
            try:
                self.fail(f"the job ended with {job.wait(timeout=0.5)}, expected it to hang")
            except subprocess.TimeoutExpired:
                pass
            try:
                recording = shardlens.open(folder)
            except ValueError:  # no rank has started its recording
                continue
            for problem in recording.problems:
                if problem.rule == "collective-mismatch" and problem.times == 2:
                    return recording, problem

    def test_a_placement_that_costs(self):
        name = "silent_cost"
        recording, problems = self.problems(name)
        sent = 3 * 64 * 32 * 4  # bytes of the table, sent once per step
        self.assertEqual(sent, 24 * 1024)
        self.assertEqual(problems, [
            ("cheaper-placement", "warning", "distribute_tensor is S(1), but every reader (3 times) "
             "redistributes it to S(0): 24.0 KiB sent", 1, line_of(name, "# the bug")),
            ("implicit-redistribution", "warning", "implicit redistribution before aten.mul.Tensor: "
             "distribute_tensor S(1) -> S(0), 24.0 KiB sent", 3, line_of(name, "x * scales"))])
        moved = recording.sql("SELECT sum(bytes) AS n FROM events WHERE kind = 'Collective' AND name = "
                              "'all_to_all'")
        self.assertEqual(moved[0].n, sent)


if __name__ == "__main__":
    unittest.main()
