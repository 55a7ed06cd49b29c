"""torch.distributed.tensor.experimental: functions on local tensors, and plain tensors among sharded ones."""
from __future__ import annotations

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from .. import _engine
from .._redirect import pytorchs_own
from ._api import DTensor
from .device_mesh import mesh_of

local_map = pytorchs_own("experimental._func_map").local_map


class implicit_replication(TorchFunctionMode):
    """Inside of the `with`, a plain tensor that an operator gets beside sharded ones is what every rank
    has of a replicated one: any operator, or those of these names."""

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


__all__ = ["implicit_replication", "local_map"]
