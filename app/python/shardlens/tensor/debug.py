"""torch.distributed.tensor.debug: what a part of a program sends, and where a tensor's parts lie."""
from __future__ import annotations

import typing
from collections import defaultdict

import torch
import torch.distributed._functional_collectives  # whose operators are named below
import torch.distributed.tensor._collective_utils
from torch.utils._python_dispatch import TorchDispatchMode

from .. import _engine

# Of the collectives by the engine's names those that CommDebugMode of DTensor counts; what torch has no
# operator for keeps its name.
OPERATORS = {
    "all_gather": torch.ops.c10d_functional.all_gather_into_tensor,
    "all_reduce": torch.ops.c10d_functional.all_reduce,
    "reduce_scatter": torch.ops.c10d_functional.reduce_scatter_tensor,
    "all_to_all": torch.ops._dtensor.shard_dim_alltoall,
    "broadcast": torch.ops.c10d.broadcast_,
    "scatter": torch.ops.c10d.scatter_,
}
_OF_PROGRAMS = ["all_gather_into_tensor", "all_gather_into_tensor_coalesced", "all_reduce",
                "all_reduce_coalesced", "all_to_all_single", "broadcast", "reduce_scatter_tensor",
                "reduce_scatter_tensor_coalesced"]
_OF_GROUPS = ["_allgather_base_", "_reduce_scatter_base_", "allgather_", "allgather_coalesced_",
              "allgather_into_tensor_coalesced_", "allreduce_", "allreduce_coalesced_", "alltoall_",
              "alltoall_base_", "broadcast_", "gather_", "scatter_", "reduce_", "reduce_scatter_",
              "reduce_scatter_tensor_coalesced_"]
# What a program sends by itself: the operator that runs, and the one by whose name it counts.
COUNTED = {getattr(package, name): getattr(torch.ops.c10d_functional, name)
           for package in (torch.ops.c10d_functional, torch.ops._c10d_functional) for name in _OF_PROGRAMS}
COUNTED[torch.ops._c10d_functional_autograd.all_to_all_single] = torch.ops.c10d_functional.all_to_all_single
COUNTED |= {operator: operator for operator in (getattr(torch.ops.c10d, name) for name in _OF_GROUPS)}


class _OnProcessGroups(TorchDispatchMode):
    """Counts the collectives that a program runs by itself, on c10d's process groups."""

    def __init__(self):
        super().__init__()
        self.counts = defaultdict(int)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if (operator := COUNTED.get(func._overloadpacket)) is not None:
            self.counts[operator] += 1
        return func(*args, **(kwargs or {}))


class CommDebugMode:
    """Counts the collectives that run inside of the `with`: those of sharded tensors, and those that the
    program calls on process groups."""

    def __enter__(self) -> CommDebugMode:
        self._before = comm_counts()
        self._after = None
        self._own = _OnProcessGroups()
        self._own.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._after = comm_counts()
        self._own.__exit__(*exception)

    def get_comm_counts(self) -> dict[typing.Any, int]:
        """By operator, those that ran, and 0 for others: {c10d_functional.all_reduce: 2, ...}."""
        after = comm_counts() if self._after is None else self._after
        counts = self._own.counts.copy()
        for kind, count in after.items():
            if count != self._before.get(kind, 0):
                counts[OPERATORS.get(kind, kind)] += count - self._before.get(kind, 0)
        return counts

    def get_total_counts(self) -> int:
        """How many collectives ran."""
        return sum(self.get_comm_counts().values())


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
