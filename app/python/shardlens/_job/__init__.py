"""The recorder of programs that run on torch's own DTensor.

Each rank writes one file with its operators, redistributions, collectives, masks and cache lookups.
The recorder hooks into torch and changes no result of the program.
"""
from __future__ import annotations

import atexit
import functools
import os
import sys
import typing

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode

from .. import _jobs
from .._program import (LIBRARIES, ProgramHooks, SwapHook, arguments, clear_parts, clear_ranks, failure,
                        file_of_rank, gradient_node, is_first_report, own_thread, path_of)
from .borders import Borders
from .claims import Claims
from .collectives import NAMESPACES, Collectives
from .loads import Loads
from .masks import Masks
from .plain import PlainWatch
from .privates import next_node
from .signals import RetainingSignal
from .redistributions import Redistributions
from .sampling import Sampling
from .tensors import Tensors
from .watches import Guard, Watches, unavailable

_current = None


class JobRecording:
    """A context manager that records this rank to `folder`/rank-N.shardlens. The folder opens as
    one recording of all ranks. `values`, `program`, `steps`, `keep`, `operators`, `ranks` and `mesh` are
    those of `shardlens.record()`. A rank that is not selected is not recorded: all methods do nothing.

    `plain`: also records the operators on plain tensors, and the parameters, gradients and module outputs
    that are plain tensors, so that their placements can be inferred. This slows a step down.

    A process has one such recording at a time. It ends with the `with` statement or with Python. A
    process that the rank forks is not recorded. Entering raises RuntimeError if a recording is in
    progress or the file cannot be written. After that nothing that happens to the recorder reaches
    the program: what it cannot record is an error "recorder failed: ..." in the recording, and
    what this torch does not let it observe is in the recording's metadata "limits". If the file
    could not be written to its end, `lost` says why."""

    lost: str | None = None
    _signals: RetainingSignal | None = None

    def __init__(self, folder: str | os.PathLike[str], values: str | typing.Sequence[str] = "none",
                 program: str | None = None, *, steps: str = "", keep: str = "", ranks: str = "",
                 mesh: str = "", plain: bool = False, operators: str = "") -> None:
        self.folder = os.fspath(folder)
        self._part = {"steps": steps, "keep": keep, "operators": operators}
        self._ranks, self._mesh = ranks, mesh
        self._records_plain = plain
        self._is_on = True
        self._values = [values] if isinstance(values, str) else list(values)
        self._program = program

    def __enter__(self) -> JobRecording:
        global _current
        if _current is not None:
            raise RuntimeError("record: got a second recording, expected the first one to end")
        os.makedirs(self.folder, exist_ok=True)
        rank = _of_job(dist.get_rank, "RANK", "SLURM_PROCID", 0)
        ranks = _of_job(dist.get_world_size, "WORLD_SIZE", "SLURM_NTASKS", 1)
        program = path_of(self._program)
        meta = {"path": program, "title": os.path.basename(program),
                "backend": f"DTensor of torch {torch.__version__}", "torch": torch.__version__}
        if given := arguments():
            meta["arguments"] = given
        self._is_on = not self._ranks or _jobs.selects_rank(rank, self._ranks, self._mesh)
        if rank == 0:
            clear_ranks(self.folder, ranks)  # each rank of this run replaces its own file
        clear_parts(self.folder, rank, keeps_file=self._is_on)
        self.path = file_of_rank(self.folder, rank)
        if not self._is_on:
            return self
        self._jobs = _jobs.JobRecorder(self.path, self._values, rank, ranks, meta, LIBRARIES, gradient_node,
                                       next_node, **self._part)
        self._guard = Guard(self._jobs.failed)
        self._watches = Watches(own_thread(), self._guard, self._jobs.limit)
        try:
            self._install(rank)
        except BaseException:
            self._watches.remove()
            self._jobs.close()
            raise
        _current = self
        if self._part["keep"]:
            self._signals = RetainingSignal(self._jobs.retain)
        atexit.register(self._close)
        (self._watch.__enter__ if self._sampling is None else self._sampling.start)()
        return self

    def _install(self, rank):
        """Installs all hooks."""
        jobs, guard, watches = self._jobs, self._guard, self._watches
        running = []  # names of the operators that run, the innermost last
        keeps_elements = any(rule.startswith(("all", "hashes")) for rule in self._values)
        self._tensors = Tensors(jobs, keeps_elements)
        collectives = self._collectives = Collectives(jobs, rank, watches, guard)
        lookups = getattr(torch._C, "_get_DTensor_sharding_propagator_cache_stats", None)
        if lookups is None:
            jobs.limit(unavailable("lookups of the strategy cache", "it does not count them"))
        self._watch = _Watch(
            jobs, self._tensors.numbers, dtensor=DTensor, lookups=lookups,
            collective=collectives.call,
            tensor=torch.Tensor, value=guard.around("values", self._tensors.record_value), failed=self._fail,
            broken=functools.partial(guard.fail, "operators"), namespaces=NAMESPACES, running=running,
            keeps_elements=keeps_elements)
        self._masks = Masks(jobs, running, watches)
        self._plain = self._claims = self._sampling = None
        if self._records_plain:
            self._plain = PlainWatch(jobs, guard, self._tensors.record_value, lambda: self._hooks, self._watch)
            self._claims = Claims(self._plain.claim, guard, watches)
            self._loads = Loads(self._plain.load, guard, watches)
        Borders(self._watch, self.error, watches, *([self._claims.dtensor] if self._claims else ()))
        Redistributions(jobs, self._tensors, running, self._watch, watches)
        if self._part["operators"]:
            self._sampling = Sampling(jobs, self._watch, self._renew, watches)
        watches.around(os, "_exit", self._exit)
        self._hooks = ProgramHooks(jobs, self._name_parameter, self._next_step, jobs.cancel_step, guard, self._see,
                                   self._sampling.begin if self._sampling else _none)
        releases = [self._tensors.release, self._hooks.release]
        if self._plain is not None:
            self._plain.watch_steps()
            releases.append(self._plain.release)
        self._swaps = SwapHook(*releases, guard=guard)

    def __exit__(self, kind: typing.Any, error: typing.Any, trace: typing.Any) -> None:
        if _current is not self:
            return  # in a forked process, or closed already
        if self._sampling is not None:
            self._guard.around("sampling", self._sampling.stop)()
        self._guard.around("exit", self._watch.__exit__)(kind, error, trace)
        if error is not None:
            self.error(kind, error, trace)
        self._close()

    def step(self, name: str | None = None) -> None:
        """Begins a step with the next operator; from now on the steps of optimizers end none."""
        if self._is_on:
            self._guard.around("step", self._hooks.step)(name)

    def error(self, kind: type[BaseException], error: BaseException, trace: typing.Any) -> None:
        """Records that the program failed. Ignores an exception that was recorded already, and a
        normal end."""
        if self._is_on:
            self._guard.around("errors", self._error)(kind, error, trace)

    def _error(self, kind, error, trace):
        if _current is self and (message := failure(kind, error)) and is_first_report(error):
            self._jobs.error(message, trace)

    def flush(self) -> None:
        """Blocks until all events so far are in the file."""
        if self._is_on:
            self._collect_values()
            self._jobs.flush()

    def retain(self, reason: str = "request") -> None:
        """Retains what a recording with `keep` has now in the folder kept-REASON. Does nothing for other
        recordings."""
        if self._is_on:
            self._jobs.retain(reason)

    def _close(self):
        self._collectives.close()
        self._collect_values()
        self._guard.around("masks", self._masks.poll)()
        self._leave()
        try:
            self._jobs.close()
        except Exception as error:
            self.lost = str(error)
        if self.lost:
            print(f"shardlens: the recording of this rank is not complete: {self.lost}", file=sys.stderr)

    def _exit(self, plain, code):
        """Wraps os._exit(), which skips everything that Python does at its end."""
        self._close()
        plain(code)

    def _leave(self):
        """Removes all hooks; does not close the file."""
        global _current
        if _current is self:
            _current = None
            if self._signals is not None:
                self._signals.remove()
            atexit.unregister(self._close)
            self._watch.stop()  # a forked process cannot leave the dispatch mode
            if self._plain is not None:
                self._plain.remove()
                self._claims.remove()
                self._loads.remove()
            self._watches.remove()
            self._hooks.remove()
            self._swaps.remove()

    def _name_parameter(self, parameter, name):
        self._tensors.name(parameter, name)
        self._watch.made(parameter, name)
        if self._plain is not None:
            self._plain.name(parameter, name)

    def _next_step(self, *args):
        self._masks.poll()
        self._tensors.collect()
        self._jobs.next_step(*args)
        if self._sampling is not None:
            self._sampling.announced()

    def _renew(self):
        self._tensors.numbers.renew()
        if self._plain is not None:
            self._plain.renew()

    def _collect_values(self):
        self._guard.around("values", self._tensors.collect)()

    def _see(self, module):
        """Records what the recorder cannot observe of a module and those in it, and names their buffers."""
        if self._plain is not None:
            self._plain.name_buffers(module)
            self._claims.plan(module)
        if any(isinstance(inner, DistributedDataParallel) for inner in module.modules()):
            self._jobs.limit("waits for the gradients of DistributedDataParallel: not recorded, because its "
                             "reducer waits in C++")
            if self._sampling is not None:
                self._jobs.limit("collectives of DistributedDataParallel in steps without operators: not recorded, "
                                 "because its reducer calls them in C++")

    def _fail(self, error):
        if is_first_report(error):
            self._jobs.error(failure(type(error), error))


class _Watch(_jobs.OperatorWatch, TorchDispatchMode):
    """The dispatch mode that records. It receives DTensor's operators before DTensor does, and the
    collectives that the program calls on plain tensors."""

    supports_higher_order_operators = True  # as torch.cond; without it torch refuses them

    def __init__(self, *parts, **more):
        _jobs.OperatorWatch.__init__(self, *parts, **more)
        TorchDispatchMode.__init__(self)
        self.__torch_dispatch__ = self.dispatcher()

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


def claim(tensor, placements):
    """Records a statement of assert_placement() in the current recording, if it records plain tensors."""
    if _current is not None and _current._plain is not None:
        _current._guard.around("plain tensors", _current._plain.claim)(tensor, placements)


def _forget_in_fork():
    """Ends recording in a forked process, as one of a data loader, because the thread of the writer
    does not exist there."""
    recording = _current
    if recording is not None:
        recording._leave()
        _left.append(recording)  # keeps it alive: its destructor would write to the rank's file


def _none():
    pass


_left = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_fork)


# Returns the rank or the number of ranks: of c10d if initialized, else of the environment variable
# of torchrun or Slurm, else `alone`.
def _of_job(ask, variable, slurms, alone):
    if dist.is_initialized():
        return ask()
    return int(os.environ.get(variable) or os.environ.get(slurms) or alone)
