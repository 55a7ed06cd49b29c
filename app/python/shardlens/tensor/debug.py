"""torch.distributed.tensor.debug: what a part of a program sends, and where a tensor's parts lie."""
from __future__ import annotations

import torch

from .. import _engine
from ._comm_mode import COUNTED, OPERATORS, CommDebugMode


def comm_counts() -> dict[str, int]:
    """By kind, the collectives that have run since the program began."""
    return {kind: count for kind, (count, _) in _engine.collective_counts().items()}


def visualize_sharding(dtensor: torch.Tensor, header: str = "", use_rich: bool = False) -> None:
    """Prints which rows and columns of a tensor of one or two dimensions each rank has; as plain text,
    also where a table in colours is asked for."""
    if dtensor.ndim > 2:
        raise RuntimeError("visualize sharding supports only 1D or 2D DTensor")
    mesh = _engine.mesh(dtensor)
    if header:
        print(header)
    for rank in mesh.ranks:
        print(f"rank {rank}: {owned(dtensor, rank)}")


def owned(dtensor, rank):
    """The indices of the whole that a rank has, as "[0:2 4:6, 0:3]"."""
    ranges = [" ".join(f"{first}:{last}" for first, last in runs)
              for runs in _engine.local_ranges(dtensor, rank)]
    return f"[{', '.join(ranges)}]" if all(ranges) else "empty"


__all__ = ["CommDebugMode", "comm_counts", "visualize_sharding"]
