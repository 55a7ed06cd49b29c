"""What sharded tensors do otherwise than plain ones in Python: their class is torch.Tensor, so its
attributes ask which of the two they are of."""
import copy
import functools

import torch

from .. import _engine
from .._placements import parse_placement
from ._api import DTensor
from .device_mesh import _again, mesh_of


class _OfSharded:
    """An attribute that plain tensors do not have."""

    def __init__(self, name):
        self.name = name
        self.attribute = DTensor.__dict__[name]

    def __get__(self, instance, owner=None):
        if instance is None or not _engine.is_sharded(instance):
            raise AttributeError(f"'Tensor' object has no attribute {self.name!r}")
        return self.attribute.__get__(instance, owner)


def _repr(self, *, tensor_contents=None):
    try:
        values = repr(_engine.whole_for_a_look(self.detach()))
    except RuntimeError as why:
        values = f"<no values: {why}>"
    parts = [values, f"device_mesh={mesh_of(self)}", f"placements={_engine.placements(self)}"]
    if self.grad_fn is not None:
        parts.append(f"grad_fn=<{type(self.grad_fn).__name__}>")
    elif self.requires_grad:
        parts.append("requires_grad=True")
    return f"DTensor({', '.join(parts)})"


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
    # The whole says all there is, but for terms.
    placements = _engine.placements(self)
    has_terms = any(placement.is_partial() for placement in placements)
    values = _engine.to_locals(self) if has_terms else [_engine.whole_for_a_look(self.detach())]
    return _rebuild, (mesh.device_type, mesh.mesh.tolist(), mesh.mesh_dim_names,
                      [str(placement) for placement in placements], values, list(self.shape),
                      self.requires_grad)


def _rebuild(device_type, ranks, names, placements, values, shape, requires_grad):
    mesh = _again(device_type, ranks, names)._own
    placements = [parse_placement(text) for text in placements]
    if any(placement.is_partial() for placement in placements):
        made = _engine.from_locals(mesh, values, placements, shape)
    else:
        made = _engine.distribute(values[0], mesh, placements)
    return made.requires_grad_(requires_grad)


def _tolist(self):
    return _engine.whole_for_a_look(self.detach()).tolist()


def _numpy(self, *, force=False):
    raise TypeError("numpy: got a sharded tensor, which has no memory of its own, expected a plain "
                    "one: full_tensor().numpy() is the whole, to_local() what each rank has")


def _otherwise(name, ours):
    plain = getattr(torch.Tensor, name)

    @functools.wraps(plain)
    def method(self, *args, **kwargs):
        chosen = ours if _engine.is_sharded(self) else plain
        return chosen(self, *args, **kwargs)
    setattr(torch.Tensor, name, method)


def install():
    for name in ("placements", "device_mesh", "to_local", "full_tensor", "redistribute",
                 "_local_tensor"):
        setattr(torch.Tensor, name, _OfSharded(name))
    for name, ours in (("__repr__", _repr), ("__deepcopy__", _deepcopy), ("tolist", _tolist),
                       ("__reduce_ex__", _reduce_ex), ("numpy", _numpy)):
        _otherwise(name, ours)
    torch.serialization.add_safe_globals([_rebuild])
