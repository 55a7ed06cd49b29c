"""Recording programs under torch's own DTensor: one rank's file of what its operators, redistributions,
collectives, masks and caches do. It looks on, and changes nothing that the program computes.
"""
from __future__ import annotations

import atexit
import os
import typing

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, _api, _dispatch, _redistribute
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.utils._python_dispatch import TorchDispatchMode

from .. import _jobs
from .._program import (LIBRARIES, ProgramHooks, arguments, clear_ranks, failure, file_of_rank,
                        is_first_told, path_of, watched_thread)
from .borders import Borders
from .collectives import NAMESPACES, Collectives, axis
from .masks import Masks
from .tensors import Tensors
from .watches import Watches

_current = None


class JobRecording:
    """Records what this rank's process does inside of the `with`, to `folder`/rank-N.shardlens; the
    folder opens as one recording of all ranks. `values` are those of `shardlens.record()`."""

    def __init__(self, folder: str | os.PathLike[str], values: str | typing.Sequence[str] = "none",
                 program: str | None = None) -> None:
        self.folder = os.fspath(folder)
        self._values = [values] if isinstance(values, str) else list(values)
        self._program = program

    def __enter__(self) -> JobRecording:
        global _current
        if _current is not None:
            raise RuntimeError("record: got a second recording, expected the first one to end")
        _check_torch()
        os.makedirs(self.folder, exist_ok=True)
        rank = _of_job(dist.get_rank, "RANK", "SLURM_PROCID", 0)
        ranks = _of_job(dist.get_world_size, "WORLD_SIZE", "SLURM_NTASKS", 1)
        program = path_of(self._program)
        meta = {"path": program, "title": os.path.basename(program),
                "backend": f"DTensor of torch {torch.__version__}"}
        if given := arguments():
            meta["arguments"] = given
        if rank == 0:
            clear_ranks(self.folder, ranks)  # the others write theirs anew
        self.path = file_of_rank(self.folder, rank)
        self._jobs = _jobs.JobRecorder(self.path, self._values, rank, ranks, meta, LIBRARIES)
        self._operators = []  # the names of those that run
        self._source, self._moves = 0, None  # of what becomes a DTensor: its source, and the events
        is_watched = watched_thread()
        self._tensors = Tensors(self._jobs)
        self._watches = Watches(is_watched)
        self._collectives = Collectives(self._jobs, rank, self._watches, self._tell_autograd)
        self._watch = _Watch(
            self._jobs, self._tensors.numbers, dtensor=DTensor,
            gradient_node=torch._C._current_autograd_node,
            next_node=torch._C._autograd._get_sequence_nr,
            lookups=torch._C._get_DTensor_sharding_propagator_cache_stats,
            collective=self._collectives.call, value=self._tensors.tell_value, failed=self._fail,
            namespaces=NAMESPACES, running=self._operators)
        Masks(self._jobs, self._operators, self._watches)
        Borders(self._watch, self.error, self._watches)
        self._watch_propagation()
        self._hooks = ProgramHooks(self._jobs, self._name_parameter, self._jobs.next_step)
        _current = self
        atexit.register(self._close)
        self._watch.__enter__()
        return self

    def __exit__(self, kind: typing.Any, error: typing.Any, trace: typing.Any) -> None:
        if _current is not self:
            return  # a fork's
        self._watch.__exit__(kind, error, trace)
        if error is not None:
            self.error(kind, error, trace)
        self._close()

    def step(self, name: str | None = None) -> None:
        """What comes next is a step of its own; an optimizer's steps end none from now on."""
        self._hooks.step(name)

    def error(self, kind: type[BaseException], error: BaseException, trace: typing.Any) -> None:
        """That the program failed, unless that has been told already."""
        if _current is self and (message := failure(kind, error)) and is_first_told(error):
            self._tell_autograd()
            self._jobs.error(message, trace)

    def flush(self) -> None:
        """What has happened so far is in the file."""
        self._jobs.flush()

    def _close(self):
        self._leave()
        self._jobs.close()

    def _leave(self):
        """Looks on no more."""
        global _current
        if _current is self:
            _current = None
            atexit.unregister(self._close)
            self._watch.stop()  # a fork is in the mode still
            self._watches.remove()
            self._hooks.remove()

    def _watch_propagation(self):
        for module in (_redistribute, _dispatch, _api):
            if "redistribute_local_tensor" in vars(module):
                self._watches.around(module, "redistribute_local_tensor", self._redistribute)
        for function in (_redistribute.Redistribute, _redistribute.NestedRedistribute):
            self._watches.around(function, "forward", self._move)
        self._plans_missed = _redistribute._gen_transform_infos.cache_info().misses
        self._watches.around(_redistribute, "_optimize_transform_infos", self._plan)
        self._watches.around(ShardingPropagator, "_propagate_tensor_meta_non_cached", self._propagate)

    def _name_parameter(self, parameter, name):
        self._tensors.name(parameter, name)
        self._watch.made(parameter, name)

    def _tell_autograd(self):
        self._watch.tell_autograd()

    def _fail(self, error):
        if is_first_told(error):
            self._jobs.error(failure(type(error), error))

    def _redistribute(self, plain, local, current, target, **kwargs):
        if not self._operators:
            self._tell_autograd()
        # One that no operator asked for is the program's, or its gradient's.
        event = self._jobs.begin_redistribute(current.placements, target.placements,
                                              self._source or self._tensors.number_of_local(local),
                                              not self._operators)
        try:
            return plain(local, current, target, **kwargs)
        finally:
            if self._moves is None:
                self._jobs.end(event)
            else:
                self._moves.append(event)

    def _move(self, plain, context, source, *args):
        """One of a DTensor into another, which is told inside of its event."""
        outer = self._source, self._moves
        self._source, self._moves = self._tensors.numbers.number(source, "tensor"), []
        try:
            made = plain(context, source, *args)
            if self._moves:
                self._watch.moved(made, source)
            return made
        finally:
            for event in reversed(self._moves):
                self._jobs.end(event)
            self._source, self._moves = outer

    def _plan(self, plain, steps, mesh, current, target):
        steps = plain(steps, mesh, current, target)
        cache = _redistribute._gen_transform_infos.cache_info()
        is_hit = cache.misses == self._plans_missed
        self._plans_missed = cache.misses
        question = "" if is_hit else " -> ".join(f"({', '.join(map(str, placements))})"
                                                for placements in (current, target))
        self._jobs.lookup("plan", is_hit, question, cache.currsize)
        self._jobs.plan(current, target, [
            (step.mesh_dim, axis(getattr(step, "mesh", mesh), step.mesh_dim), *step.src_dst_placements)
            for step in steps])
        return steps

    def _propagate(self, plain, propagator, schema):
        self._watch.missed(str(schema))
        return plain(propagator, schema)


class _Watch(_jobs.OperatorWatch, TorchDispatchMode):
    """Sees DTensor's operators before DTensor does, and collectives that are called beside it."""

    def __init__(self, *parts, **more):
        _jobs.OperatorWatch.__init__(self, *parts, **more)
        TorchDispatchMode.__init__(self)

    @classmethod
    def ignore_compile_internals(cls):
        """torch.compile compiles as it does without us; what runs inside of a compiled graph is not seen."""
        return True


def current_path():
    """The folder of the recording that goes on, with all that happened so far; None without one."""
    if _current is not None:
        _current.flush()
    return _current.folder if _current else None


def _check_torch():
    """Refuses a torch whose DTensor is another inside, before anything is watched."""
    expected = [(_redistribute, "redistribute_local_tensor"), (_redistribute, "NestedRedistribute"),
                (_redistribute, "_gen_transform_infos"),
                (_redistribute, "_optimize_transform_infos"),
                (ShardingPropagator, "_propagate_tensor_meta_non_cached"),
                (torch._C, "_get_DTensor_sharding_propagator_cache_stats")]
    missing = [name for owner, name in expected if not hasattr(owner, name)]
    if missing:
        raise ImportError(f"record: got torch {torch.__version__}, whose DTensor has no "
                          f"{', '.join(missing)}, expected torch 2.15")


def _forget_in_fork():
    """What a rank forks, as a loader of data, is not the rank: its writer's thread is not there."""
    recording = _current
    if recording is not None:
        recording._leave()
        _left.append(recording)  # whose file must not be closed here


_left = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_fork)


def _of_job(ask, variable, slurms, alone):
    if dist.is_initialized():
        return ask()
    return int(os.environ.get(variable) or os.environ.get(slurms) or alone)
