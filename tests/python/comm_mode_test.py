"""CommDebugMode: tables and files equal DTensor's; collectives are assigned to modules."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from support import warm_python

try:
    import torch
    from shardlens.tensor import Partial, Replicate, Shard, distribute_tensor, init_device_mesh
    from shardlens.tensor.debug import CommDebugMode
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

from torch import nn
from torch.utils.checkpoint import checkpoint

ROW = init_device_mesh("cpu", (2,))
ALL_REDUCE = torch.ops.c10d_functional.all_reduce
ALL_GATHER = torch.ops.c10d_functional.all_gather_into_tensor

# Runs a model on the tensors of `package` under its CommDebugMode. Prints the results as JSON and
# writes the mode's files to `folder`.
PROGRAM = """import json, sys
import torch
from torch import nn
package, folder = sys.argv[1:]
if package.startswith("torch"):
    from torch.testing._internal.distributed.fake_pg import FakeStore
    torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
from importlib import import_module
CommDebugMode = import_module(package + ".debug").CommDebugMode
parallel = import_module(package + ".parallel")
mesh = import_module(package + ".device_mesh").init_device_mesh("cpu", (2,))

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1, self.relu, self.net2 = nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)
    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks, self.last = nn.ModuleList([Block(), Block()]), nn.Linear(4, 2)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.last(x)

model = Model()
for block in model.blocks:
    parallel.parallelize_module(block, mesh, {"net1": parallel.ColwiseParallel(), "net2": parallel.RowwiseParallel()})
mode = CommDebugMode()
with mode:
    model(torch.rand(3, 4)).sum().backward()
for level in range(4):
    mode.log_comm_debug_tracing_table_to_file(f"{folder}/{level}.txt", noise_level=level)
    mode.generate_json_dump(f"{folder}/{level}.json", noise_level=level)
print(json.dumps([mode.generate_comm_debug_tracing_table(noise_level=0), mode.get_total_counts(),
                  {name: str(value) for name, value in mode.get_sharding_info().items()},
                  {name: list(value) for name, value in mode.get_parameter_info().items()},
                  {name: {key: {str(kind): count for kind, count in sent.items()} for key, sent in counts.items()}
                   for name, counts in mode.comm_module_counts.items()}]))
"""


def seen_by(package, folder):
    ran = subprocess.run([warm_python(), "-c", PROGRAM, package, folder], capture_output=True, text=True)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr)
    files = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            files[name] = file.read()
    return json.loads(ran.stdout), files


def lines_that_say(table):
    """Returns the lines without pass headings that have no entries; DTensor prints those at level 1."""
    lines = table.splitlines()
    below = [*lines[1:], ""]
    return [line for line, after in zip(lines, below)
            if not line.endswith(" PASS") or after.lstrip().startswith("*") and
            len(after) - len(after.lstrip()) > len(line) - len(line.lstrip())]


def without_passes(module):
    """Removes empty operations_checkpointing lists, because DTensor writes them only with operators."""
    kept = {key: value for key, value in module.items() if value or key != "operations_checkpointing"}
    return kept | {"children": [without_passes(child) for child in module["children"]]}


@unittest.skipUnless(torch.__version__.startswith("2.15"), "its tables are those of torch 2.15")
class AsDTensors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.both = []
        for package in ("torch.distributed.tensor", "shardlens.tensor"):
            with tempfile.TemporaryDirectory() as folder:
                cls.both.append(seen_by(package, folder))

    def test_collectives_by_module_and_placements_of_parameters(self):
        (theirs, _), (ours, _) = self.both
        self.assertEqual(ours, theirs)
        self.assertEqual(ours[1], 3)  # one per block, and one for the gradient of the first block's input
        self.assertIn("\033[1;33m", ours[0])

    def test_files(self):
        (_, theirs), (_, ours) = self.both
        self.assertEqual(sorted(ours), sorted(theirs))
        for level in (0, 1):
            self.assertEqual(lines_that_say(ours[f"{level}.txt"]), lines_that_say(theirs[f"{level}.txt"]))
            self.assertEqual(without_passes(json.loads(ours[f"{level}.json"])),
                             without_passes(json.loads(theirs[f"{level}.json"])))

    def test_each_noise_level_adds_lines(self):
        _, files = self.both[1]
        self.assertNotIn("\033", files["3.txt"])
        said = [[word in files[f"{level}.txt"] for word in
                 ("c10d_functional.all_reduce: 1", "*module type: class 'torch.nn.modules.linear.Linear'",
                  "**aten.addmm.default", "**aten.relu.default", "**aten.t.default")] for level in range(4)]
        self.assertEqual(said, [[True, False, False, False, False], [True, True, True, False, False],
                                [True, True, True, True, False], [True, True, True, True, True]])


class Sends(nn.Module):
    """A module that saves the redistributed tensor for backward."""

    def forward(self, x):
        return x.redistribute(placements=[Replicate()]).square()


class Where(unittest.TestCase):
    def sent(self, mode):
        """Returns the collective counts by (module, pass, operator), read from the JSON dump."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "seen.json")
            mode.generate_json_dump(path, noise_level=0)
            with open(path, encoding="utf-8") as file:
                modules = [json.load(file)]
        found = {}
        for module in modules:
            modules += module["children"]
            found |= {(module["fqn"], key.removeprefix("collectives_"), kind): count for key in
                      ("collectives_forward", "collectives_backward") for kind, count in module[key]}
        return found

    def test_in_no_module(self):
        x = distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=None)
        with CommDebugMode() as mode:
            x.redistribute(placements=[Replicate()])
        self.assertEqual(self.sent(mode), {("Global", "forward", str(ALL_GATHER)): 1})
        self.assertEqual(repr(mode), "CommDebugMode(get_total_counts()=1)")

    def test_a_gradient_counts_for_the_module_of_its_forward(self):
        x = distribute_tensor(torch.ones(4), ROW, [Partial()], src_data_rank=None).requires_grad_()
        inner = nn.Sequential(nn.Identity(), Sends())
        with CommDebugMode() as mode:
            y = inner(x.redistribute(placements=[Shard(0)]))
            y.backward(distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=None))
            x.detach().redistribute(placements=[Replicate()])
        found = self.sent(mode)
        gathered, reduced = str(ALL_GATHER), str(ALL_REDUCE)
        self.assertEqual({key[0] for key in found if key[1:] == ("forward", gathered)},
                         {"Global", "Sequential", "Sequential.1"})
        self.assertEqual(found["Global", "forward", reduced], 1)
        self.assertNotIn(("Sequential", "forward", reduced), found)
        self.assertEqual(mode.get_total_counts(),
                         sum(count for (name, _, _), count in found.items() if name == "Global"))

    def test_activation_checkpointing(self):
        x = distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=None).requires_grad_()
        sends = Sends()
        with CommDebugMode() as mode:
            checkpoint(sends, x, use_reentrant=False).sum().backward()
        self.assertEqual((self.sent(mode)["Sends", "forward", str(ALL_GATHER)],
                          self.sent(mode)["Sends", "backward", str(ALL_GATHER)]), (1, 1))
        table = mode.generate_comm_debug_tracing_table(noise_level=2)
        _, again = table.split("ACTIVATION CHECKPOINTING")
        self.assertIn(f"**{ALL_GATHER}", again)

    def test_a_module_that_fails_ends(self):
        class Fails(nn.Module):
            def forward(self, x):
                raise ValueError("no")

        x = distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=None)
        with CommDebugMode() as mode:
            with self.assertRaisesRegex(ValueError, "^no$"):
                Fails()(x)
            x.redistribute(placements=[Replicate()])
        self.assertEqual(self.sent(mode), {("Global", "forward", str(ALL_GATHER)): 1})

    def test_entering_again_starts_from_zero_and_nested_modes_both_count(self):
        x = distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=None)
        outer, inner = CommDebugMode(), CommDebugMode()
        self.assertEqual(outer.get_total_counts(), 0)
        for _ in range(2):
            with outer:
                x.redistribute(placements=[Replicate()])
                with inner:
                    x.redistribute(placements=[Replicate()])
            self.assertEqual((outer.get_total_counts(), inner.get_total_counts()), (2, 1))
        x.redistribute(placements=[Replicate()])
        self.assertEqual(outer.get_comm_counts(), {ALL_GATHER: 2})

    def test_a_module_that_ran_before_has_no_hooks_of_it(self):
        sends = Sends()
        with CommDebugMode():
            sends(distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=None))
        self.assertEqual(len(sends._forward_hooks), 0)


if __name__ == "__main__":
    unittest.main()
