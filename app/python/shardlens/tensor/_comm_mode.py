"""CommDebugMode: the operators and collectives of a part of a program, by its modules."""
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

_listening = []  # the modes that are entered


def _tell(kind):
    operator = OPERATORS.get(kind, kind)
    for mode in _listening:
        mode._collective(operator)
        mode._operator(str(operator))


def _none_sent():
    return {"forward": defaultdict(int), "backward": defaultdict(int)}


class _Operators(TorchDispatchMode):
    """Tells a CommDebugMode the operators that the program calls."""

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
    """Counts the collectives that run inside of the `with`: those of sharded tensors, and those that the
    program calls on process groups; and keeps which modules they are of, and the operators.

    A `noise_level` says how much is told of it: 0 the collectives of each module, 1 also what modules are,
    their parameters' placements and the operators on sharded tensors, 2 the operators on others, 3 also
    those that compute nothing, as views.

    `comm_module_counts` are the collectives of each module and of what is in it, by "forward" and "backward";
    those of all are in "Global"."""

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
        _listening.append(self)
        _engine.on_collective(_tell)
        self._tree.__enter__()
        self._mode = _Operators(self)
        self._mode.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._mode.__exit__(*exception)
        self._tree.__exit__(*exception)
        _listening.remove(self)
        if not _listening:
            _engine.on_collective(None)

    def _collective(self, operator):
        self._counts[operator] += 1
        name, direction = self._tree.here()
        for module in {name, *self._tree.modules[name].parents}:
            sent = self.comm_module_counts.setdefault(module, _none_sent())
            sent["forward" if direction == "forward" else "backward"][operator] += 1

    def _operator(self, name, sharded=()):
        module, direction = self._tree.here()
        self._operators[module].append(report.Operator(
            name, direction, [tensor.shape for tensor in sharded],
            [_engine.placements(tensor) for tensor in sharded], str(mesh_of(sharded[0])) if sharded else ""))

    def get_comm_counts(self) -> dict[typing.Any, int]:
        """By operator, those that ran, and 0 for others: {c10d_functional.all_reduce: 2, ...}."""
        return self._counts.copy()

    def get_total_counts(self) -> int:
        """How many collectives ran."""
        return sum(self._counts.values())

    def get_parameter_info(self) -> dict[str, dict[str, typing.Any]]:
        """By module, the parameters that it has itself, by their names."""
        return {name: module.parameters for name, module in self._tree.modules.items() if module.parameters}

    def get_sharding_info(self) -> dict[str, dict[str, typing.Any]]:
        """The placements of each sharded parameter: {"MLP.net1.weight": (Shard(dim=0),), ...}."""
        return {f"{name}.{parameter}": placements for name, module in self._tree.modules.items()
                for parameter, placements in module.placements().items()}

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """The modules as a tree, with the collectives and operators of each, forward and backward; in a
        terminal's colours."""
        return report.table(self._tree.modules, self.comm_module_counts, self._operators, noise_level)

    def log_comm_debug_tracing_table_to_file(self, file_name: str | os.PathLike[str] = "comm_mode_log.txt",
                                             noise_level: int = 3) -> None:
        """Writes that table to a file, without colours."""
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(report.table(self._tree.modules, self.comm_module_counts, self._operators, noise_level,
                                    colours=False))

    def generate_json_dump(self, file_name: str | os.PathLike[str] = "comm_mode_log.json",
                           noise_level: int = 3) -> None:
        """Writes the same as JSON, from the module "Global" on, which has all others as its children;
        `shardlens import` opens it."""
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(report.dump(self._tree.modules, self.comm_module_counts, self._operators, ALL, noise_level))

    def __repr__(self) -> str:
        return f"CommDebugMode(get_total_counts()={self.get_total_counts()})"
