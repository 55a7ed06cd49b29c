"""The runner of PyTorch's DTensor tests (upstream.py), on a sample file in their style."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import warm_python

try:
    import expecttest  # pylint: disable=unused-import; torch's test cases require it
    import torch
    import shardlens.tensor  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

RUNNER = pathlib.Path(__file__).with_name("upstream.py")
FILE = """
import torch
from torch.distributed.tensor import DeviceMesh, Replicate, Shard, distribute_tensor
from torch.distributed.tensor._dtensor_spec import ShardOrderEntry
from torch.distributed.tensor._ops._embedding_ops import _MaskPartial
from torch.distributed.tensor.placement_types import _StridedShard
from torch.testing._internal.common_utils import run_tests
from torch.testing._internal.distributed._tensor.common_dtensor import (
    DTensorTestBase, make_full_tensor, patched_distribute_tensor, redistribute, with_comms)

class Sample(DTensorTestBase):
    @property
    def world_size(self):
        return 2

    @with_comms
    def test_of_parts(self):
        x = distribute_tensor(torch.arange(4.), self.build_device_mesh(), [Shard(0)])
        self.assertEqual(type(x.placements[0]).__module__, "shardlens")
        self.assertEqual(x.to_local().tolist(), [[0, 1], [2, 3]][self.rank])
        ids = distribute_tensor(torch.tensor([3]), x.device_mesh, [Replicate()])
        found = torch.nn.functional.embedding(ids, x.view(4, 1))
        self.assertIsInstance(found.placements[0], _MaskPartial)  # ours, from a private module of DTensor

    @with_comms
    def test_of_shard_orders(self):
        mesh = DeviceMesh(self.device_type, [[0, 1]])
        order = (ShardOrderEntry(tensor_dim=0, mesh_dims=(1, 0)),)
        x = patched_distribute_tensor(torch.arange(4.), mesh, None, order)
        self.assertEqual(x.placements, (_StridedShard(0, split_factor=2), Shard(0)))
        self.assertEqual(redistribute(x, mesh, None, order[:0]).placements, (Replicate(), Replicate()))
        self.assertEqual(make_full_tensor(x), torch.arange(4.))

    def test_that_the_second_rank_fails(self):
        if self.rank == 1 and type(Shard(0)).__module__ == "shardlens":
            raise ValueError("of rank 1")

    def test_that_fails_anywhere(self):
        raise ValueError("of all")

class RedistributeTest(DTensorTestBase):
    world_size = 1

    def test_replicate_to_partial(self):
        self.fail("as expected")

    def test_that_is_skipped(self):
        self.skipTest("not today")

if __name__ == "__main__":
    run_tests()
"""


@unittest.skipUnless(torch.__version__.startswith("2.15"), "the runner stands on the test cases of torch 2.15")
class Runner(unittest.TestCase):
    def run_file(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "test_sample.py")
            path.write_text(text)
            ran = subprocess.run([warm_python(), RUNNER, path], capture_output=True, text=True,
                                 env=os.environ | {"CI": "1"})  # as CI servers set it
        return ran.returncode, ran.stdout.replace(str(path), path.name).splitlines()

    def test_each_test_has_a_verdict(self):
        self.assertEqual(self.run_file(FILE), (1, [
            "test_sample.py Sample.test_of_parts: right",
            "test_sample.py Sample.test_of_shard_orders: right",
            "test_sample.py Sample.test_that_fails_anywhere: fails on torch's own, too: ValueError: of all",
            "test_sample.py Sample.test_that_the_second_rank_fails: FAILED: ValueError: of rank 1",
            "test_sample.py RedistributeTest.test_replicate_to_partial: otherwise: redistribute() also "
            "converts Replicate to Partial",
            "test_sample.py RedistributeTest.test_that_is_skipped: skipped: not today"]))

    def test_a_missing_file(self):
        self.assertEqual(self.run_file("import nowhere"), (0, [
            "test_sample.py: fails on torch's own, too: ModuleNotFoundError: No module named 'nowhere'"]))
        self.assertEqual(self.run_file("import sys\nassert 'shardlens' not in sys.modules"), (1, [
            "test_sample.py: FAILED: AssertionError: "]))


if __name__ == "__main__":
    unittest.main()
