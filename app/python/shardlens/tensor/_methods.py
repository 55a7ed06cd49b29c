"""Adds DTensor's attributes and methods to torch.Tensor.

Sharded tensors are of the class torch.Tensor. So each attribute checks whether its tensor is
sharded, and behaves as in torch if it is not.
"""
import copy
import functools

import torch

from .. import _engine
from .._placements import parse_placement
from ._api import DTensor
from ._local import NoMemory, all_here, parts
from ._shown import text
from .device_mesh import _unpickled_mesh, mesh_of


class _OfSharded:
    """A descriptor for an attribute of DTensor; raises AttributeError on plain tensors."""

    def __init__(self, name):
        self.name = name
        self.attribute = DTensor.__dict__[name]

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if not _engine.is_sharded(instance):
            raise AttributeError(f"'Tensor' object has no attribute {self.name!r}")
        return self.attribute.__get__(instance, owner)


def _deepcopy(self, memo):
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the "
                           "deepcopy protocol at the moment.")
    made = self.detach().clone().requires_grad_(self.requires_grad)
    memo[id(self)] = made
    if self.grad is not None:
        made.grad = copy.deepcopy(self.grad, memo)
    return made


def _reduce_ex(self, protocol):
    mesh = mesh_of(self)
    # Saves the whole tensor; saves the hosted ranks' parts instead if the tensor is Partial, or if
    # the process does not host all ranks.
    placements = _engine.placements(self)
    in_parts = not all_here(self) or any(placement.is_partial() for placement in placements)
    values = parts(self) if in_parts else [_engine.read_whole(self.detach())]
    return _rebuild, (mesh.device_type, mesh.mesh.tolist(), mesh.mesh_dim_names,
                      [str(placement) for placement in placements], values, list(self.shape),
                      self.requires_grad, _engine.hosted(mesh._own) if in_parts else None)


# Unpickles a sharded tensor. `hosted`: the ranks whose parts `values` are; None: it has the whole.
def _rebuild(device_type, ranks, names, placements, values, shape, requires_grad, hosted):
    mesh = _unpickled_mesh(device_type, ranks, names)._own
    placements = [parse_placement(written) for written in placements]
    if hosted is None:
        made = _engine.distribute(values[0], mesh, placements)
    elif hosted == _engine.hosted(mesh):
        made = _engine.from_locals(mesh, values, placements, shape)
    else:
        raise RuntimeError(f"load: got the parts of ranks {hosted} of a sharded tensor, expected those of "
                           f"this process, {_engine.hosted(mesh)}; each process loads the file that it saved")
    return made.requires_grad_(requires_grad)


def _tolist(self):
    if all_here(self):
        return _engine.read_whole(self.detach()).tolist()
    return self.full_tensor().tolist()


def _numpy(self, *, force=False):
    raise NoMemory("numpy: got a sharded tensor, which has no memory, expected a plain tensor: "
                   "full_tensor().numpy() returns the whole, to_local() the rank's part")


def _untyped_storage(self):
    raise RuntimeError("untyped_storage: got a sharded tensor, which has no memory, expected a plain tensor: "
                       "full_tensor() returns the whole, to_local() the rank's part")


def _to(self, *args, **kwargs):
    """Tensor.to() of sharded tensors. Converts each part for the device meta, because `_to_copy`
    would be dispatched to meta itself and bypass the engine."""
    target = args[0] if args else kwargs.get("other")
    if isinstance(target, torch.Tensor):
        device, dtype = target.device, target.dtype
    else:
        device, dtype, *_ = torch._C._nn._parse_to(*args, **kwargs)
    if device is None or device.type != "meta" or self.is_meta:
        return _plain_to(self, *args, **kwargs)
    made = _engine.from_locals(_engine.mesh(self), [part.to("meta", dtype) for part in parts(self)],
                               _engine.placements(self), list(self.shape), list(self.stride()))
    return made.requires_grad_(self.requires_grad)


def _new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, **options):
    return torch.tensor(data, dtype=dtype or self.dtype, device=device or self.device,
                        requires_grad=requires_grad)


_plain_to = torch.Tensor.to


# Replaces a method of torch.Tensor by `ours` for sharded tensors.
def _otherwise(name, ours):
    plain = getattr(torch.Tensor, name)

    @functools.wraps(plain)
    def method(self, *args, **kwargs):
        chosen = ours if _engine.is_sharded(self) else plain
        return chosen(self, *args, **kwargs)
    setattr(torch.Tensor, name, method)


# Changes torch.Tensor; called once, at import.
def install():
    for name in ("placements", "device_mesh", "to_local", "full_tensor", "redistribute",
                 "_local_tensor", "_repr_html_",
                 "__create_write_items__", "__create_chunk_list__", "__get_tensor_shard__"):
        setattr(torch.Tensor, name, _OfSharded(name))
    for name, ours in (("__repr__", text), ("__deepcopy__", _deepcopy), ("tolist", _tolist),
                       ("__reduce_ex__", _reduce_ex), ("numpy", _numpy), ("new_tensor", _new_tensor),
                       ("untyped_storage", _untyped_storage), ("to", _to),
                       # As DTensor's, which has no storage either.
                       ("data_ptr", lambda self: 0), ("is_shared", lambda self: False)):
        _otherwise(name, ours)
    torch.serialization.add_safe_globals([_rebuild])
