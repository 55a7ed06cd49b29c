"""Records plain tensors: the operators on them, and the parameters, gradients and module outputs of the program."""
import itertools
import json
import weakref
import zlib

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import DTensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.optim.optimizer import (register_optimizer_step_post_hook,
                                   register_optimizer_step_pre_hook)
from torch.utils.weak import WeakIdKeyDictionary

from .. import _jobs
from .._program import own_thread, watched_thread
from .collectives import KINDS, NAMESPACES, WAITS, named
from .flights import leaves
from .tensors import has_memory, unobserved

_REDUCTIONS = {"SUM": "sum", "AVG": "avg", "MAX": "max", "MIN": "min", "PRODUCT": "product"}
# The arguments of collectives with the tensors that they send.
_SENT = ("input", "inputs", "input_tensor", "input_tensors", "tensors", "tensor")
# The arguments of collectives with the tensors that they fill.
_FILLED = ("output", "outputs", "output_tensor", "output_tensors", "out")
_FILL_NOTHING = ("send", "barrier", "monitored_barrier_", "wait_tensor")


class PlainWatch:
    """Records what a program with plain tensors does. `hooks` is a function that returns the ProgramHooks.
    `record_value(id, tensor)` records a value. `watch` is the OperatorWatch that receives the operators; those of
    an optimizer's step are not recorded: the parameters that it wrote are new at the next forward."""

    def __init__(self, jobs, guard, record_value, hooks, watch):
        self._jobs, self._guard, self._record_value, self._hooks = jobs, guard, record_value, hooks
        self._tensors = _jobs.PlainTensorIds(jobs, AsyncCollectiveTensor, StorageWeakRef)
        self._operators = _jobs.PlainOperators(
            jobs, self._tensors, tensor=torch.Tensor, dtype=torch.dtype, device=torch.device,
            generator=torch.Generator, pointwise=torch.Tag.pointwise, seeded=torch.Tag.nondeterministic_seeded,
            namespaces=NAMESPACES, waits=WAITS, is_watched=own_thread(), begin_collective=self._begin_collective,
            collective_began=self._add_pending, random=guard.around("plain tensors", self._record_generator))
        watch.record_plain(self._operators)
        self._named = WeakIdKeyDictionary()  # parameter or buffer -> (name, role)
        self._owners = {}  # name -> weak reference to the tensor that has it
        self._claimed = WeakIdKeyDictionary()  # parameter without a name so far -> [(stated placements, more)]
        self._generator = None  # the id of the tensor that stands for the states of generators
        self._pending = []  # collectives on the CPU that may be in progress: (work, ids of the tensors that they fill)
        self._is_new_step = True
        is_watched = watched_thread()
        self._is_watched = lambda: is_watched() and jobs.records_operators()
        modules = torch.nn.modules.module
        self._handles = [
            modules.register_module_forward_hook(guard.around("plain tensors", self._leave)),
            register_optimizer_step_pre_hook(guard.around("plain tensors", self._begin_optimizer)),
            register_optimizer_step_post_hook(guard.around("plain tensors", self._end_optimizer))]

    def watch_steps(self):
        """Records the parameters and buffers at the first module call of each step. Call it after ProgramHooks are
        installed, which name them in their own hook."""
        self._handles.append(torch.nn.modules.module.register_module_forward_pre_hook(
            self._guard.around("plain tensors", self._enter)))

    def remove(self):
        self._is_watched = lambda: False
        self._operators.set_on(False)
        for handle in self._handles:
            handle.remove()

    def renew(self):
        """Gives every tensor a new id at its next use."""
        self._tensors.renew()
        self._pending = []

    def name(self, tensor, name, role="parameter"):
        """Names a parameter or a buffer of the program. If another tensor has the name, as in a second model, the
        name gets a number: "0.weight#2"."""
        if not isinstance(tensor, DTensor):
            self._named[tensor] = self._unique(tensor, name), role

    def _unique(self, tensor, name):
        for number in itertools.count(1):
            unique = name if number == 1 else f"{name}#{number}"
            owner = self._owners.get(unique, _none)()
            if owner is None or owner is tensor:
                self._owners[unique] = weakref.ref(tensor)
                return unique

    def release(self, tensor):
        """Implements SwapHook's release()."""
        names, claims = self._named.pop(tensor, None), self._claimed.pop(tensor, None)
        owned = [name for name, owner in self._owners.items() if owner() is tensor] if names else []
        for name in owned:
            self._owners[name] = _none

        def restore():
            if names is not None:
                self._named[tensor] = names
            if claims is not None:
                self._claimed[tensor] = claims
            self._owners.update({name: weakref.ref(tensor) for name in owned})
        return restore

    def name_buffers(self, root):
        """Names the buffers of a module and of those in it."""
        for name, buffer in root.named_buffers():
            self.name(buffer, name, "buffer")

    def claim(self, tensor, placements, waits=False, **more):
        """Records what the program states of a tensor: {axis: text of the placement}; `more`: see Claims. A statement
        about a parameter before the first module call, which names the parameter, is recorded at that call, or else
        at the first step of an optimizer; with `waits`, one about any parameter is."""
        if waits or self._is_new_step and isinstance(tensor, torch.nn.Parameter) and tensor not in self._named:
            self._claimed[tensor] = [*self._claimed.get(tensor, ()), (placements, more)]
        else:
            self._claim(tensor, placements, more)

    def _claim(self, tensor, placements, more):
        if not self._is_watched():
            return
        with unobserved():
            number = self._tensors.number(tensor)
            if number == 0:
                return
            self._result(more.get("by", "assert_placement"), number, tensor,
                         json.dumps({"role": "claim", "claim": placements, **more}))
            self._record_content(number, tensor)

    def load(self, tensor, name, whole, offsets, sizes):
        """Records that the tensor is filled with a slice of a tensor of a checkpoint, of which `name` and `whole`, its
        shape, are given."""
        number = self._tensors.number(tensor) if self._is_watched() else 0
        if number != 0:
            self._result("load", number, tensor, json.dumps(
                {"role": "loaded", "stored": name, "whole": whole, "offsets": offsets, "sizes": sizes}))

    # Records the state of the generator that an operator on the CPU is about to use, as a value of two numbers.
    def _record_generator(self, func, args, kwargs):
        given = named(func, args, kwargs)
        first = next((leaf for leaf in leaves(given.values()) if isinstance(leaf, torch.Tensor)), None)
        generator = given.get("generator") or torch.default_generator
        if first is None or not first.is_cpu or first.is_meta or generator.device.type != "cpu":
            return
        if self._generator is None:
            self._generator = self._jobs.plain_tensor("random state", "int64", [2])
        self._jobs.result("random state", self._generator, 16, json.dumps({"role": "random"}))
        if self._jobs.records_value(self._generator):
            with unobserved():
                state = zlib.crc32(generator.get_state().numpy().tobytes())
                value = torch.tensor([state, ~state])
            self._record_value(self._generator, value)

    # Begins the event of a collective. Returns it with the tensors that the collective fills.
    def _begin_collective(self, func, name, args, kwargs):
        given = named(func, args, kwargs)
        word = func.__name__.split(".")[0]
        sent = _tensors_of(given, _SENT)
        filled = [] if word in _FILL_NOTHING else _tensors_of(given, _FILLED)
        if not filled and word not in _FILL_NOTHING and (func.namespace == "c10d" or word.endswith("_")):
            filled = sent
        detail = {"collective": KINDS.get(word, word.rstrip("_"))}
        if reduction := _reduction(given.get("reduce_op")):
            detail["op"] = reduction
        if group := _name_of_group(given):
            detail["group"] = group
        if any(isinstance(given.get(key), (list, tuple)) and given[key] and isinstance(given[key][0], (list, tuple))
               for key in (*_SENT, *_FILLED)):
            detail["list"] = True  # a tensor for each member
        if all(len(set(given.get(key) or ())) > 1 for key in ("input_split_sizes", "output_split_sizes")):
            detail["uneven"] = True
        numbers = [self._tensors.number(tensor) for tensor in sent]
        return self._jobs.begin_operator(name, numbers, json.dumps(detail)), filled

    # Remembers the collective of c10d that returned `result`, and the ids of the tensors that it fills.
    def _add_pending(self, result, filled):
        work = next((leaf for leaf in leaves((result,)) if isinstance(leaf, torch.ScriptObject)), None)
        if work is not None:
            self._pending = [(each, numbers) for each, numbers in self._pending if not _is_complete(each)]
            self._pending.append((dist.Work.unbox(work), filled))

    def _result(self, name, number, tensor, detail):
        self._jobs.result(name, number, self._tensors.inner(tensor).nbytes, detail)

    # Records a tensor that has a role in the program, and its value. Ignores one whose memory was freed.
    def _record(self, tensor, name, role):
        if isinstance(tensor, DTensor):
            return
        number = self._tensors.number(tensor, name, renames=role in ("parameter", "buffer"))
        if number == 0 or not has_memory(tensor):
            return
        self._result(name, number, tensor, json.dumps({"role": role}))
        self._record_content(number, tensor)

    def _record_content(self, number, tensor):
        if self._jobs.records_value(number):
            self._record_value(number, tensor.detach())

    def _enter(self, module, inputs):
        if not self._is_watched() or not self._is_new_step:
            return
        self._is_new_step = False
        with unobserved():
            for tensor, (name, role) in list(self._named.items()):
                self._record(tensor, name, role)
        self._claim_early()

    def _claim_early(self):
        claimed, self._claimed = list(self._claimed.items()), WeakIdKeyDictionary()
        for tensor, claims in claimed:
            for placements, more in claims:
                self._claim(tensor, placements, more)

    def _leave(self, module, inputs, output):
        if self._is_watched():
            first = next((leaf for leaf in leaves((output,)) if isinstance(leaf, torch.Tensor)), None)
            if first is not None:
                with unobserved():
                    self._record(first, self._hooks().module, "output")

    def _begin_optimizer(self, optimizer, args, kwargs):
        self._operators.set_on(False)
        if not self._is_watched():
            if self._has_gradients(optimizer):  # their records would begin the step
                self._jobs.begin_step()
            return
        self._name_own(optimizer)
        self._claim_early()
        with unobserved():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    name, _ = self._named.get(parameter, ("", ""))
                    if name and parameter.grad is not None:
                        self._record(parameter.grad, name + ".grad", "gradient")
                        self._record_pending(parameter.grad, name + ".grad")
        self._pending = []

    # Names and records the parameters that are of no module, as an optimizer's slices of flat buckets are: "AdamW.0".
    def _name_own(self, optimizer):
        parameters = itertools.chain.from_iterable(group["params"] for group in optimizer.param_groups)
        with unobserved():
            for number, parameter in enumerate(parameters):
                if parameter.grad is None or parameter in self._named or isinstance(parameter, DTensor):
                    continue
                self.name(parameter, f"{type(optimizer).__name__}.{number}")
                self._record(parameter, *self._named[parameter])

    def _has_gradients(self, optimizer):
        return any(parameter.grad is not None and parameter in self._named
                   for group in optimizer.param_groups for parameter in group["params"])

    # Records that an optimizer reads a gradient that a collective still fills. On a GPU the optimizer's operators
    # may wait for the collective in their stream.
    def _record_pending(self, gradient, name):
        if not self._pending or not gradient.is_cpu:
            return
        number = self._tensors.number(gradient, name)
        if any(number in filled and not _is_complete(work) for work, filled in self._pending):
            self._result(name, number, gradient, json.dumps({"role": "pending"}))

    def _end_optimizer(self, optimizer, args, kwargs):
        self._operators.set_on(True)
        self._is_new_step = True


def _none():
    return None


# Returns True if the output of a collective is complete, or if that is unknown. DistributedDataParallel waits for the
# future of a collective, which Gloo completes before the work. Gloo's reduce_scatter has no future, and its work never
# reports that it is complete.
def _is_complete(work):
    if work.is_completed():
        return True
    try:
        return work.get_future().done()
    except RuntimeError:  # it has no future
        return True


# Returns the tensors of the first of these arguments that is given.
def _tensors_of(given, keys):
    for key in keys:
        if found := [leaf for leaf in leaves((given.get(key),)) if isinstance(leaf, torch.Tensor)]:
            return found
    return []


# Returns the reduction of a collective, as "sum"; "" if it has none.
def _reduction(op):
    if isinstance(op, torch.ScriptObject):
        op = dist.ReduceOp.unbox(op) if hasattr(dist.ReduceOp, "unbox") else None
    if op is None:
        return ""
    text = str(getattr(op, "op", op)).rsplit(".", 1)[-1]
    return _REDUCTIONS.get(text.upper(), text.lower())


# Returns the description of a collective's process group; "" if it has none.
def _name_of_group(given):
    group = given.get("process_group", given.get("group_name"))
    if isinstance(group, torch.ScriptObject):
        group = dist.ProcessGroup.unbox(group)
    if isinstance(group, str):
        group = dist.distributed_c10d._resolve_process_group(group)
    text = getattr(group, "group_desc", "") or ""
    return "" if text in ("undefined", "default_pg") else text.removeprefix("mesh_")
