"""torch.distributed.tensor.debug: counts collectives, and prints how a tensor is sharded."""
from __future__ import annotations

import torch

from .. import _engine
from ._comm_mode import COUNTED, OPERATORS, CommDebugMode


def comm_counts() -> dict[str, int]:
    """Returns the number of collectives by kind, since the first mesh of the current number of
    ranks."""
    return {kind: count for kind, (count, _) in _engine.collective_counts().items()}


def visualize_sharding(dtensor: torch.Tensor, header: str = "", use_rich: bool = False) -> None:
    """Prints the rows and columns that each rank has of a tensor with at most two dimensions.
    Prints plain text; `use_rich` has no effect. Raises RuntimeError for more dimensions."""
    if dtensor.ndim > 2:
        raise RuntimeError("visualize sharding supports only 1D or 2D DTensor")
    mesh = _engine.mesh(dtensor)
    if header:
        print(header)
    for rank in mesh.ranks:
        print(f"rank {rank}: {owned(dtensor, rank)}")


def owned(dtensor, rank):
    """Returns the global indices that a rank has, as "[0:2 4:6, 0:3]", or "empty"."""
    ranges = [" ".join(f"{first}:{last}" for first, last in runs)
              for runs in _engine.local_ranges(dtensor, rank)]
    return f"[{', '.join(ranges)}]" if all(ranges) else "empty"


__all__ = ["CommDebugMode", "comm_counts", "visualize_sharding"]
