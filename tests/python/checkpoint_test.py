"""torch.distributed.checkpoint of sharded tensors.

A checkpoint can be loaded with other placements, and by torch's own DTensor. Full state_dicts
can be gathered and loaded."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import load_tests, warm_python  # noqa: F401

try:
    import shardlens.tensor  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

TENSORS = """
import sys
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
from torch.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict, get_state_dict,
                                                     set_model_state_dict, set_state_dict)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
whole = torch.arange(35.).view(7, 5)
R, S = Replicate(), Shard
"""
SAVE = TENSORS + """
placements = [[R, R], [S(0), S(0)], [S(0), R], [R, S(1)], [S(1), S(0)]]
state = {f"x{place}": distribute_tensor(whole + place, mesh, each) for place, each in enumerate(placements)}
checkpoint.save(state | {"scalar": distribute_tensor(torch.tensor(4.), mesh, [R, R]), "step": 3},
                checkpoint_id=sys.argv[1])
dist.destroy_process_group()
"""
LOAD = TENSORS + """
placements = [[S(0), R], [R, R], [S(1), S(0)], [S(0), S(0)], [R, R]]
state = {f"x{place}": distribute_tensor(torch.zeros(7, 5), mesh, each) for place, each in enumerate(placements)}
state |= {"scalar": distribute_tensor(torch.tensor(0.), mesh, [R, R]), "step": 0}
checkpoint.load(state, checkpoint_id=sys.argv[1])
for place, each in enumerate(placements):
    assert torch.equal(state[f"x{place}"].full_tensor(), whole + place), state[f"x{place}"]
assert state["step"] == 3 and state["scalar"].full_tensor() == 4
copies = state["x1"].redistribute(placements=[S(0), S(0)])  # a part of each rank's
assert torch.equal(copies.full_tensor(), whole + 1), copies
dist.destroy_process_group()
"""
STATE_DICTS = TENSORS + """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 4))
plain = {name: value.clone() for name, value in model.state_dict().items()}
parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "1": RowwiseParallel()})
options = StateDictOptions(full_state_dict=True)
for name, value in get_model_state_dict(model, options=options).items():
    assert not isinstance(value, DTensor) and torch.equal(value, plain[name]), name

def cleared():
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0)

def is_as_before():
    return all(isinstance(value, DTensor) and torch.equal(value.full_tensor(), plain[name])
               for name, value in model.state_dict().items())

cleared()
set_model_state_dict(model, dict(plain), options=options)
assert is_as_before()
if dist.get_backend() == "gloo":
    cleared()
    set_model_state_dict(model, dict(plain) if dist.get_rank() == 0 else {},
                         options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
    assert is_as_before()
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 4)).sum().backward()
optimizer.step()
whole_model, whole_optimizer = get_state_dict(model, optimizer, options=options)
set_state_dict(model, optimizer, model_state_dict=whole_model, optim_state_dict=whole_optimizer, options=options)
assert isinstance(optimizer.state[model[0].weight]["exp_avg"], DTensor)
dist.destroy_process_group()
"""
RANKS_OF_ONE_PROCESS = ["-m", "shardlens", "run", "--ranks", "4"]
TORCHS_OWN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4"]
ONE_RANK_EACH = [*TORCHS_OWN, "-m", "shardlens", "run"]


class Checkpoints(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def run_on(self, ranks, script):
        path = self.folder / "script.py"
        path.write_text(script)
        return subprocess.run([warm_python(), "-W", "ignore", *ranks, str(path), str(self.folder / "checkpoint")],
                              capture_output=True, text=True)

    def is_right_on(self, ranks, script):
        ran = self.run_on(ranks, script)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_ranks_of_one_process_save_and_load(self):
        self.is_right_on(RANKS_OF_ONE_PROCESS, SAVE)
        self.is_right_on(RANKS_OF_ONE_PROCESS, LOAD)

    def test_ranks_of_one_process_and_torchs_dtensor_load_each_others_files(self):
        self.is_right_on(RANKS_OF_ONE_PROCESS, SAVE)
        self.is_right_on(TORCHS_OWN, LOAD)
        self.is_right_on(TORCHS_OWN, SAVE)
        self.is_right_on(RANKS_OF_ONE_PROCESS, LOAD)

    def test_processes_of_one_rank_save_and_load(self):
        self.is_right_on(ONE_RANK_EACH, SAVE)
        self.is_right_on(ONE_RANK_EACH, LOAD)

    def test_state_dicts_are_gathered_and_distributed(self):
        for ranks in (RANKS_OF_ONE_PROCESS, ONE_RANK_EACH):
            self.is_right_on(ranks, STATE_DICTS)

    def test_terms_are_refused(self):
        ran = self.run_on(RANKS_OF_ONE_PROCESS, TENSORS + """
checkpoint.save({"x": distribute_tensor(whole, mesh, [R, R]).redistribute(placements=[Partial(), S(0)])},
                checkpoint_id=sys.argv[1])
""")
        self.assertIn("checkpoint: got a tensor placed as [Partial(sum), Shard(dim=0)], whose partial values "
                      "are not reduced, expected one that is replicated or sharded; redistribute it first", ran.stderr)

    def test_several_processes_of_several_ranks_are_refused(self):
        ran = self.run_on(["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                           "-m", "shardlens", "run", "--ranks", "4"], SAVE)
        self.assertIn("torch.distributed.checkpoint: got several processes with several ranks each, expected one "
                      "rank in each, or one process", ran.stderr)


if __name__ == "__main__":
    unittest.main()
