"""Samples of placements with their texts, and helpers that several tests share."""
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).absolute().parents[1] / "support"))
from parts import load_tests  # noqa: E402,F401
from shardlens import (MaskPartial, NormPartial, Partial, Replicate, Shard, StridedShard)

# (placement, its str(), its repr()), at least one of each kind.
WRITTEN = [
    (Replicate(), "R", "Replicate()"),
    (Shard(0), "S(0)", "Shard(dim=0)"),
    (Shard(dim=-1), "S(-1)", "Shard(dim=-1)"),
    (StridedShard(0, split_factor=2), "_S(0, 2)", "_StridedShard(dim=0, sf=2)"),
    (StridedShard(dim=1, split_factor=1), "_S(1, 1)", "_StridedShard(dim=1, sf=1)"),
    (Partial(), "P(sum)", "Partial(sum)"),
    (Partial("avg"), "P(avg)", "Partial(avg)"),
    (Partial(reduce_op="max"), "P(max)", "Partial(max)"),
    (Partial("premul_sum", factor=0.5), "P(premul_sum, 0.5)", "Partial(premul_sum, 0.5)"),
    (NormPartial(), "_NormP(2)", "_NormPartial(2)"),
    (NormPartial(3.5), "_NormP(3.5)", "_NormPartial(3.5)"),
    (MaskPartial(offset_shape=(10, 3)), "MaskP(sum, torch.Size([10, 3]), 0)",
     "_MaskPartial(reduce_op=sum, offset_shape=torch.Size([10, 3]), offset_dim=0)"),
    (MaskPartial("max", offset_shape=[10, 3], offset_dim=1), "MaskP(max, torch.Size([10, 3]), 1)",
     "_MaskPartial(reduce_op=max, offset_shape=torch.Size([10, 3]), offset_dim=1)"),
]
PLACEMENTS = [placement for placement, _, _ in WRITTEN]

# Run with `python -c`: the same as `python -m shardlens`, but numpy cannot be imported.
WITHOUT_NUMPY = """import runpy, sys
sys.modules["numpy"] = None
sys.argv[0] = "shardlens"
runpy.run_module("shardlens", run_name="__main__")"""


def collectives(mode):
    """Returns the collective counts of a CommDebugMode, by the engine's names of collectives."""
    from shardlens.tensor.debug import OPERATORS
    words = {operator: word for word, operator in OPERATORS.items()}
    return {words.get(operator, operator): count for operator, count in mode.get_comm_counts().items()}


@functools.cache
def warm_python():
    """Returns a Python executable that starts with torch imported, for tests that start several programs."""
    from warm_python import warm_python as start
    return start("torch")


def recorded_on_four_ranks(case, script_text, *options):
    """Records a script under torchrun, with options of `shardlens record`, for a test case that removes the
    files at its end. Returns the folder of the recording and the path of the script."""
    held = tempfile.TemporaryDirectory()
    case.addCleanup(held.cleanup)
    script, folder = pathlib.Path(held.name, "script.py"), pathlib.Path(held.name, "recording")
    script.write_text(script_text)
    ran = subprocess.run([warm_python(), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4",
                          "-m", "shardlens", "record", "-o", folder, *options, script],
                         capture_output=True, text=True, check=False)
    case.assertEqual(ran.returncode, 0, ran.stderr)
    return folder, script


def start_ranks(count, command, python_path, **streams):
    """Starts a process per rank, as torchrun does, with one thread each. `streams` are arguments of Popen."""
    return [subprocess.Popen(command, text=True, stderr=subprocess.PIPE,
                             env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1",
                                  "PYTHONPATH": os.pathsep.join(python_path)}, **streams)
            for rank in range(count)]
