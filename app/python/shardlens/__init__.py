"""PyTorch programs on sharded tensors, on simulated ranks in one process: run, recorded, explained.

`shardlens.tensor` has the names of torch.distributed.tensor; it, and what records, need torch.
Placements and `open()`, which reads recordings, do not.
"""
from __future__ import annotations

import importlib
import os
import sys
import typing

from ._installed import import_torch
from ._open import Problem, Recording, open
from ._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                          StridedShard, parse_placement)
from ._view import view

if typing.TYPE_CHECKING:  # each is imported when it is asked for
    from collections.abc import Sequence

    from . import tensor
    from ._job import JobRecording
    from ._record import EngineRecording, cache_info, explain, history
    from .tensor.debug import comm_counts

__all__ = ["MaskPartial", "NormPartial", "Partial", "Placement", "Problem", "Recording", "Replicate",
           "Shard", "StridedShard", "cache_info", "comm_counts", "explain", "history", "init",
           "open", "parse_placement", "record", "view"]

_NEED_ENGINE = {"cache_info": "_record", "explain": "_record", "history": "_record",
                "comm_counts": "tensor.debug",
                "tensor": "tensor"}


def record(path: str | os.PathLike[str], values: str | Sequence[str] = "all",
           program: str | None = None) -> EngineRecording | JobRecording:
    """Records what happens inside of the `with` to a file, which `shardlens.open()` and the window read,
    also while it grows: operators with their source line, module and direction, caches, redistributions
    and their plans, collectives, masks, and values.

    In a process of a job (torchrun, Slurm, ...) that uses torch's own DTensor, `path` is a folder, to
    which each rank writes its file: it opens as one recording of all ranks. Where `shardlens.tensor`
    was imported it is what its tensors do, with the reasons of the engine too; under torchrun `path` is
    a folder for that as well.

    `values` says how much is kept of what ranks hold: "none", "stats", "all", or a list of rules such
    as "stats:step=3-5:rank=0:tensor=y", of which the last that holds counts. A step ends where an
    optimizer's step does, or where `step()` of what this gives says so. `program` is the file that
    runs, where that is not the one that Python was started with.
    """
    if _is_job():
        return importlib.import_module("._job", __name__).JobRecording(path, values, program)
    importlib.import_module(".tensor", __name__)
    return importlib.import_module("._record", __name__).EngineRecording(path, values, program)


def init(ranks: int) -> None:
    """Says how many ranks there are, before the first mesh does. Tensors of before do not mix with
    later ones where the number changes."""
    if not hasattr(ranks, "__index__"):
        raise TypeError(f"init: got ranks {ranks!r}, expected a whole number")
    importlib.import_module(".tensor", __name__)
    importlib.import_module("._engine", __name__).init(ranks)


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
    tensor = importlib.import_module(".tensor", __name__)  # says what is missing
    if name == "tensor":
        return tensor
    return getattr(importlib.import_module("." + _NEED_ENGINE[name], __name__), name)


def __dir__():
    return sorted({*globals(), *__all__, "tensor"})
