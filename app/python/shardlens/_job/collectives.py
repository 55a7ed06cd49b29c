"""The collectives of a job: DTensor's, and those of the program and of torch's other modules."""
import functools

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives
from torch.distributed.tensor import placement_types

NAMESPACES = {"_c10d_functional", "c10d", "_dtensor"}
# What torch calls them: what c10d's and the engine's recordings do.
_KINDS = {"all_gather_into_tensor": "all_gather", "_allgather_base_": "all_gather",
          "allgather_": "all_gather", "allgather_into_tensor_coalesced_": "all_gather",
          "all_gather_into_tensor_coalesced": "all_gather", "all_gather_into_tensor_out": "all_gather",
          "reduce_scatter_tensor": "reduce_scatter", "_reduce_scatter_base_": "reduce_scatter",
          "reduce_scatter_": "reduce_scatter", "reduce_scatter_tensor_coalesced": "reduce_scatter",
          "reduce_scatter_tensor_coalesced_": "reduce_scatter",
          "reduce_scatter_tensor_out": "reduce_scatter",
          "allreduce_": "all_reduce", "all_reduce_": "all_reduce",
          "allreduce_coalesced_": "all_reduce", "all_reduce_coalesced": "all_reduce",
          "all_reduce_coalesced_": "all_reduce", "all_to_all_single": "all_to_all",
          "alltoall_base_": "all_to_all", "alltoall_": "all_to_all", "shard_dim_alltoall": "all_to_all",
          "broadcast_": "broadcast", "scatter_": "scatter", "gather_": "gather", "reduce_": "reduce"}
# What DTensor sends by: the function, its kind, and at which place after the tensor it says the group.
_SENDING = [("all_reduce", "all_reduce", 1), ("all_gather_tensor", "all_gather", 1),
            ("all_gather_single", "all_gather", 1), ("reduce_scatter_tensor", "reduce_scatter", 2),
            ("reduce_scatter_single", "reduce_scatter", 2)]
_HAVE_OUTPUTS = {"_allgather_base_", "allgather_", "allgather_coalesced_",
                 "allgather_into_tensor_coalesced_", "_reduce_scatter_base_", "reduce_scatter_",
                 "reduce_scatter_tensor_coalesced_", "gather_", "scatter_", "alltoall_base_", "alltoall_"}
_WAITS = {"wait_tensor", "wait_tensors", "barrier", "monitored_barrier_", "check_for_nan"}


def leaves(values):
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from leaves(value)
        else:
            yield value


def axis(mesh, dim):
    return mesh.mesh_dim_names[dim] if mesh.mesh_dim_names else ""


class Collectives:
    def __init__(self, jobs, rank, watches, tell_autograd):
        self._jobs = jobs
        self._tell_autograd = tell_autograd
        self._rank = rank
        self._sending = False
        self._known_groups = {}  # by the mesh and its dimension
        for name, kind, place in _SENDING:
            if hasattr(_functional_collectives, name):
                watches.around(_functional_collectives, name, functools.partial(self.send, kind, place))
        watches.around(placement_types, "shard_dim_alltoall",
                       functools.partial(self.send, "all_to_all", 2))

    def call(self, func, args, kwargs):
        """One that the program, or a module of torch beside DTensor, calls by itself."""
        name = func.__name__.split(".")[0]
        if self._sending or name in _WAITS:
            return func(*args, **kwargs)
        # Where c10d's have outputs of their own, these come first.
        given = args[1:] if func.namespace == "c10d" and name in _HAVE_OUTPUTS else args
        sent = sum(leaf.numel() * leaf.element_size() for leaf in leaves((*given, *kwargs.values()))
                   if isinstance(leaf, torch.Tensor))
        self._tell_autograd()
        event = self._jobs.begin_collective(_KINDS.get(name, name), self._members(args, kwargs), -1, "",
                                            sent)
        try:
            return func(*args, **kwargs)
        finally:
            self._jobs.end(event)

    def send(self, kind, place, plain, tensor, *args, **kwargs):
        """One of DTensor's, over a dimension of a mesh: `place` is where the call says which."""
        group = kwargs.get("group", args[place] if place < len(args) else None)
        if kind == "all_to_all":
            group = args[place:place + 2]
        if self._sending or not (isinstance(group, tuple) and len(group) == 2):
            return plain(tensor, *args, **kwargs)
        event = self._jobs.begin_collective(kind, *self._groups(*group),
                                            tensor.numel() * tensor.element_size())
        self._sending = True
        try:
            return plain(tensor, *args, **kwargs)
        finally:
            self._sending = False
            self._jobs.end(event)

    def _members(self, args, kwargs):
        group = next((leaf for leaf in leaves((*args, *kwargs.values()))
                      if isinstance(leaf, (dist.ProcessGroup, torch.ScriptObject))), None)
        if isinstance(group, torch.ScriptObject):
            group = dist.ProcessGroup.unbox(group)
        if group is None:
            name = next((leaf for leaf in reversed(args) if isinstance(leaf, str)), None)
            if name is None:
                return str(self._rank)
            group = dist.distributed_c10d._resolve_process_group(name)
        return ",".join(map(str, sorted(dist.get_process_group_ranks(group))))

    def _groups(self, mesh, dim):
        """All groups over a mesh dimension, and its number and name."""
        known = self._known_groups.get((mesh, dim))
        if known is None:
            rows = mesh.mesh.movedim(dim, -1).reshape(-1, mesh.mesh.size(dim)).tolist()
            text = "|".join(",".join(map(str, sorted(row))) for row in rows)
            known = self._known_groups[mesh, dim] = (text, dim, axis(mesh, dim))
        return known
