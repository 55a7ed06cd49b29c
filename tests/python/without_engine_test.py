"""The package that pip installs with engine=off. PYTHONPATH is the folder that pip installed into."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens
from shardlens import _jobs

PACKAGE = pathlib.Path(shardlens.__file__).parent
PROGRAM = PACKAGE.parent / "bin/shardlens"


def write_recording(path):
    """Writes what rank 0 of 2 records of a job: a collective, and an exception inside of it."""
    jobs = _jobs.JobRecorder(str(path), ["none"], rank=0, ranks=2, meta={"path": "train.py", "title": "train.py"},
                             libraries=[], gradient_node=lambda: None, next_node=int)
    jobs.mesh([2], ["tp"], [0, 1])
    jobs.next_step("step 1")
    collective = jobs.begin_collective("all_reduce", "0,1", "", 0, "tp", 64)
    jobs.error("RuntimeError: on purpose")
    jobs.end_collective(collective)
    jobs.close()


class WithoutEngine(unittest.TestCase):
    def test_has_no_part_that_needs_torch(self):
        self.assertIsNone(importlib.util.find_spec("shardlens._engine"))
        self.assertEqual([program.name for program in PROGRAM.parent.glob("shardlens*")], ["shardlens"])
        self.assertNotIn("torch", sys.modules)

    def test_commands_read_a_recording(self):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "rank-0.shardlens"
        write_recording(path)
        for program in ([PROGRAM], [sys.executable, "-m", "shardlens"]):
            for command, code, expected in (("info", 0, "train.py"), ("show", 0, "all_reduce over tp"),
                                            ("problems", 1, "RuntimeError: on purpose")):
                ran = subprocess.run([*program, command, path], capture_output=True, text=True, check=False)
                self.assertEqual((ran.returncode, ran.stderr), (code, ""), command)
                self.assertIn(expected, ran.stdout)

    def test_run_names_the_missing_engine(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("no torch that Python imports")
        ran = subprocess.run([sys.executable, "-m", "shardlens", "run", "--ranks", "2", "train.py"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("Shardlens was installed without the engine", ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)


if __name__ == "__main__":
    unittest.main()
