"""Records the collectives of a job: DTensor's, the program's, and those of other modules of
torch."""
import functools
import re

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives
from torch.distributed.tensor import placement_types

from .flights import Flights, leaves
from .tensors import root_of

NAMESPACES = {"_c10d_functional", "c10d", "_dtensor"}  # of operators that are collectives
# torch's name of an operator -> the kind in recordings.
KINDS = {"all_gather_into_tensor": "all_gather", "_allgather_base_": "all_gather",
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
          "monitored_barrier_": "barrier", "broadcast_": "broadcast", "scatter_": "scatter",
          "gather_": "gather", "reduce_": "reduce"}
# The functions by which DTensor sends: name, kind, index of the group argument after the tensor.
_SENDING = [("all_reduce", "all_reduce", 1), ("all_gather_tensor", "all_gather", 1),
            ("all_gather_single", "all_gather", 1), ("reduce_scatter_tensor", "reduce_scatter", 2),
            ("reduce_scatter_single", "reduce_scatter", 2)]
# Operators of c10d whose first argument is the output.
_HAVE_OUTPUTS = {"_allgather_base_", "allgather_", "allgather_coalesced_",
                 "allgather_into_tensor_coalesced_", "_reduce_scatter_base_", "reduce_scatter_",
                 "reduce_scatter_tensor_coalesced_", "gather_", "scatter_", "alltoall_base_", "alltoall_",
                 "recv_", "recv_any_source_"}
# Operators between two ranks -> the name of the argument that is the peer.
_PEERS = {"send": "dst", "isend": "dst", "recv_": "src", "irecv": "src"}
# Operators whose tensor only names the device.
_BARRIERS = {"barrier", "monitored_barrier_"}
# Operators that send no tensor, and are not recorded.
WAITS = {"wait_tensor", "wait_tensors", "check_for_nan"}


# Returns the name of a mesh dimension, or "" if it has none.
def axis(mesh, dim):
    return mesh.mesh_dim_names[dim] if mesh.mesh_dim_names else ""


# Returns the name of the mesh dimension for which a DeviceMesh made a process group, "" for another group. torch
# describes such a group as "mesh_tp"; "mesh_dim_0" is a dimension without a name, "mesh_default" a group of all ranks.
def _axis_of(group):
    made = re.fullmatch(r"mesh_(?!dim_\d+$|default$)(.+)", getattr(group, "group_desc", "") or "")
    return made[1] if made else ""


def named(func, args, kwargs):
    """Returns the arguments of an operator by their names in its schema."""
    return {argument.name: value for argument, value in zip(func._schema.arguments, args)} | kwargs


# Returns the index of a mesh dimension in the root mesh; -1 if it spans several of them, as a flattened one.
def _dimension_of_root(mesh, dim):
    root = root_of(mesh)
    if mesh is root or not mesh.mesh_dim_names:
        return dim
    names = root.mesh_dim_names or ()
    return names.index(mesh.mesh_dim_names[dim]) if mesh.mesh_dim_names[dim] in names else -1


# Returns the device of the first tensor in nested arguments, or None.
def _device(args):
    return next((leaf.device for leaf in leaves(args) if isinstance(leaf, torch.Tensor)), None)


# Returns the name of a GPU, as "cuda:0", or "" for another device.
def _gpu(device):
    return str(device) if device is not None and device.type == "cuda" else ""


# Hooks DTensor's sending functions.
class Collectives:
    def __init__(self, jobs, rank, watches, guard):
        self._jobs = jobs
        flights = self._flights = Flights(jobs, watches)
        self._begin_guarded = guard.around("collectives", self._begin)
        self._enqueued_guarded = guard.around("collectives", flights.enqueued)
        self._finished_guarded = guard.around("collectives", flights.finished)
        self.close = guard.around("collectives", flights.close)
        self._rank = rank
        self._sending = False
        self._known_groups = {}  # by the mesh and its dimension
        for name, kind, place in _SENDING:
            watches.around(_functional_collectives, name, functools.partial(self.send, kind, place))
        watches.around(placement_types, "shard_dim_alltoall",
                       functools.partial(self.send, "all_to_all", 2))

    def call(self, func, args, kwargs):
        """Runs an operator of a namespace of collectives, and records it unless it is part of one of
        DTensor's, or local: only operators with a process group communicate."""
        kwargs = kwargs or {}
        flight = None if self._sending else self._begin_guarded(func, args, kwargs)
        if flight is None:
            return func(*args, **kwargs)
        try:
            result = func(*args, **kwargs)
        except BaseException:
            self._finished_guarded(flight)
            raise
        self._enqueued_guarded(flight, result)
        return result

    # Begins the event of an operator; returns its flight, or None if it is not recorded. The bytes are
    # those of its input tensors.
    def _begin(self, func, args, kwargs):
        device = _device((*args, *kwargs.values()))
        event = self._begin_event(func, args, kwargs, _gpu(device))
        return self._flights.begin(event, device) if event else None

    def _begin_event(self, func, args, kwargs, gpu):
        name = func.__name__.split(".")[0]
        given = named(func, args, kwargs)
        group = self._group(given)
        if group is None or name in WAITS:
            return 0
        # Outputs do not count as sent.
        sources = args[1:] if func.namespace == "c10d" and name in _HAVE_OUTPUTS else args
        sent = 0 if name in _BARRIERS else sum(
            leaf.numel() * leaf.element_size() for leaf in leaves((*sources, *kwargs.values()))
            if isinstance(leaf, torch.Tensor))
        self._flights.poll()
        if name in _PEERS or name in ("recv_any_source_", "batch_p2p_ops"):
            return self._begin_between(name, group, given, sent, gpu)
        members = ",".join(map(str, sorted(dist.get_process_group_ranks(group))))
        return self._jobs.begin_collective(KINDS.get(name, name), members, "", -1, _axis_of(group), sent, gpu)

    # Begins a send or a recv. Only this rank is its member, so that no other rank is expected in it.
    def _begin_between(self, name, group, given, sent, gpu):
        if name == "batch_p2p_ops":
            return self._jobs.begin_collective(name, str(self._rank), f"{self._rank} p2p", -1, "", sent, gpu)
        peer = given.get(_PEERS.get(name))
        peer = "any" if peer is None else dist.get_global_rank(group, peer)
        is_send = name in ("send", "isend")
        channel = f"{self._rank}->{peer}" if is_send else f"{peer}->{self._rank}"
        kind = f"send {channel}" if is_send else f"recv {self._rank}<-{peer}"
        return self._jobs.begin_collective(kind, str(self._rank), f"{channel} tag {given.get('tag', 0)}", -1,
                                           "", sent if is_send else 0, gpu)

    def send(self, kind, place, plain, tensor, *args, **kwargs):
        """Runs and records a sending function of DTensor. `place` is the index of its group
        argument in `args`. Does not record a call whose group is not a (mesh, dimension) pair;
        call() records its operators."""
        group = kwargs.get("group", args[place] if place < len(args) else None)
        if kind == "all_to_all":
            group = args[place:place + 2]
        if self._sending or not (isinstance(group, tuple) and len(group) == 2):
            return plain(tensor, *args, **kwargs)
        self._flights.poll()
        groups, dim, name = self._groups(*group)
        event = self._jobs.begin_collective(kind, groups, "", dim, name,
                                            tensor.numel() * tensor.element_size(), _gpu(tensor.device))
        flight = self._flights.begin(event, tensor.device)
        self._sending = True
        try:
            result = plain(tensor, *args, **kwargs)
        except BaseException:
            self._flights.finished(flight)
            raise
        finally:
            self._sending = False
        self._flights.enqueued(flight, result)
        return result

    # Returns the process group among an operator's arguments, or None if it has none.
    def _group(self, given):
        group = given.get("process_group", given.get("group_name"))
        if isinstance(group, torch.ScriptObject):
            group = dist.ProcessGroup.unbox(group)
        return dist.distributed_c10d._resolve_process_group(group) if isinstance(group, str) else group

    def _groups(self, mesh, dim):
        """Returns the groups along a mesh dimension, as "0,1|2,3", its index in the root mesh and its name."""
        known = self._known_groups.get((mesh, dim))
        if known is None:
            rows = mesh.mesh.movedim(dim, -1).reshape(-1, mesh.mesh.size(dim)).tolist()
            text = "|".join(",".join(map(str, sorted(row))) for row in rows)
            known = self._known_groups[mesh, dim] = (text, _dimension_of_root(mesh, dim), axis(mesh, dim))
        return known
