"""LocalTensor, and conversions between sharded tensors and the local tensors of the hosted
ranks."""
from __future__ import annotations

import typing

import torch
import torch.distributed as dist
from torch.utils import _pytree as pytree

from .. import _engine, _processes as processes
from .._placements import Replicate

MIXED = ("got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before "
         "calling distributed operators!")


class NoMemory(TypeError, RuntimeError):
    """Raised by numpy() of a tensor without memory: a TypeError as numpy expects, a RuntimeError as
    DTensor raises."""


class LocalTensor(torch.Tensor):
    """The local tensors of all ranks of a process (`local_tensors`), as one tensor.
    `DTensor.to_local()` returns it if the ranks have different tensors.

    Each operator on it runs once per rank, on that rank's tensor; a plain tensor among the
    arguments is used for every rank. The shape is that of the first rank's tensor. A number that
    the program reads (`item()`, `if`) must be equal on all ranks, else RuntimeError is raised. An
    operator that writes on a plain tensor raises RuntimeError, too.
    """

    local_tensors: list[torch.Tensor]

    @staticmethod
    def __new__(cls, local_tensors: typing.Sequence[torch.Tensor]) -> LocalTensor:
        first = local_tensors[0]
        self = torch.Tensor._make_wrapper_subclass(
            cls, first.shape, strides=first.stride(), dtype=first.dtype, device=first.device)
        self.local_tensors = list(local_tensors)
        return self

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        leaves, tree = pytree.tree_flatten((args, kwargs or {}))
        ranks = {len(leaf.local_tensors) for leaf in leaves if isinstance(leaf, cls)}
        if len(ranks) != 1:
            raise RuntimeError(f"{func}: got local tensors of {sorted(ranks)} ranks, "
                               "expected those of one mesh")
        if any(isinstance(leaf, torch.Tensor) and _engine.is_sharded(leaf) for leaf in leaves):
            raise RuntimeError(f"{func}: {MIXED}")
        _refuse_writes_on_plain(func, args, kwargs or {})
        results = []
        for rank in range(ranks.pop()):
            own_args, own_kwargs = pytree.tree_unflatten(
                [leaf.local_tensors[rank] if isinstance(leaf, cls) else leaf for leaf in leaves], tree)
            results.append(func(*own_args, **own_kwargs))
        return _joined(func, args, results)

    def __repr__(self):
        lines = "\n".join(f"  rank {rank}: {local}" for rank, local in enumerate(self.local_tensors))
        return f"LocalTensor of {len(self.local_tensors)} ranks:\n{lines}"

    def __reduce_ex__(self, protocol):
        return LocalTensor, (self.local_tensors,)

    def tolist(self) -> typing.Any:
        """Returns the numbers as a list. Raises RuntimeError if the ranks have different ones."""
        return _same("tolist", [local.tolist() for local in self.local_tensors])

    def numpy(self, *, force: bool = False) -> typing.NoReturn:
        """Raises TypeError, because the ranks have no common memory."""
        raise NoMemory("numpy: got the local tensors of several ranks, expected one tensor; "
                       "local_tensors[rank].numpy() returns one rank's")

    def __format__(self, spec):
        if spec and self.dim() > 0:
            raise TypeError(f"format: got {spec!r} for the local tensors of several ranks, of shape "
                            f"{list(self.shape)}, expected one number; print them without a format")
        return format(self.item(), spec) if spec else str(self)


def _joined(func, args, results):
    """Joins the results of the ranks to one result. For an in-place operator, returns its
    arguments. Raises RuntimeError if values other than tensors differ between ranks, or if an
    in-place operator would change the shape."""
    returns = func._schema.returns
    if returns and all(value.alias_info and value.alias_info.is_write for value in returns):
        if args and isinstance(args[0], LocalTensor) and args[0].shape != args[0].local_tensors[0].shape:
            raise RuntimeError(f"{func}: got local tensors to reshape in place, expected the operator "
                               "that returns a new tensor")
        return args[0] if len(returns) == 1 else args[:len(returns)]
    flat = [pytree.tree_flatten(result) for result in results]
    tree = flat[0][1]
    joined = [LocalTensor(list(leaves)) if isinstance(leaves[0], torch.Tensor)
              else _same(func, list(leaves)) for leaves in zip(*(leaves for leaves, _ in flat))]
    return pytree.tree_unflatten(joined, tree)


def _refuse_writes_on_plain(func, args, kwargs):
    """Raises RuntimeError if the operator writes on a plain tensor, because all ranks would write
    on it."""
    for place, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        written = args[place] if place < len(args) else kwargs.get(argument.name)
        if isinstance(written, torch.Tensor) and not isinstance(written, LocalTensor):
            raise RuntimeError(f"{func}: got a plain tensor to write on, and local tensors that differ by "
                               "rank, expected a new result: `total = total + local`")


# Returns the value that all ranks have; NaNs are equal. Raises RuntimeError if they differ.
def _same(what, values):
    if any(value != values[0] and not (value != value and values[0] != values[0])
           for value in values[1:]):
        raise RuntimeError(f"{what}: got {', '.join(map(str, values))} on ranks 0 to "
                           f"{len(values) - 1}, expected one value, because one program runs for all "
                           "ranks; full_tensor() has the same value on all ranks")
    return values[0]


def all_here(tensor):
    """Returns True if this process hosts all ranks of the tensor's mesh."""
    mesh = _engine.mesh(tensor)
    return len(_engine.hosted(mesh)) == len(mesh.ranks)


def parts(tensor):
    """Returns the local tensors of the hosted ranks. If no rank of the mesh is hosted, returns one
    empty tensor of the same dtype and number of dimensions; one zero for a tensor without
    dimensions."""
    return _engine.to_locals(tensor) or [torch.zeros([0] * tensor.ndim, dtype=tensor.dtype)]


def split(tensor):
    """Returns the local tensor: a plain one if the tensor is replicated or one rank is hosted, else
    a LocalTensor. If no rank of the mesh is hosted, returns an empty tensor, or one zero for a
    tensor without dimensions."""
    locals_ = _engine.to_locals(tensor)
    if not locals_:  # an empty tensor, as under DTensor
        return torch.zeros([0] * (tensor.ndim > 0), dtype=tensor.dtype)
    same = all(placement.is_replicate() for placement in _engine.placements(tensor))
    return locals_[0] if same or len(locals_) == 1 else LocalTensor(locals_)


def join(mesh, local, placements, shape=None, stride=None):
    """Inverse of split(). A plain `local` is the local tensor of every hosted rank."""
    if isinstance(local, LocalTensor):
        locals_ = local.local_tensors
    else:
        ranks = len(_engine.hosted(mesh))
        # Lazy copies, so that a write on one rank's tensor does not change another's.
        locals_ = [torch._lazy_clone(local) for _ in range(ranks)] if ranks > 1 else [local]
    return _engine.from_locals(mesh, locals_, placements, shape, stride)


def gradient_placements(placements):
    """Returns the default placements of a gradient: those of the tensor, with Replicate instead of
    Partial."""
    return [Replicate() if placement.is_partial() else placement for placement in placements]


# The differentiable split(). Raises RuntimeError if the tensor requires a gradient and the parts
# differ in shape.
class ToLocal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, grad_placements):
        ctx.mesh = _engine.mesh(tensor)
        ctx.placements = grad_placements or gradient_placements(_engine.placements(tensor))
        ctx.shape = tensor.shape
        local = split(tensor)
        if ctx.needs_input_grad[0] and isinstance(local, LocalTensor):
            shapes = {tuple(each.shape) for each in local.local_tensors}
            if len(shapes) > 1:  # autograd knows one shape, the first rank's
                raise RuntimeError(
                    f"to_local: got parts of different shapes, {sorted(shapes)}, of a tensor that "
                    "requires a gradient, expected equal shapes, because one program runs for all "
                    "ranks; full_tensor() returns the whole")
        return local

    @staticmethod
    def backward(ctx, gradient):  # FromLocal's is ToLocal: twice differentiable
        return FromLocal.apply(gradient, ctx.mesh, ctx.placements, list(ctx.shape), None,
                               None), None


# The differentiable join().
class FromLocal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, local, mesh, placements, shape, stride, grad_placements):
        joined = join(mesh, local, placements, shape, stride)
        ctx.placements = grad_placements or gradient_placements(_engine.placements(joined))
        return joined

    @staticmethod
    def backward(ctx, gradient):
        moved = _engine.redistribute(gradient, ctx.placements)
        return ToLocal.apply(moved, None), None, None, None, None, None


def check_alike(local, mesh, with_shape):
    """Raises ValueError if the parts of the ranks differ in dtype, requires_grad or, `with_shape`,
    in shape or strides. Sends the metadata if each process has one rank. Does nothing for a plain
    tensor in a process with several ranks, and in a process that is not in the mesh."""
    def described(part):
        meta = {"dtype": part.dtype, "requires_grad": local.requires_grad}
        return meta | {"shape": tuple(part.shape), "stride": part.stride()} if with_shape else meta
    ranks = _engine.hosted(mesh._own)
    if isinstance(local, LocalTensor):
        found = [described(part) for part in local.local_tensors]
    elif processes.host_one_rank_each() and mesh.get_coordinate() is not None:
        ranks = sorted(mesh._own.ranks)
        found = [None] * len(ranks)
        dist.all_gather_object(found, described(local), group=processes.group_of(tuple(ranks)))
    else:
        return
    for rank, each in zip(ranks, found):
        if each != found[0]:
            raise ValueError("Inconsistent tensor metadata (including shape and stride) across ranks: got "
                             f"{found[0]} on rank {ranks[0]} and {each} on rank {rank}")


class AsOnFirst(torch.autograd.Function):
    """The identity, which replaces the data of each rank by that of the first rank along the mesh
    dimensions that replicate. A gradient passes unchanged."""

    @staticmethod
    def forward(ctx, local, mesh, placements):
        whole = [dim for dim, placement in enumerate(placements) if placement.is_replicate()]
        if isinstance(local, LocalTensor):
            hosted = _engine.hosted(mesh._own)
            firsts = [mesh._first_along(rank, whole) for rank in hosted]
            if not set(firsts) <= set(hosted):
                raise NotImplementedError("from_local: got run_check and ranks of another process, "
                                          "expected one rank in each process, or all in one")
            return LocalTensor([local.local_tensors[hosted.index(first)] for first in firsts])
        if processes.host_one_rank_each() and mesh.get_coordinate() is not None:
            local = local.contiguous().clone()
            for dim in whole:
                dist.broadcast(local, group=mesh.get_group(dim), group_src=0)
            return local
        return local.view_as(local)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None, None
