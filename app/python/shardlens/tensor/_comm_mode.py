"""CommDebugMode, which counts operators and collectives by module."""
from __future__ import annotations

import os
import typing
from collections import defaultdict

import torch
import torch.distributed._functional_collectives  # whose operators are named below
import torch.distributed.tensor._collective_utils
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .. import _engine
from . import _comm_report as report
from ._module_tree import ALL, ModuleTree
from .device_mesh import mesh_of

# The engine's name of a collective -> the operator that DTensor's CommDebugMode counts. Collectives
# without an operator in torch are counted by name.
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
# Collectives that a program calls on process groups: the operator that runs -> the one to count.
COUNTED = {getattr(package, name): getattr(torch.ops.c10d_functional, name)
           for package in (torch.ops.c10d_functional, torch.ops._c10d_functional) for name in _OF_PROGRAMS}
COUNTED[torch.ops._c10d_functional_autograd.all_to_all_single] = torch.ops.c10d_functional.all_to_all_single
COUNTED |= {operator: operator for operator in (getattr(torch.ops.c10d, name) for name in _OF_GROUPS)}

_entered = []  # the CommDebugModes that are entered


# Called by the engine when a collective begins.
def _on_collective(kind):
    operator = OPERATORS.get(kind, kind)
    for mode in _entered:
        mode._collective(operator)
        mode._operator(str(operator))


def _none_sent():
    return {"forward": defaultdict(int), "backward": defaultdict(int)}


class _Operators(TorchDispatchMode):
    """A dispatch mode that reports the operators of a program to a CommDebugMode."""

    supports_higher_order_operators = True

    def __init__(self, mode):
        super().__init__()
        self._mode = mode

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if isinstance(func, torch._ops.OpOverload):
            sharded = [leaf for leaf in pytree.tree_leaves((args, kwargs or {}))
                       if isinstance(leaf, torch.Tensor) and _engine.is_sharded(leaf)]
            self._mode._operator(str(func), sharded)
            if (operator := COUNTED.get(func._overloadpacket)) is not None:
                self._mode._collective(operator)
        return func(*args, **(kwargs or {}))


class CommDebugMode:
    """A context manager that counts collectives by module, of sharded tensors and of process
    groups, and lists operators. Entering it again starts from zero.

    The `noise_level` of its reports: 0 has the collectives of each module; 1 adds the types of
    modules, the placements of their parameters and the operators on sharded tensors; 2 adds the
    operators on plain tensors; 3 adds operators that compute nothing, as views.

    `comm_module_counts` has the collectives of each module including its submodules, by "forward"
    and "backward"; the module "Global" has all of them."""

    comm_module_counts: dict[str, dict[str, dict[typing.Any, int]]]

    def __init__(self) -> None:
        self._clear()

    def _clear(self):
        self._tree = ModuleTree()
        self._counts = defaultdict(int)
        self.comm_module_counts = {ALL: _none_sent()}
        self._operators = defaultdict(list)  # by module

    def __enter__(self) -> CommDebugMode:
        self._clear()
        _entered.append(self)
        _engine.on_collective(_on_collective)
        self._tree.__enter__()
        self._mode = _Operators(self)
        self._mode.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._mode.__exit__(*exception)
        self._tree.__exit__(*exception)
        _entered.remove(self)
        if not _entered:
            _engine.on_collective(None)

    def _collective(self, operator):
        self._counts[operator] += 1
        name, direction = self._tree.current_module()
        for module in {name, *self._tree.modules[name].parents}:
            sent = self.comm_module_counts.setdefault(module, _none_sent())
            sent["forward" if direction == "forward" else "backward"][operator] += 1

    def _operator(self, name, sharded=()):
        module, direction = self._tree.current_module()
        self._operators[module].append(report.Operator(
            name, direction, [tensor.shape for tensor in sharded],
            [_engine.placements(tensor) for tensor in sharded], str(mesh_of(sharded[0])) if sharded else ""))

    def get_comm_counts(self) -> dict[typing.Any, int]:
        """Returns the number of collectives by operator, as {c10d_functional.all_reduce: 2, ...}.
        The dict gives 0 for other keys."""
        return self._counts.copy()

    def get_total_counts(self) -> int:
        """Returns the number of collectives that ran."""
        return sum(self._counts.values())

    def get_parameter_info(self) -> dict[str, dict[str, typing.Any]]:
        """Returns, by module and name, the parameters that the module itself has, without its
        submodules'."""
        return {name: module.parameters for name, module in self._tree.modules.items() if module.parameters}

    def get_sharding_info(self) -> dict[str, dict[str, typing.Any]]:
        """Returns the placements of each sharded parameter: {"MLP.net1.weight": (Shard(dim=0),),
        ...}."""
        return {f"{name}.{parameter}": placements for name, module in self._tree.modules.items()
                for parameter, placements in module.placements().items()}

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """Returns a text with colour codes: the tree of modules with the collectives and operators
        of each, forward and backward."""
        return report.table(self._tree.modules, self.comm_module_counts, self._operators, noise_level)

    def log_comm_debug_tracing_table_to_file(self, file_name: str | os.PathLike[str] = "comm_mode_log.txt",
                                             noise_level: int = 3) -> None:
        """Writes the table to a file, without colour codes."""
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(report.table(self._tree.modules, self.comm_module_counts, self._operators, noise_level,
                                    colours=False))

    def generate_json_dump(self, file_name: str | os.PathLike[str] = "comm_mode_log.json",
                           noise_level: int = 3) -> None:
        """Writes the same as JSON: the module "Global", with all other modules nested as children.
        `shardlens import` reads it."""
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(report.dump(self._tree.modules, self.comm_module_counts, self._operators, ALL, noise_level))

    def __repr__(self) -> str:
        return f"CommDebugMode(get_total_counts()={self.get_total_counts()})"
