"""DTensor and the functions that make sharded tensors, under DTensor's names."""
from __future__ import annotations

import inspect
import typing
import warnings
from collections.abc import Callable, Sequence

import torch
from torch import nn

from .. import _engine
from .._placements import Placement, Replicate
from .._record import records_errors
from . import _checkpoint
from ._local import AsOnFirst, FromLocal, ToLocal, check_alike, parts, split
from ._shown import notebook
from .device_mesh import DeviceMesh, current_mesh, mesh_of


class _Meta(type(torch.Tensor)):
    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and _engine.is_sharded(instance)


class DTensor(torch.Tensor, metaclass=_Meta):
    """A tensor sharded over the ranks of a mesh; for `isinstance(x, DTensor)` and its attributes.

    The Python class of such a tensor is torch.Tensor or nn.Parameter, on a TensorImpl of the
    engine. Operators, autograd and optimizers work on it without Python. The attributes of this
    class exist on sharded tensors only; on a plain tensor they raise AttributeError. The class
    itself cannot be called.
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError("DTensor: got a call of the class, expected distribute_tensor() or "
                        "DTensor.from_local()")

    @staticmethod
    @records_errors
    def from_local(local_tensor: torch.Tensor, device_mesh: DeviceMesh | None = None,
                   placements: Sequence[Placement] | None = None, *, run_check: bool = False,
                   shape: torch.Size | None = None, stride: tuple[int, ...] | None = None,
                   grad_placements: Sequence[Placement] | None = None) -> DTensor:
        """Returns a sharded tensor of which every rank has `local_tensor` as its part.

        The program runs once for all ranks of a process: a plain tensor is the part of each of
        them, a LocalTensor has a part per rank. `placements` default to Replicate. `shape` and
        `stride` of the whole are given together, or derived from the parts. `run_check` raises
        ValueError for parts of different metadata, and broadcasts the first rank's data along the
        mesh dimensions that replicate. Differentiable.
        """
        if isinstance(local_tensor, DTensor):
            raise RuntimeError("the local_tensor argument only accepts torch.Tensor but got "
                               f"{DTensor} value.")
        mesh = current_mesh(device_mesh)
        if (shape is None) != (stride is None):
            raise RuntimeError(f"Found shape:{shape}, stride:{stride}.",
                               "Please pass both shape and stride at the same time.")
        placements = _each(placements, mesh)
        if run_check:
            check_alike(local_tensor, mesh, with_shape=shape is None)
            local_tensor = AsOnFirst.apply(local_tensor, mesh, placements)
        made = FromLocal.apply(local_tensor, mesh._own, placements,
                               None if shape is None else list(shape),
                               None if stride is None else list(stride), grad_placements)
        _engine.made(made, "from_local")
        return made

    @records_errors
    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> torch.Tensor:
        """Returns the rank's local tensor: a plain tensor if the process hosts one rank or the
        tensor is replicated, else a LocalTensor with one tensor per hosted rank. Differentiable."""
        _engine.read(self)
        local = ToLocal.apply(self, grad_placements)
        if isinstance(self, nn.Parameter):
            local._is_param = True  # makes isinstance(local, nn.Parameter) true, as under DTensor
        return local

    @records_errors
    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> torch.Tensor:
        """Returns the whole tensor as a plain one, after redistribution to Replicate.
        Differentiable."""
        whole = _engine.redistribute(self, [Replicate()] * mesh_of(self).ndim)
        return ToLocal.apply(whole, grad_placements)

    @records_errors
    def redistribute(self, device_mesh: DeviceMesh | None = None,
                     placements: Sequence[Placement] | None = None, *, async_op: bool = False,
                     forward_dtype: torch.dtype | None = None,
                     backward_dtype: torch.dtype | None = None) -> DTensor:
        """Returns the tensor under other placements. Values are sent in `forward_dtype`, gradients
        in `backward_dtype`. Differentiable. Beyond DTensor, a replicated tensor can become Partial.
        Raises NotImplementedError for another mesh. `async_op` has no effect."""
        mesh = mesh_of(self)
        if device_mesh is not None and device_mesh != mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        return _engine.redistribute(self, _each(placements, mesh), forward_dtype, backward_dtype)

    def _repr_html_(self) -> str:
        return notebook(self)

    def __create_write_items__(self, fqn, object):
        return _checkpoint.write_items(self, fqn)

    def __create_chunk_list__(self):
        return _checkpoint.chunks(self)

    def __get_tensor_shard__(self, index):
        return _checkpoint.block(self, index)

    @property
    def placements(self) -> tuple[Placement, ...]:
        """One placement for each dimension of the mesh."""
        return _engine.placements(self)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh that the tensor is sharded over."""
        return mesh_of(self)

    @property
    def _local_tensor(self):
        return split(self)


# Returns the placements as a list with one for each mesh dimension; by default all Replicate.
def _each(placements, mesh):
    if placements is None:
        return [Replicate()] * mesh.ndim
    placements = list(placements)
    if len(placements) != mesh.ndim:
        raise ValueError("`placements` must have the same length as `device_mesh.ndim`! Found "
                         f"placements length: {len(placements)}, and device_mesh.ndim: {mesh.ndim}.")
    return placements


def _refuse_transformed(what):
    if torch._C._functorch.peek_interpreter_stack() is not None:
        raise RuntimeError(f"{what}: got a tensor that a torch.func transform wraps, expected one outside of the "
                           "transform: distribute it first, and pass the sharded tensor to the function")


@records_errors
def distribute_tensor(tensor: torch.Tensor, device_mesh: DeviceMesh | None = None,
                      placements: Sequence[Placement] | None = None, *,
                      src_data_rank: int | None = 0) -> DTensor:
    """Shards a leaf tensor over the mesh. The rank at index `src_data_rank` of the mesh sends the
    other ranks their parts; with None each rank takes its part of the tensor that it passes, and
    nothing is sent. Returns a sharded tensor of the same mesh and placements as it is. Raises ValueError for
    one with other placements, and RuntimeError for a tensor that is not a leaf."""
    _refuse_transformed("distribute_tensor")
    mesh = current_mesh(device_mesh)
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found "
                           "non-leaf tensor!")
    placements = _each(placements, mesh)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} "
                             f"to a different device mesh {mesh}.")
        if list(tensor.placements) != placements:
            raise ValueError(f"Cannot distribute a DTensor with placements {tensor.placements} to a "
                             f"different placements {placements}. do you want to call `redistribute` "
                             "instead?")
        return tensor
    ranks = mesh._own.ranks
    if src_data_rank is not None and not 0 <= src_data_rank < len(ranks):
        raise ValueError(f"distribute_tensor: got src_data_rank {src_data_rank}, expected one of 0 to "
                         f"{len(ranks) - 1}")
    source = None if src_data_rank is None else ranks[src_data_rank]
    made = _engine.distribute(tensor, mesh._own, placements, source)
    _engine.made(made, "distribute_tensor")
    return made.requires_grad_(tensor.requires_grad)


def distribute_module(
        module: nn.Module, device_mesh: DeviceMesh | None = None,
        partition_fn: Callable[[str, nn.Module, DeviceMesh], None] | None = None,
        input_fn: Callable[[nn.Module, typing.Any, DeviceMesh], typing.Any] | None = None,
        output_fn: Callable[[nn.Module, typing.Any, DeviceMesh], typing.Any] | None = None) -> nn.Module:
    """Makes the parameters and buffers of a module sharded tensors, in place. `partition_fn(name,
    module, mesh)` shards those that it selects; the remaining ones are replicated.
    `input_fn(module, inputs, mesh)` and `output_fn(module, outputs, mesh)` are called before and
    after forward. Returns the module."""
    mesh = current_mesh(device_mesh)
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError("distribute_module should only be called once on a module, but it has already "
                           "been called on this module!")
    for name, inner in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, inner, mesh)
        _replicate(inner, mesh)
    if input_fn is not None:
        change = _takes_module("input_fn", input_fn)
        module.register_forward_pre_hook(lambda mod, inputs: change(mod, inputs, mesh))
    if output_fn is not None:
        change_output = _takes_module("output_fn", output_fn)
        module.register_forward_hook(lambda mod, _, outputs: change_output(mod, outputs, mesh))
    module._distribute_module_applied = True
    return module


def _takes_module(name, function):
    """Returns the function with three arguments. Wraps one of two, the deprecated form without the
    module, and warns. Raises ValueError for another number."""
    arguments = len(inspect.signature(function).parameters)
    if arguments == 2:
        warnings.warn(f"{name}: got a function of two arguments, which is deprecated, expected (module, values, mesh)",
                      FutureWarning, stacklevel=3)
        return lambda module, values, mesh: function(values, mesh)
    if arguments != 3:
        raise ValueError(f"{name} should take in 3 arguments, but got {arguments} arguments!")
    return function


def _replicate(module, mesh):
    for name, parameter in list(module._parameters.items()):
        if parameter is not None and not isinstance(parameter, DTensor):
            whole = distribute_tensor(parameter.data, mesh)
            module.register_parameter(name, nn.Parameter(whole, parameter.requires_grad))
    for name, buffer in module._buffers.items():
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh)


@records_errors
def _made(name, make, size, requires_grad, device_mesh, placements, layout):
    """Implements the factories below: shards the plain tensor make(size), and records the result
    under `name`. `size` is the sizes, or one sequence of them."""
    mesh = current_mesh(device_mesh)
    placements = _each(placements, mesh)
    if layout != torch.strided:
        raise AssertionError("layout value not supported!")
    if len(size) == 1 and not isinstance(size[0], int):
        size = tuple(size[0])
    # Along Partial dimensions every rank has the values as its partial value, as under DTensor.
    whole = [Replicate() if placement.is_partial() else placement for placement in placements]
    tensor = _engine.distribute(make(size), mesh._own, whole)
    if whole != placements:
        tensor = _engine.from_locals(mesh._own, parts(tensor), placements, list(size))
    _engine.made(tensor, name)
    return tensor.requires_grad_(requires_grad)


def _factory(make, what) -> Callable[..., DTensor]:
    def factory(*size: typing.Any, dtype: torch.dtype | None = None, layout: torch.layout = torch.strided,
                requires_grad: bool = False, device_mesh: DeviceMesh | None = None,
                placements: Sequence[Placement] | None = None) -> DTensor:
        return _made(make.__name__, lambda shape: make(shape, dtype=dtype), size, requires_grad,
                     device_mesh, placements, layout)
    factory.__name__ = factory.__qualname__ = make.__name__
    factory.__doc__ = f"Returns a sharded tensor {what}. `placements` default to Replicate."
    return factory


zeros = _factory(torch.zeros, "of zeros")
ones = _factory(torch.ones, "of ones")
empty = _factory(torch.empty, "with uninitialized values")
rand = _factory(torch.rand, "of uniform random numbers from 0 to 1, the same as torch.rand() of this seed gives")
randn = _factory(torch.randn, "of normal random numbers, the same as torch.randn() of this seed gives")


def full(size: typing.Any, fill_value: float, *, dtype: torch.dtype | None = None,
         layout: torch.layout = torch.strided, requires_grad: bool = False,
         device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None) -> DTensor:
    """Returns a sharded tensor filled with one value; `placements` default to Replicate."""
    return _made("full", lambda shape: torch.full(shape, fill_value, dtype=dtype), (size,),
                 requires_grad, device_mesh, placements, layout)


def linspace(start: float | torch.Tensor, end: float | torch.Tensor, steps: int, *,
             dtype: torch.dtype | None = None, layout: torch.layout = torch.strided,
             requires_grad: bool = False, device_mesh: DeviceMesh | None = None,
             placements: Sequence[Placement] | None = None) -> DTensor:
    """Returns a sharded tensor of evenly spaced values; `placements` default to Replicate."""
    return _made("linspace",
                 lambda _: torch.linspace(_number(start), _number(end), steps, dtype=dtype), (steps,),
                 requires_grad, device_mesh, placements, layout)


def logspace(start: float | torch.Tensor, end: float | torch.Tensor, steps: int, base: float = 10.0, *,
             dtype: torch.dtype | None = None, layout: torch.layout = torch.strided,
             requires_grad: bool = False, device_mesh: DeviceMesh | None = None,
             placements: Sequence[Placement] | None = None) -> DTensor:
    """Returns a sharded tensor of powers of `base` with evenly spaced exponents; `placements`
    default to Replicate."""
    return _made("logspace",
                 lambda _: torch.logspace(_number(start), _number(end), steps, base, dtype=dtype),
                 (steps,), requires_grad, device_mesh, placements, layout)


def _number(value):
    return value.item() if isinstance(value, torch.Tensor) else value
