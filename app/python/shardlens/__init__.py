"""Runs, records and explains PyTorch programs on sharded tensors, on simulated ranks.

`shardlens.tensor` has the names of torch.distributed.tensor. It and `record()` need torch.
Placements, `open()`, which reads recordings, and `checkpoint()` do not.
"""
from __future__ import annotations

import importlib
import os
import sys
import typing

from ._checkpoint import Checkpoint, checkpoint
from ._installed import import_torch
from ._open import Problem, Recording, open
from ._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                          StridedShard, __version__, parse_placement)
from ._view import view

if typing.TYPE_CHECKING:  # __getattr__ imports each on first use
    from collections.abc import Sequence

    import torch

    from . import tensor
    from ._job import JobRecording
    from ._record import EngineRecording, cache_info, explain, history
    from .tensor.debug import comm_counts

__all__ = ["Checkpoint", "MaskPartial", "NormPartial", "Partial", "Placement", "Problem", "Recording", "Replicate",
           "Shard", "StridedShard", "__version__", "assert_placement", "cache_info", "checkpoint", "comm_counts",
           "explain", "history", "init", "open", "parse_placement", "record", "view"]

_NEED_ENGINE = {"cache_info": "_record", "explain": "_record", "history": "_record",
                "comm_counts": "tensor.debug",
                "tensor": "tensor"}


def record(path: str | os.PathLike[str], values: str | Sequence[str] = "all",
           program: str | None = None, *, steps: str = "", keep: str = "", ranks: str = "",
           mesh: str = "", plain: bool = False, operators: str = "") -> EngineRecording | JobRecording:
    """Returns a context manager that records the body of its `with` statement to `path`.

    The recording has operators with source line, module and direction, cache lookups,
    redistributions and their plans, collectives, masks, and values. `shardlens.open()` and the
    window read it, also while it grows.

    There are two recorders. If `shardlens.tensor` was imported, or the process is not part of a
    job, its tensors are recorded, with the engine's reasons. Else, in a job (torchrun, Slurm, ...),
    torch's own DTensor is recorded. In several processes `path` is a folder: each rank writes a
    file there, and the folder opens as one recording.

    `values` selects the recorded values: "none", "stats", "hashes", "all", or a list of rules such as
    "stats:step=3-5:rank=0:tensor=y"; the last rule that matches decides. Steps are numbered from 1.
    A step ends with the step of an optimizer, or at a call of `step()` of the returned object.
    `program` is the file that runs, if it is not the one that Python was started with.

    For torch's own DTensor, a part of a long job can be recorded. `steps`, as "100..110,every=50",
    selects steps. `keep`, as "10min" or "200steps", retains the end of the job only: at least that
    much, and at most twice as much. `ranks` selects the recorded ranks, as "0-3,8" or, with a
    `mesh` as "2x4:dp,tp", by its axes: "dp=0 tp=*". `plain`: a job's plain tensors are recorded as
    well, so that `Recording.placements()` can infer their placements. `operators`, as "1..3,every=10",
    selects the steps whose operators are recorded; other steps have their collectives and errors, and
    cost little. Raises ValueError if one of `steps`, `keep`, `ranks`, `mesh`, `plain` and `operators`
    is given for the engine's tensors.
    """
    part = {"steps": steps, "keep": keep, "ranks": ranks, "mesh": mesh, "plain": plain, "operators": operators}
    if _is_job():
        return importlib.import_module("._job", __name__).JobRecording(path, values, program, **part)
    for name, value in part.items():
        if value:
            raise ValueError(f"record: got {name}, expected a job under torch's own DTensor")
    importlib.import_module(".tensor", __name__)
    return importlib.import_module("._record", __name__).EngineRecording(path, values, program)


def assert_placement(tensor: torch.Tensor, **axes: Placement | str) -> None:
    """States the placement of a plain tensor along axes of ranks, as `assert_placement(x, tp="S(0)",
    dp=Replicate())`. Does nothing but in a job that is recorded with `record --plain`: there, the statement
    is compared with the recorded values and operators, and placements of other tensors are inferred from
    it. An axis has the description of its process group, or the name of its dimension of a DeviceMesh.

    Raises ValueError for a text that is not a placement."""
    stated = {axis: str(parse_placement(each) if isinstance(each, str) else each) for axis, each in axes.items()}
    job = sys.modules.get(f"{__name__}._job")
    if job is not None:
        job.claim(tensor, stated)


def init(ranks: int) -> None:
    """Sets the number of ranks. Without it there are as many ranks as processes, or, in one
    process, as the largest mesh so far needs. If the number changes, earlier tensors cannot be
    combined with later ones.

    Raises RuntimeError if the processes cannot share the ranks evenly, or if the number would
    change during a recording that has begun."""
    if not hasattr(ranks, "__index__"):
        raise TypeError(f"init: got ranks {ranks!r}, expected a whole number")
    importlib.import_module(".tensor", __name__)
    importlib.import_module("._engine", __name__).init(ranks)


# Returns True if record() has to record torch's own DTensor: `shardlens.tensor` was not imported,
# and the process is one of several.
def _is_job():
    if f"{__name__}.tensor" in sys.modules:
        return False
    distributed = import_torch().distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_backend() != "simulated"
    return int(os.environ.get("WORLD_SIZE") or os.environ.get("SLURM_NTASKS") or 1) > 1


def __getattr__(name):
    if name not in _NEED_ENGINE:
        raise AttributeError(f"module 'shardlens' has no attribute {name!r}")
    tensor = importlib.import_module(".tensor", __name__)  # its ImportError names what is missing
    if name == "tensor":
        return tensor
    return getattr(importlib.import_module("." + _NEED_ENGINE[name], __name__), name)


def __dir__():
    return sorted({*globals(), *__all__, "tensor"})
