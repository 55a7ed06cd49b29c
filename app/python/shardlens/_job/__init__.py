"""The recorder of programs that run on torch's own DTensor.

Each rank writes one file with its operators, redistributions, collectives, masks and cache lookups.
The recorder hooks into torch and changes no result of the program.
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
    """A context manager that records this rank to `folder`/rank-N.shardlens. The folder opens as
    one recording of all ranks. `values` and `program` are those of `shardlens.record()`.

    A process has one such recording at a time. It ends with the `with` statement or with Python. A
    process that the rank forks is not recorded. Entering raises RuntimeError if a recording is in
    progress or the file cannot be written, and ImportError if this torch has another DTensor
    inside."""

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
            clear_ranks(self.folder, ranks)  # each rank of this run replaces its own file
        self.path = file_of_rank(self.folder, rank)
        self._jobs = _jobs.JobRecorder(self.path, self._values, rank, ranks, meta, LIBRARIES)
        self._operators = []  # names of the operators that run, the innermost last
        # During a redistribution of a DTensor: its source's id, and the open Redistribute events.
        self._source, self._moves = 0, None
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
            return  # in a forked process, or closed already
        self._watch.__exit__(kind, error, trace)
        if error is not None:
            self.error(kind, error, trace)
        self._close()

    def step(self, name: str | None = None) -> None:
        """Begins a step with the next operator; from now on the steps of optimizers end none."""
        self._hooks.step(name)

    def error(self, kind: type[BaseException], error: BaseException, trace: typing.Any) -> None:
        """Records that the program failed. Ignores an exception that was recorded already, and a
        normal end."""
        if _current is self and (message := failure(kind, error)) and is_first_told(error):
            self._tell_autograd()
            self._jobs.error(message, trace)

    def flush(self) -> None:
        """Blocks until all events so far are in the file."""
        self._jobs.flush()

    def _close(self):
        self._leave()
        self._jobs.close()

    def _leave(self):
        """Removes all hooks; does not close the file."""
        global _current
        if _current is self:
            _current = None
            atexit.unregister(self._close)
            self._watch.stop()  # a forked process cannot leave the dispatch mode
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
        # Explicit if no operator runs: the program or a gradient formula requested it.
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
        """Wraps the forward of Redistribute. Records the result inside of the Redistribute event,
        so that event is ended here."""
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
    """The dispatch mode that records. It receives DTensor's operators before DTensor does, and the
    collectives that the program calls on plain tensors."""

    def __init__(self, *parts, **more):
        _jobs.OperatorWatch.__init__(self, *parts, **more)
        TorchDispatchMode.__init__(self)

    @classmethod
    def ignore_compile_internals(cls):
        """Lets torch.compile compile as without this mode. Operators in a compiled graph are not
        recorded."""
        return True


def current_path():
    """Flushes the current recording and returns its folder; None if there is none."""
    if _current is not None:
        _current.flush()
    return _current.folder if _current else None


def _check_torch():
    """Raises ImportError if DTensor lacks a private function that the recorder hooks."""
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
    """Ends recording in a forked process, as one of a data loader, because the thread of the writer
    does not exist there."""
    recording = _current
    if recording is not None:
        recording._leave()
        _left.append(recording)  # keeps it alive: its destructor would write to the rank's file


_left = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_fork)


# Returns the rank or the number of ranks: of c10d if initialized, else of the environment variable
# of torchrun or Slurm, else `alone`.
def _of_job(ask, variable, slurms, alone):
    if dist.is_initialized():
        return ask()
    return int(os.environ.get(variable) or os.environ.get(slurms) or alone)
