"""`python -m shardlens verify`: compares a script on simulated ranks with torch's own DTensor."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import load_tests, warm_python  # noqa: F401

try:
    import torch
    import shardlens
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

SETUP = """
import torch, torch.distributed as dist
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2,))
x = distribute_tensor(torch.arange(8.).view(4, 2), mesh, [Shard(1)])
"""


def shardlens_does(*arguments):
    return subprocess.run([warm_python(), "-m", "shardlens", *arguments], text=True, capture_output=True,
                          check=False)


def written(folder, script, name="script.py"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(SETUP + script + "\ndist.destroy_process_group()\n")
    return path


def verify(script, *options):
    with tempfile.TemporaryDirectory() as folder:
        return shardlens_does("verify", "--ranks", "2", *options, written(folder, script))


class Verify(unittest.TestCase):
    def test_reports_equal_runs(self):
        done = verify("y = torch.relu(x @ x.t())")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^\d operators gave the same placements and values as on DTensor")

    def test_reports_the_first_different_value(self):
        # On DTensor, item() of a partial sum returns the local value of the rank.
        done = verify("total = x.sum().item()\ny = x * total")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"collectives: 1 differ; first: all_reduce of ranks 0,1 \(8 B\) in A, "
                                      r"none in B \(at .*script\.py:7, forward\)\n")
        self.assertRegex(done.stdout, r"values: 1 differ; first: mul on rank 0 at \[3, 0\]: 168 and 72 "
                                      r"\(at .*script\.py:8, forward\)\n")

    def test_continues_after_operators_that_only_one_run_has(self):
        # DTensor detaches the result that it saves for the gradient.
        done = verify("x.requires_grad_()\ntorch.rsqrt(x + 1).sum().backward()\n"
                      "with torch.no_grad():\n    torch._foreach_mul_([x], 2.)\ny = x * 1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^\d+ operators gave the same placements and values as on DTensor, with the "
                                      r"same collectives\nnot compared: only in B: aten.detach.* \(at .*\)\n$")

    def test_a_script_that_uses_its_rank_runs_in_processes_only(self):
        script = ("from torch.distributed.tensor import DTensor\n"
                  "y = DTensor.from_local(torch.ones(2) + dist.get_rank(), mesh, [Shard(0)]) * 2")
        done = verify(script)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"script\.py:8: got a use of the rank, expected none: .*`--processes`")
        done = verify(script, "--processes")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "^1 operator gave the same placements and values as on DTensor")

    def test_errors_of_both_are_equal_for_any_message(self):
        done = verify("try:\n    x.view(3, 3)\nexcept RuntimeError:\n    pass\ny = x * 2")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "2 operators gave the same placements and values as on DTensor, with the same "
                             "collectives\n"), done.stderr)

    def test_a_script_that_fails_is_no_difference(self):
        done = verify("raise SystemExit(3)")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("verify: the program ended with 3 on simulated ranks", done.stderr)


class VerifyRecording(unittest.TestCase):
    def test_of_the_engine_runs_its_script_on_dtensor(self):
        with tempfile.TemporaryDirectory() as folder:
            script = written(folder, "import sys\ny = x * (3 if sys.argv[1:] else 2)")
            path = os.path.join(folder, "here.shardlens")
            shardlens_does("run", "--ranks", "2", "--record", path, script)
            done = shardlens_does("verify", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stdout, "1 operator gave the same placements and values as on DTensor, "
                                          "with the same collectives\n")
            done = shardlens_does("verify", path, "other arguments")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("values: 1 differ; first: mul on rank 1 at [3, 1]: 14 and 21 (at ", done.stdout)
            shardlens_does("run", "--ranks", "2", "--record", path, script, "3 times")
            done = shardlens_does("verify", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            written(folder, "y = x * 3")
            done = shardlens_does("verify", path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"verify: {script} has changed since {path} was recorded: record it "
                                          "again\n")

    def test_of_a_job_runs_its_script_on_simulated_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            script = written(folder, "y = torch.relu(x)")
            job = os.path.join(folder, "job")
            subprocess.run([warm_python(), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
                            "2", "-m", "shardlens", "record", "-o", job, script], capture_output=True,
                           check=True)
            done = shardlens_does("verify", job)
            self.assertEqual(done.stdout, "1 operator gave the same placements as on DTensor, with the same "
                                          "collectives\n", done.stderr)
            self.assertEqual(done.returncode, 0)

    def test_reports_an_error_of_one_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            script = written(folder, "try:\n    x.view(3, 3)\nexcept RuntimeError:\n    pass\n"
                                     "if dist.get_rank() != 0:\n    raise ValueError('on purpose')")
            job = os.path.join(folder, "job")
            subprocess.run([warm_python(), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
                            "2", "-m", "shardlens", "record", "-o", job, script], capture_output=True,
                           check=False)
            done = shardlens_does("verify", job)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("not compared: not refused in A, refused (ValueError: on purpose) in B "
                          f"(at {script}:12, forward)\n", done.stdout)
            self.assertEqual(done.stdout.count("refused"), 2, done.stdout)


class VerifyScenario(unittest.TestCase):
    STEPS = [{"id": "x", "call": "tensor", "data": [1, 2, 3, 4], "placements": ["S(0)"]},
             {"id": "y", "call": "aten.sum", "args": ["$x"]}]

    def test_is_verified_as_a_file_and_in_a_recording(self):
        from shardlens._installed import program
        with tempfile.TemporaryDirectory() as folder:
            path, recording = os.path.join(folder, "a.json"), os.path.join(folder, "a.shardlens")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"shardlens": 1, "mesh": {"shape": [2]}, "steps": self.STEPS}, file)
            subprocess.run([program("shardlens", "SHARDLENS_PROGRAM", "test"), "run", "--record", recording,
                            path], capture_output=True, check=True)
            for given in (path, recording):
                done = shardlens_does("verify", given)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, "^2 results equal those of PyTorch .*, 0 differ\n$")

    def test_reports_why_a_program_cannot_be_verified(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "no.py")
            broken, empty = written(folder, "", "broken.shardlens"), os.path.join(folder, "empty")
            os.mkdir(empty)
            for given, message in (([missing], f"{missing}: no such file"),
                                ([broken], f"{broken}: got a file that is not a recording, expected a script"),
                                ([empty], f"{empty} has no recordings"),
                                ([written(folder, "")], "got a script and no --ranks, expected --ranks N"),
                                (["--ranks", "2", written(folder, "import shardlens.tensor", "own.py")],
                                 f"{os.path.join(folder, 'own.py')}: got a script that imports shardlens")):
                done = shardlens_does("verify", *given)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "^verify: .*" + re.escape(message))


class Differences(unittest.TestCase):
    def test_of_two_recordings(self):
        from shardlens.tensor import Shard, distribute_tensor, init_device_mesh
        mesh = init_device_mesh("cpu", (2,))
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, factor in (("a", 2.0), ("b", 3.0)):
                paths.append(os.path.join(folder, name))
                with shardlens.record(paths[-1]):
                    distribute_tensor(torch.ones(4), mesh, [Shard(0)]) * factor
            first, other = map(shardlens.open, paths)
            self.assertEqual(first.differences(first), [])
            found = [each for each in first.differences(other) if each.kind == "values"]
            self.assertEqual(len(found), 1)
            self.assertEqual(first.event(found[0].event).kind, "Result")
            self.assertEqual(found[0].sentence, "mul on rank 0 at [0]: 2 and 3")


if __name__ == "__main__":
    unittest.main()
