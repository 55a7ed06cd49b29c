"""`python -m shardlens run`: unchanged scripts that were written for DTensor."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import WITHOUT_NUMPY, load_tests, warm_python  # noqa: F401

try:
    import shardlens.tensor  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

EXAMPLES = pathlib.Path(__file__).absolute().parents[2] / "app" / "python" / "examples"


def run(*arguments, script=None):
    with tempfile.TemporaryDirectory() as folder:
        if script is not None:
            path = pathlib.Path(folder, "script.py")
            path.write_text(script)
            arguments = [path if argument == "SCRIPT" else argument for argument in arguments]
        return subprocess.run([warm_python(), "-m", "shardlens", "run", *map(str, arguments)],
                              capture_output=True, text=True)


class Examples(unittest.TestCase):
    def losses(self, output):
        found = re.findall(r"step +\d+: loss ([\d.]+) on \S+ ranks, ([\d.]+) on one", output)
        return [(float(loss), float(plain)) for loss, plain in found]

    def test_a_transformer_learns_as_on_one_rank(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "transformer.shardlens")
            ran = run("--ranks", 4, "--record", path, "--values", "none",
                      EXAMPLES / "transformer.py", "--steps", 20)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            recording = shardlens.open(path)
            self.assertEqual(recording.meta["path"], str(EXAMPLES / "transformer.py"))
            self.assertIn("words.weight", {row.name for row in recording.sql("SELECT name FROM tensors")})
            self.assertEqual(len(recording.steps), 20)
        losses = self.losses(ran.stdout)
        self.assertEqual(len(losses), 20)
        self.assertLess(losses[-1][0], losses[0][0] / 2)
        for loss, plain in losses:
            self.assertAlmostEqual(loss, plain, places=4)

    def test_pytorchs_tensor_parallel_plan_learns_as_on_one_rank(self):
        ran = run("--ranks", 2, EXAMPLES / "tensor_parallel.py")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        losses = self.losses(ran.stdout)
        self.assertEqual(len(losses), 5)
        for loss, plain in losses:
            self.assertAlmostEqual(loss, plain, places=4)


RANK_DEPENDENT = """
import os, torch, torch.distributed as dist
from torch.distributed.tensor import DTensor, Shard, init_device_mesh
mesh = init_device_mesh("cpu", (2,))
if not dist.is_initialized():
    dist.init_process_group("gloo")
print(f"rank {dist.get_rank()}")
if dist.get_rank() == 0 and mesh.get_local_rank() == 0 and mesh.get_coordinate() == (0,):
    print("rank 0 alone")
USE
"""


class Ranks(unittest.TestCase):
    def test_a_use_of_the_rank_is_refused_at_its_line(self):
        uses = ("torch.arange(8.).chunk(2)[dist.get_rank()]", "torch.ones(2) + dist.get_rank()",
                "torch.full((2,), dist.get_rank())", "torch.manual_seed(mesh.get_local_rank())",
                "mesh.get_coordinate()[0] == 1", "2 * mesh.get_rank()", "{dist.get_rank(): 1}",
                "int(os.environ['RANK'])", "os.environ.get('LOCAL_RANK')", "os.getenv('RANK', 0)")
        tried = "".join(f"try:\n    {use}\n    print('not refused')\n"
                        "except NotImplementedError as error:\n    print(error)\n" for use in uses)
        script = RANK_DEPENDENT.replace("USE", tried + "print('RANK' in dict(os.environ), 'RANK' in os.environ)")
        ran = run("--ranks", 2, "SCRIPT", script=script)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        first, second, *refused, listed = ran.stdout.splitlines()
        self.assertEqual((first, second, listed), ("rank 0", "rank 0 alone", "False True"))
        lines = script.splitlines()
        for use, refusal in zip(uses, refused, strict=True):
            line = lines.index("    " + use) + 1
            self.assertRegex(refusal, rf"script\.py:{line}: got a use of the rank, expected none: .* `--processes` starts")

    def test_processes_run_the_script_for_each_rank(self):
        script = RANK_DEPENDENT.replace("USE", """
part = torch.arange(8.).chunk(2)[dist.get_rank()]
whole = DTensor.from_local(part, mesh, [Shard(0)]).full_tensor()
group = dist.new_group([0, 1])
dist.all_reduce(part, group=group)
print(f"{os.environ['RANK']} {whole.tolist()} {part.tolist()}")
dist.destroy_process_group()
""")
        ran = run("--ranks", 2, "--processes", "SCRIPT", script=script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        numbers = "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] [4.0, 6.0, 8.0, 10.0]"
        for line, times in (("rank 0", 2), ("rank 0 alone", 1), ("rank 1", 1), (f"0 {numbers}", 1), (f"1 {numbers}", 1)):
            self.assertEqual(ran.stdout.count(line), times, ran.stdout)  # line ends may be mixed
        self.assertEqual(run("--ranks", 2, "--processes", "SCRIPT", script="raise SystemExit(3)").returncode, 1)
        self.assertIn("--processes: got no --ranks", run("--processes", "x.py").stderr)


class Scripts(unittest.TestCase):
    def test_a_script_is_as_python_runs_it(self):
        ran = run("--ranks", 3, "SCRIPT", "--flag", "x", script="""
import os, sys
import torch.distributed as dist
dist.init_process_group("gloo")
print(__name__, sys.argv[1:], dist.get_rank(), dist.get_world_size(), os.environ["WORLD_SIZE"])
sys.exit(7)
""")
        self.assertEqual((ran.returncode, ran.stdout), (7, "__main__ ['--flag', 'x'] 0 3 3\n"))

    def test_a_script_by_a_relative_path_that_exits_is_recorded_by_its_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "script.py").write_text("""import sys, torch
from torch.distributed.tensor import distribute_tensor, init_device_mesh
distribute_tensor(torch.ones(4), init_device_mesh("cpu", (2,))) + 1
sys.exit(0)
""")
            ran = subprocess.run([warm_python(), "-m", "shardlens", "run", "--ranks", "2", "--record",
                                  "r.shardlens", "script.py", "--name", "a b"], cwd=folder, capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            recording = shardlens.open(pathlib.Path(folder, "r.shardlens"))
            self.assertEqual(recording.meta["arguments"], "--name 'a b'")
            added = recording.sql("SELECT line FROM events WHERE name LIKE 'aten.add%'")
            self.assertEqual([row.line for row in added], [3])
            self.assertEqual(recording.sql("SELECT name FROM events WHERE kind = 'Error'"), [])

    def test_a_script_runs_without_numpy(self):
        ran = subprocess.run([sys.executable, "-W", "ignore", "-c", WITHOUT_NUMPY, "run", "--ranks", "4",
                              EXAMPLES / "transformer.py", "--steps", "1"], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("step  1: loss", ran.stdout)

    def test_all_ways_to_import_a_name_lead_to_one_class(self):
        ran = run("--ranks", 2, "SCRIPT", script="""
import importlib
import torch
import torch.distributed.tensor
import torch.distributed.tensor as dt
from torch.distributed._tensor import DTensor as older
from torch.distributed import DeviceMesh, init_device_mesh, tensor
from torch.distributed.device_mesh import init_device_mesh as again
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import loss_parallel
from torch.distributed.tensor.parallel.loss import loss_parallel as same_loss
from torch.distributed.tensor.placement_types import Shard, _Partial
import shardlens.tensor as ours
assert _Partial is ours.Partial and same_loss is loss_parallel
assert torch.distributed.tensor is dt is tensor is ours and older is ours.DTensor
assert importlib.import_module("torch.distributed.tensor") is ours
assert importlib.import_module(".debug", "torch.distributed.tensor").CommDebugMode is CommDebugMode
assert Shard is ours.Shard and init_device_mesh is again is ours.init_device_mesh
mesh = init_device_mesh("cpu", (2,))
x = dt.distribute_tensor(torch.ones(4), mesh, [Shard(0)])
with CommDebugMode() as mode:
    x.full_tensor()
counts = mode.get_comm_counts()
print(counts[torch.ops.c10d_functional.all_gather_into_tensor],
      counts[torch.ops.c10d_functional.all_reduce], mode.get_total_counts())
""")
        self.assertEqual((ran.stderr, ran.stdout), ("", "1 0 1\n"))

    def test_collectives_by_hand_private_modules_and_fsdp2_are_refused(self):
        ran = run("--ranks", 2, "SCRIPT", script="""
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
for call in (lambda: dist.all_reduce(torch.ones(1)), lambda: __import__("torch.distributed.tensor._dispatch"),
             lambda: fully_shard(torch.nn.Linear(2, 2)),
             lambda: torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))):
    try:
        call()
    except (NotImplementedError, ImportError) as error:
        print(error)
""")
        first, second, third, fourth = ran.stdout.splitlines()
        self.assertIn("fully_shard: got FSDP2, which requires torch's own DTensors, expected", third)
        self.assertIn("DistributedDataParallel: got a module that runs its own collectives, expected DTensor's", fourth)
        self.assertIn("torch.distributed.all_reduce: got a call by the program, expected DTensor's", first)
        self.assertIn("torch.distributed.tensor._dispatch: got a private module of DTensor", second)

    def test_the_process_group_answers_functions_that_send_nothing(self):
        ran = run("--ranks", 3, "SCRIPT", script="""
import torch.distributed as dist
dist.init_process_group("gloo")
dist.barrier()
dist.monitored_barrier()
print(dist.get_rank(), dist.get_world_size(dist.group.WORLD), dist.get_process_group_ranks(dist.group.WORLD))
""")
        self.assertEqual((ran.stdout, ran.stderr), ("0 3 [0, 1, 2]\n", ""))

    def test_an_error_is_the_scripts_own_and_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "error.shardlens")
            ran = run("--ranks", 2, "--record", path, "SCRIPT", script="""
import torch
from torch.distributed.tensor import distribute_tensor, init_device_mesh
x = distribute_tensor(torch.ones(4), init_device_mesh("cpu", (2,)))
raise LookupError("on purpose")
""")
            self.assertEqual(ran.returncode, 1)
            self.assertIn("LookupError: on purpose", ran.stderr)
            errors = shardlens.open(path).sql("SELECT name FROM events WHERE kind = 'Error'")
        self.assertEqual([error.name for error in errors], ["LookupError: on purpose"])

    def test_invalid_arguments(self):
        self.assertIn("--ranks: got 0, expected 1 or more", run("--ranks", 0, "x.py").stderr)
        missing = run("--ranks", 2, "missing.py")
        self.assertEqual((missing.returncode, missing.stderr), (1, "missing.py: no such file\n"))
        some = run("--ranks", 2, "--record", "x.shardlens", "--values", "some", "x.py")
        self.assertEqual(some.stderr, "run: values: got some, expected none, stats, hashes or all\n")
        few = run("--ranks", 2, "SCRIPT", script="""
import torch
from torch.distributed.tensor import distribute_tensor, init_device_mesh
distribute_tensor(torch.ones(4), init_device_mesh("cpu", (4,)))
""")
        self.assertIn("bigger than default world size 2, but found 4 ranks", few.stderr)


if __name__ == "__main__":
    unittest.main()
