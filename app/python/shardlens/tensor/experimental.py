"""torch.distributed.tensor.experimental: local_map() and implicit_replication().

Functions that change DTensor's own propagation, or operators on plain tensors, raise
NotImplementedError.
"""
from __future__ import annotations

import typing

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from .. import _engine
from .._redirect import pytorchs_own
from ._api import DTensor
from .device_mesh import DeviceMesh, mesh_of

local_map = pytorchs_own("experimental._func_map").local_map


class implicit_replication(TorchFunctionMode):
    """A context manager in which a plain tensor among the sharded arguments of an operator counts
    as replicated. `names` restricts this to operators of these names."""

    def __init__(self, names: set[str] | None = None) -> None:
        super().__init__()
        self._names = names

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if self._names is not None and getattr(func, "__name__", None) not in self._names:
            return func(*args, **(kwargs or {}))
        leaves, tree = pytree.tree_flatten((args, kwargs or {}))
        mesh = next((mesh_of(leaf) for leaf in leaves if isinstance(leaf, DTensor)), None)
        if mesh is not None:
            leaves = [DTensor.from_local(leaf, mesh) if _is_plain(leaf) else leaf for leaf in leaves]
            args, kwargs = pytree.tree_unflatten(leaves, tree)
        return func(*args, **(kwargs or {}))


def _is_plain(leaf):
    return isinstance(leaf, torch.Tensor) and not _engine.is_sharded(leaf)


def context_parallel(
        mesh: DeviceMesh, *, buffers: list[torch.Tensor] | None = None,
        buffer_seq_dims: list[int] | None = None,
        no_restore_buffers: set[torch.Tensor] | None = None) -> typing.NoReturn:
    """Raises NotImplementedError. In torch it replaces the attention on plain tensors by one that
    communicates. Here, scaled_dot_product_attention runs on tensors that are sharded along the
    sequence."""
    raise NotImplementedError(
        "context_parallel: got buffers of plain tensors, expected sharded ones: "
        "distribute_tensor(query, mesh, [Shard(2)]), then call scaled_dot_product_attention; "
        "`python -m shardlens record` records context_parallel under torch's own DTensor")


def register_sharding(op: torch._ops.OpOverload | list[torch._ops.OpOverload]) -> typing.NoReturn:
    """Raises NotImplementedError. In torch it adds a rule to DTensor's propagation. The engine has
    separate rules (`shardlens ops` lists them). An operator without a rule runs as the operators
    that it calls, as one of torch.library.custom_op does, or replicated on every rank. local_map()
    runs a function on the ranks' parts with given placements."""
    names = ", ".join(map(str, op if isinstance(op, (list, tuple)) else [op]))
    raise NotImplementedError(
        f"register_sharding: got a rule for {names}, which only DTensor's own engine can use, expected none: "
        "without a rule an operator runs as the operators that it calls, or replicated on every rank; "
        "local_map(function, out_placements, in_placements) runs it on the ranks' parts")


__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]
