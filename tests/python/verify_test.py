"""`python -m shardlens verify`: a script on simulated ranks, and on torch's own DTensor beside."""
import os
import subprocess
import sys
import tempfile
import unittest

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


def verify(script):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SETUP + script + "\ndist.destroy_process_group()\n")
        return subprocess.run([sys.executable, "-m", "shardlens", "verify", "--ranks", "2", path],
                              text=True, capture_output=True, check=False)


class Verify(unittest.TestCase):
    def test_says_that_all_is_the_same(self):
        done = verify("y = torch.relu(x @ x.t())")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^\d operators gave the same placements and values as on DTensor")

    def test_says_where_values_part(self):
        # A rank of DTensor reads its own term of the sum.
        done = verify("total = x.sum().item()\ny = x * total")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"collectives: 1 differ; first: all_reduce of ranks 0,1 \(8 B\) in A, "
                                      r"none in B \(at .*script\.py:7, forward\)\n")
        self.assertRegex(done.stdout, r"values: 1 differ; first: mul.Tensor on rank 0 at \[3, 0\]: 168 and 72 "
                                      r"\(at .*script\.py:8, forward\)\n")

    def test_says_that_ranks_were_given_something_else(self):
        # The program that runs once for all ranks is answered as the first of them.
        done = verify("from torch.distributed.tensor import DTensor\n"
                      "y = DTensor.from_local(torch.ones(2) + dist.get_rank(), mesh, [Shard(0)])")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^values: 1 differ; first: from_local on rank 1 at \[0\]: 1 and 2 "
                                      r"\(at .*script\.py:8, forward\)\n$")

    def test_a_script_that_fails_is_no_difference(self):
        done = verify("raise SystemExit(3)")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("verify: the program ended with 3 on simulated ranks", done.stderr)


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
            self.assertEqual(found[0].sentence, "mul.Tensor on rank 0 at [0]: 2 and 3")


if __name__ == "__main__":
    unittest.main()
