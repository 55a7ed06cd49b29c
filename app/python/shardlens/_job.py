"""Recording programs under torch's own DTensor: one rank's file of what its operators, redistributions,
collectives, masks and caches do. It looks on, and changes nothing that the program computes.
"""
import atexit
import functools
import os
import sys
import weakref

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives
from torch.distributed.tensor import DTensor, _api, _dispatch, _redistribute, placement_types
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.optim.optimizer import (register_optimizer_step_post_hook,
                                   register_optimizer_step_pre_hook)
from torch.utils._python_dispatch import TorchDispatchMode

from . import _jobs

_LIBRARIES = [os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
              os.path.dirname(os.path.abspath(__file__)) + os.sep, "<frozen"]
_COLLECTIVES = {"_c10d_functional", "c10d", "_dtensor"}
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
_WAITS = {"wait_tensor", "wait_tensors", "barrier", "monitored_barrier_", "check_for_nan"}
_MOST_HELD = 100_000
_current = None


class JobRecording:
    """Records what this rank's process does inside of the `with`, to `folder`/rank-N.shardlens; the
    folder opens as one recording of all ranks. `values` are those of `shardlens.record()`."""

    def __init__(self, folder, values="none", program=None):
        self.folder = os.fspath(folder)
        self._values = [values] if isinstance(values, str) else list(values)
        self._program = program or getattr(sys.modules.get("__main__"), "__file__", None)

    def __enter__(self):
        global _current
        if _current is not None:
            raise RuntimeError("record: got a second recording, expected the first one to end")
        os.makedirs(self.folder, exist_ok=True)
        self.rank = _of_job(dist.get_rank, "RANK", "SLURM_PROCID", 0)
        ranks = _of_job(dist.get_world_size, "WORLD_SIZE", "SLURM_NTASKS", 1)
        self.path = os.path.join(self.folder, f"rank-{self.rank}.shardlens")
        self._jobs = _jobs.JobRecorder(self.path, self._values, self.rank, ranks, self._meta(),
                                       _LIBRARIES)
        self._jobs.next_step("step 0")
        self._tensors = {}  # by id(): a weak reference, its number in the recording, and its name
        self._locals = {}  # by id() of its local tensor: the number
        self._specs, self._held_specs = {}, {}  # their numbers; the latter by id()
        self._known_groups = {}  # by the id() of the mesh and its dimension
        self._steps = 0
        self._sending = False
        self._operators = []
        self._modules = []
        self._mode = _Mode(self)
        self._patches = _patched(self)
        self._listen()
        _current = self
        atexit.register(self._close)
        self._mode.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        self._mode.__exit__(kind, error, trace)
        if error is not None:
            self.error(kind, error)
        self._close()

    def error(self, kind, error):
        """That the program failed."""
        if _current is self:
            self._jobs.error(f"{kind.__name__}: {error}")

    def step(self, name=None):
        """What comes next is a step of its own."""
        self._steps += 1
        self._jobs.next_step(name or f"step {self._steps}")

    def _meta(self):
        path = os.path.abspath(self._program) if self._program else ""
        source = ""
        if path and os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                source = file.read()
        return {"scenario": source, "path": path, "title": os.path.basename(path),
                "backend": f"DTensor of torch {torch.__version__}"}

    def _close(self):
        global _current
        if _current is not self:
            return
        _current = None
        atexit.unregister(self._close)
        for undo in self._patches:
            undo()
        for hook in self._hooks:
            hook.remove()
        self._jobs.close()

    def _listen(self):
        modules = nn.modules.module
        self._hooks = [
            modules.register_module_forward_pre_hook(self._enter_module),
            modules.register_module_forward_hook(self._leave_module, always_call=True),
            register_optimizer_step_pre_hook(self._begin_optimizer),
            register_optimizer_step_post_hook(self._end_optimizer)]

    def _enter_module(self, module, inputs):
        if not self._modules:
            self._names = {inner: name for name, inner in module.named_modules()}
            for name, parameter in module.named_parameters():
                if isinstance(parameter, DTensor):
                    self._name(parameter, name)
        self._modules.append(self._names.get(module) or type(module).__name__)
        self._jobs.set_module(self._modules[-1])

    def _leave_module(self, module, inputs, output):
        self._modules.pop()
        self._jobs.set_module(self._modules[-1] if self._modules else "")

    def _begin_optimizer(self, optimizer, args, kwargs):
        self._jobs.set_module(type(optimizer).__name__)
        self._jobs.set_pass("")

    def _end_optimizer(self, optimizer, args, kwargs):
        self._jobs.set_module("")
        self._jobs.set_pass("forward")
        self.step()

    # --- tensors

    def _spec(self, spec):
        held = self._held_specs.get(id(spec))  # DTensor's caches give out the same ones again
        if held is not None:
            return held[1]
        known = self._specs.get(spec)
        if known is None:
            mesh, meta = spec.mesh, spec.tensor_meta
            known = self._specs[spec] = self._jobs.spec(
                str(meta.dtype)[len("torch."):], list(meta.shape), list(spec.placements),
                list(mesh.mesh.shape), list(mesh.mesh_dim_names or ()), mesh.mesh.flatten().tolist())
        if len(self._held_specs) == _MOST_HELD:
            self._held_specs.clear()
        self._held_specs[id(spec)] = (spec, known)
        return known

    def _id(self, tensor, name="tensor"):
        known = self._tensors.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        return self._name(tensor, name)

    def _name(self, tensor, name):
        known = self._tensors.get(id(tensor))
        if known is not None and known[0]() is tensor and known[2] == name:
            return known[1]
        spec = self._spec(tensor._spec)
        if not spec:
            return 0  # of a dtype that recordings do not have
        number, key, local = self._jobs.tensor(name, spec), id(tensor), id(tensor._local_tensor)

        def forget(_):
            self._tensors.pop(key, None)
            self._locals.pop(local, None)
        self._tensors[key] = (weakref.ref(tensor, forget), number, name)
        self._locals[local] = number
        return number

    def _value(self, number, local):
        if not number or not self._jobs.wants_value(number):
            return
        with torch.no_grad():
            if hasattr(local, "wait"):
                local = local.wait()
            local = local.detach().to("cpu").contiguous()
            elements = local.reshape(-1).view(torch.uint8).numpy() if local.numel() else b""
        self._jobs.value(number, list(local.shape), elements)

    # --- what happens

    def _operator(self, func, args, kwargs):
        node = torch._C._current_autograd_node()
        self._jobs.set_autograd(None if node is None else node._sequence_nr(),
                                torch._C._autograd._get_sequence_nr())
        numbers = [self._id(leaf) for leaf in _leaves(args) if isinstance(leaf, DTensor)]
        name = func.__name__.split(".")[0]
        event = self._jobs.begin_operator(_operator_name(func), [n for n in numbers if n])
        self._operators.append(name)
        self._missed = None
        before = torch._C._get_DTensor_sharding_propagator_cache_stats()
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self._jobs.error(f"{type(error).__name__}: {error}")
            raise
        finally:
            self._operators.pop()
            if sys.exc_info()[0] is not None:
                self._jobs.end(event)
        hits, misses = torch._C._get_DTensor_sharding_propagator_cache_stats()
        if self._missed is not None:
            self._jobs.lookup("strategy", False, self._missed, hits + misses)
        elif hits > before[0] or misses > before[1]:
            self._jobs.lookup("strategy", True, "", 0)
        for made in _leaves(result if isinstance(result, (tuple, list)) else (result,)):
            if isinstance(made, DTensor):
                number = self._id(made, name)
                if number:
                    local = made._local_tensor
                    self._jobs.result(name, number, local.numel() * local.element_size())
                    self._value(number, local)
        self._jobs.end(event)
        return result

    def _collective(self, func, args, kwargs):
        """One that the program, or a module of torch beside DTensor, calls by itself."""
        name = func.__name__.split(".")[0]
        if self._sending or name in _WAITS:
            return func(*args, **kwargs)
        sent = sum(leaf.numel() * leaf.element_size() for leaf in _leaves(args)
                   if isinstance(leaf, torch.Tensor))
        event = self._jobs.begin_collective(_KINDS.get(name, name), self._members(args, kwargs), -1, "",
                                            sent)
        try:
            return func(*args, **kwargs)
        finally:
            self._jobs.end(event)

    def _send(self, kind, place, plain, tensor, *args, **kwargs):
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
        group = next((leaf for leaf in _leaves((*args, *kwargs.values()))
                      if isinstance(leaf, (dist.ProcessGroup, torch.ScriptObject))), None)
        if isinstance(group, torch.ScriptObject):
            group = dist.ProcessGroup.unbox(group)
        if group is None:
            name = next((leaf for leaf in reversed(args) if isinstance(leaf, str)), None)
            if name is None:
                return str(self.rank)
            group = dist.distributed_c10d._resolve_process_group(name)
        return ",".join(map(str, sorted(dist.get_process_group_ranks(group))))

    def _groups(self, mesh, dim):
        """All groups over a mesh dimension, and its number and name."""
        known = self._known_groups.get((id(mesh), dim))
        if known is None:
            rows = mesh.mesh.movedim(dim, -1).reshape(-1, mesh.mesh.size(dim)).tolist()
            text = "|".join(",".join(map(str, sorted(row))) for row in rows)
            known = self._known_groups[id(mesh), dim] = ((text, dim, _axis(mesh, dim)), mesh)
        return known[0]

    def _redistribute(self, plain, local, current, target, **kwargs):
        # One that no operator asked for is the program's, or its gradient's.
        event = self._jobs.begin_redistribute(current.placements, target.placements,
                                              self._locals.get(id(local), 0), not self._operators)
        try:
            return plain(local, current, target, **kwargs)
        finally:
            self._jobs.end(event)

    def _plan(self, plain, infos, mesh, current, target):
        optimized = plain(infos, mesh, current, target)
        cache = _redistribute._gen_transform_infos.cache_info()
        missed = cache.misses > self._planned
        self._planned = cache.misses
        key = f"{_text(current)} -> {_text(target)}" if missed else ""
        self._jobs.lookup("plan", not missed, key, cache.currsize)
        self._jobs.plan(current, target, [
            (info.mesh_dim, _axis(getattr(info, "mesh", mesh), info.mesh_dim), *info.src_dst_placements)
            for info in optimized])
        return optimized

    def _propagate(self, plain, propagator, schema):
        self._missed = str(schema)
        return plain(propagator, schema)


class _Mode(TorchDispatchMode):
    def __init__(self, recording):
        super().__init__()
        self._recording = recording

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(issubclass(kind, DTensor) for kind in types):
            return self._recording._operator(func, args, kwargs)
        if func.namespace in _COLLECTIVES:
            return self._recording._collective(func, args, kwargs)
        return func(*args, **kwargs)


def _patched(recording):
    """Puts what looks on around torch's functions; gives back what takes it away again."""
    recording._planned = _redistribute._gen_transform_infos.cache_info().misses
    recording._missed = None
    undo = []

    def around(owner, name, watch):
        plain = owner.__dict__[name]

        @functools.wraps(plain)
        def watched(*args, **kwargs):
            return watch(plain, *args, **kwargs)
        setattr(owner, name, watched)
        undo.append(lambda: setattr(owner, name, plain))

    for module in (_redistribute, _dispatch, _api):
        if "redistribute_local_tensor" in vars(module):
            around(module, "redistribute_local_tensor", recording._redistribute)
    around(_redistribute, "_optimize_transform_infos", recording._plan)
    for name, kind, place in _SENDING:
        if hasattr(_functional_collectives, name):
            around(_functional_collectives, name, functools.partial(recording._send, kind, place))
    around(placement_types, "shard_dim_alltoall", functools.partial(recording._send, "all_to_all", 2))
    around(ShardingPropagator, "_propagate_tensor_meta_non_cached", recording._propagate)
    _watch_masks(recording, around)
    return undo


def _watch_masks(recording, around):
    masked = getattr(placement_types, "MaskPartial", None) or placement_types._MaskPartial
    jobs, placements = recording._jobs, []

    def inside(plain, placement, *args, **kwargs):
        placements.append(placement)
        try:
            return plain(placement, *args, **kwargs)
        finally:
            placements.pop()

    def told(kind):
        def watch(plain, buffer, *args):
            result = plain(buffer, *args)
            if getattr(buffer, "_shardlens_holds", None) is None:
                buffer._shardlens_number, buffer._shardlens_holds = jobs.mask_buffer(), []
            holds = buffer._shardlens_holds
            related = holds.pop() if kind == "released" and holds else 0
            holder = recording._operators[-1] if recording._operators else ""
            event = jobs.mask(kind, placements[-1] if placements else masked(),
                              buffer._shardlens_number, buffer.refcount, related, holder)
            if kind == "materialized":
                holds.append(event)
            return result
        return watch

    for name in ("_partition_value", "_reduce_value", "_reduce_shard_value"):
        around(masked, name, inside)
    buffer = placement_types.MaskBuffer
    around(buffer, "materialize_mask", told("materialized"))
    around(buffer, "apply_mask", told("applied"))
    around(buffer, "release_mask", told("released"))


def _of_job(ask, variable, slurms, alone):
    if dist.is_initialized():
        return ask()
    return int(os.environ.get(variable) or os.environ.get(slurms) or alone)


def _leaves(values):
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _leaves(value)
        else:
            yield value


def _operator_name(func):
    name = f"{func.namespace}.{func.__name__}"
    return name.removesuffix(".default")


def _text(placements):
    return f"({', '.join(map(str, placements))})"


def _axis(mesh, dim):
    return mesh.mesh_dim_names[dim] if mesh.mesh_dim_names else ""
