"""PyTorch programs on sharded tensors, on simulated ranks in one process: run, recorded, explained.

`shardlens.tensor` has the names of torch.distributed.tensor; it, and what records, need torch.
Placements and `open()`, which reads recordings, do not.
"""
import importlib

from ._open import Problem, Recording, open
from ._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                          StridedShard, parse_placement)
from ._view import view

__all__ = ["MaskPartial", "NormPartial", "Partial", "Placement", "Problem", "Recording", "Replicate",
           "Shard", "StridedShard", "cache_info", "comm_counts", "explain", "init", "open",
           "parse_placement", "record", "view"]

_NEED_TORCH = {"record": "_record", "cache_info": "_record", "explain": "_record",
               "comm_counts": "tensor.debug", "tensor": "tensor"}


def init(ranks):
    """Says how many ranks there are, before the first mesh does. Tensors of before do not mix with
    later ones where the number changes."""
    importlib.import_module(".tensor", __name__)
    importlib.import_module("._engine", __name__).init(ranks)


def __getattr__(name):
    if name not in _NEED_TORCH:
        raise AttributeError(f"module 'shardlens' has no attribute {name!r}")
    tensor = importlib.import_module(".tensor", __name__)  # says what is missing
    if name == "tensor":
        return tensor
    return getattr(importlib.import_module("." + _NEED_TORCH[name], __name__), name)


def __dir__():
    return sorted({*globals(), *__all__, "tensor"})
