"""Unchanged scripts in processes started by torchrun, with one or several ranks each."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import warm_python

try:
    import shardlens.tensor  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

EXAMPLES = pathlib.Path(__file__).absolute().parents[2] / "app" / "python" / "examples"
BEGIN = """
import copy, io, sys
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor import (DTensor, Partial, Replicate, Shard, distribute_tensor,
                                      init_device_mesh)
"""


def run(processes, script, *options, arguments=()):
    """Runs the script with `shardlens run` under torchrun. Returns the exit code, the standard output of
    each process, and the standard error of all."""
    with tempfile.TemporaryDirectory() as folder:
        if not isinstance(script, pathlib.Path):
            path = pathlib.Path(folder, "script.py")
            path.write_text(BEGIN + script)
            script = path
        launcher = ["-m", "torch.distributed.run", "--nproc-per-node", processes, "--redirects", 1,
                    "--log-dir", folder]
        command = [warm_python(), *launcher, "-m", "shardlens", "run", *options, script, *arguments]
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        printed = [path.read_text().splitlines()
                   for path in sorted(pathlib.Path(folder).glob("*/attempt_0/*/stdout.log"))]
        return ran.returncode, printed, ran.stderr


class Examples(unittest.TestCase):
    def test_they_give_the_losses_of_simulated_ranks(self):
        for example, ranks, arguments in (("transformer.py", 4, ["--steps", "3"]),
                                          ("tensor_parallel.py", 2, [])):
            script = EXAMPLES / example
            # torchrun gives each process one thread. More threads would sum in another order.
            alone = subprocess.run([warm_python(), "-m", "shardlens", "run", "--ranks", str(ranks), script,
                                    *arguments], capture_output=True, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": "1"})
            self.assertEqual((alone.returncode, alone.stderr), (0, ""))
            code, printed, complained = run(ranks, script, arguments=arguments)
            self.assertEqual(code, 0, complained)
            self.assertGreaterEqual(len(printed[0]), 4)
            self.assertEqual(printed, [alone.stdout.splitlines()] * ranks)


class OneRankAProcess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        code, cls.printed, complained = run(4, """
mesh = init_device_mesh("cpu", (4,))
grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
rank = dist.get_rank()

print("# its part of an uneven tensor")
x = distribute_tensor(torch.arange(5.), mesh, [Shard(0)]).requires_grad_()
local = x.to_local()
print(type(local).__name__, local.tolist(), mesh.get_local_rank(), (x * x).full_tensor().tolist())
(local * (rank + 1)).sum().backward()
print(x.grad.placements, x.grad.to_local().tolist(), x.grad.tolist())
print(repr(x.detach()).partition(", device_mesh")[0])

print("# its own way")
mine = torch.full((1,), float(rank))
y = DTensor.from_local(mine, mesh, [Shard(0)])
total = DTensor.from_local(mine, mesh, [Partial()]).full_tensor()
if rank == 2:
    mine += 10  # the tensor lies on it
row = DTensor.from_local(mine, grid["tp"], [Partial()]).full_tensor()
print(y.tolist(), total.tolist(), grid["dp"].mesh.tolist(), row.tolist())
by_hand = torch.ones(1) * rank
dist.all_reduce(by_hand)
dist.all_reduce(mine, group=grid.get_group("dp"))
print(by_hand.item(), mine.item(), grid.get_coordinate())

print("# a mesh without it")
few = init_device_mesh("cpu", (2,))
z = distribute_tensor(torch.arange(2.), few, [Shard(0)])
print(z.to_local().tolist(), (z + z).full_tensor().tolist(), few.get_coordinate())
print(z.equal(z), z.equal(z + 1), z.sum().to_local().tolist())

print("# its own collectives")
ones = torch.ones(1) * rank
with CommDebugMode() as mode:
    print(funcol.all_reduce(ones, "sum", mesh).item(), funcol.all_reduce(ones, "sum", (grid, 1)).item())
    dist.all_reduce(by_hand)
    x.detach().full_tensor()
print({str(operator): count for operator, count in mode.get_comm_counts().items()})

print("# parts that are not alike")
for part, shape in ((torch.ones(2, 3, dtype=torch.float64 if rank == 1 else torch.float32), None),
                    (torch.ones(2, 3, requires_grad=rank == 2), None),
                    (torch.ones(2, 3).t().contiguous().t() if rank == 3 else torch.ones(2, 3), None),
                    (torch.ones(1, 3) if rank == 3 else torch.ones(2, 3), (7, 3))):
    try:
        stride = shape and (3, 1)
        print(DTensor.from_local(part, mesh, [Shard(0)], run_check=True, shape=shape, stride=stride).shape)
    except ValueError as error:
        print(error)

print("# a refusal")
table = distribute_tensor(torch.arange(8.).view(8, 1), mesh, [Shard(0)])
ids = torch.tensor([0, 8 if rank == 2 else 3])  # wrong in one rank's batch alone
for each in (ids, ids % 8):
    try:
        found = torch.nn.functional.embedding(DTensor.from_local(each, mesh, [Shard(0)]), table)
        print(found.full_tensor().sum().item())
    except (RuntimeError, IndexError) as error:
        print(error)

print("# saved")
stored = io.BytesIO()
torch.save({"x": x.detach()}, stored)
stored.seek(0)
again = torch.load(stored)["x"]
print(again.placements, again.to_local().tolist(), copy.deepcopy(x).tolist())
""")
        assert code == 0, complained

    def results_of(self, topic):
        """Returns the lines under a heading of the output, per rank."""
        lines = [[line for line in printed] for printed in self.printed]
        parts = []
        for printed in lines:
            begin = printed.index(f"# {topic}") + 1
            end = next((i for i in range(begin, len(printed)) if printed[i].startswith("#")), len(printed))
            parts.append(printed[begin:end])
        return parts

    def test_it_has_its_own_part_of_an_uneven_tensor(self):
        parts = ["[0.0, 1.0]", "[2.0, 3.0]", "[4.0]", "[]"]
        gradients = ["[1.0, 1.0]", "[2.0, 2.0]", "[3.0]", "[]"]
        shown = ["tensor([0., 1.])", "tensor([2., 3.])", "tensor([4.])", "tensor([])"]
        self.assertEqual(self.results_of("its part of an uneven tensor"), [
            [f"Tensor {parts[rank]} {rank} [0.0, 1.0, 4.0, 9.0, 16.0]",
             f"(Shard(dim=0),) {gradients[rank]} [1.0, 1.0, 2.0, 2.0, 3.0]",
             f"DTensor(local_tensor={shown[rank]}"] for rank in range(4)])

    def test_it_goes_its_own_way_on_plain_tensors(self):
        self.assertEqual(self.results_of("its own way"), [
            [f"[0.0, 1.0, 12.0, 3.0] [6.0] {[rank % 2, rank % 2 + 2]} [{row}.0]",
             f"6.0 {column}.0 {(rank // 2, rank % 2)}"]
            for rank, row, column in zip(range(4), (1, 1, 15, 15), (12, 4, 12, 4))])

    def test_of_a_mesh_without_it_it_has_nothing(self):
        self.assertEqual(self.results_of("a mesh without it"), [
            ["[0.0] [0.0, 2.0] (0,)", "True False 0.0"], ["[1.0] [0.0, 2.0] (1,)", "True False 1.0"],
            ["[] [] None", "True False 0.0"], ["[] [] None", "True False 0.0"]])

    def test_collectives_of_the_program_are_counted_too(self):
        counts = {"c10d_functional.all_reduce": 2, "c10d.allreduce_": 1,
                  "c10d_functional.all_gather_into_tensor": 1}
        self.assertEqual(self.results_of("its own collectives"), [
            [f"6.0 {row}.0", str(counts)] for row in (1, 1, 5, 5)])

    def test_run_check_compares_the_parts_of_processes(self):
        usual = "{'dtype': torch.float32, 'requires_grad': False, 'shape': (2, 3), 'stride': (3, 1)}"
        begin = f"Inconsistent tensor metadata (including shape and stride) across ranks: got {usual} on rank 0 and "
        self.assertEqual(self.results_of("parts that are not alike"), [[
            begin + usual.replace("float32", "float64") + " on rank 1",
            begin + usual.replace("False", "True") + " on rank 2",
            begin + usual.replace("(3, 1)", "(1, 2)") + " on rank 3",
            "torch.Size([7, 3])"]] * 4)

    def test_a_step_that_one_rank_refuses_is_refused_on_all(self):
        found = self.results_of("a refusal")
        self.assertEqual(found, [found[0]] * 4)
        self.assertRegex(found[0][0], "index 8 at position .5. of the ids is out of range, expected 0 to 7")
        self.assertEqual(found[0][1:], ["9.0"])

    def test_saved_parts_are_loaded_by_the_rank_that_saved_them(self):
        parts = ["[0.0, 1.0]", "[2.0, 3.0]", "[4.0]", "[]"]
        self.assertEqual(self.results_of("saved"), [[f"(Shard(dim=0),) {part} [0.0, 1.0, 2.0, 3.0, 4.0]"]
                                              for part in parts])


class Others(unittest.TestCase):
    def test_processes_with_several_ranks_each_that_are_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "rank-7.shardlens").write_text("of an earlier run with more processes")
            code, printed, complained = run(2, """
import shardlens
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
x = distribute_tensor(torch.arange(6.), mesh, [Shard(0)])
local = x.to_local()
doubled = DTensor.from_local(local * 2, mesh, [Shard(0)], shape=(6,), stride=(1,))
print(dist.get_rank(), [part.tolist() for part in local.local_tensors], doubled.tolist())
try:
    dist.all_reduce(torch.ones(1))
except NotImplementedError as error:
    print("refused" if "got a call by the program" in str(error) else error)
print(shardlens.explain(doubled).splitlines()[0])
""", "--ranks", 4, "--record", folder)
            self.assertEqual(code, 0, complained)
            whole = "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]"
            explained = "from_local: torch.float32 [6] is (S(0)) on mesh 4 (d0)"
            self.assertEqual(printed, [[f"0 [[0.0, 1.0], [2.0, 3.0]] {whole}", "refused", explained],
                                       [f"2 [[4.0, 5.0], []] {whole}", "refused", explained]])
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()),
                             ["rank-0.shardlens", "rank-2.shardlens"])
            recording = shardlens.open(folder)
            self.assertEqual((recording.meta["backend"], recording.meta["mesh"]), ("gloo", "4:d0"))
            collectives = recording.sql("SELECT name FROM events WHERE kind = 'Collective'")
            self.assertEqual([row.name for row in collectives], ["scatter", "all_gather"])

    def test_a_rank_that_fails_is_named_by_the_others(self):
        code, printed, complained = run(2, """
x = distribute_tensor(torch.ones(4), init_device_mesh("cpu", (2,)), [Shard(0)])
if dist.get_rank() == 1:
    raise LookupError("on purpose")
try:
    x.full_tensor()
except RuntimeError as error:
    sys.stdout.write(f"{error}\\n")
    sys.stdout.flush()
""")
        self.assertNotEqual(code, 0)
        self.assertIn("LookupError: on purpose", complained)
        self.assertEqual(printed[0], ["rank 1 failed: LookupError: on purpose"])

    def test_ranks_that_processes_cannot_share(self):
        code, _, complained = run(2, "", "--ranks", 3)
        self.assertNotEqual(code, 0)
        self.assertRegex(complained, "got 3 ranks|3 ranks")


if __name__ == "__main__":
    unittest.main()
