"""The recorder of the engine's sharded tensors, and functions that explain tensors while a program
runs."""
from __future__ import annotations

import atexit
import functools
import os
import typing
from collections.abc import Callable

import torch

from . import _engine
from ._open import ElementEvent, open as open_recording
from ._program import (LIBRARIES, ProgramHooks, SwapHook, arguments, clear_ranks, failure, file_of_rank,
                       is_first_report, path_of)

_current = None


class EngineRecording:
    """A context manager that records the engine's sharded tensors: see `shardlens.record()`.

    `path` is the argument; `file` is the file that this process writes, in the folder `path` if
    there are several processes. The recording ends with the `with` statement or with Python."""

    def __init__(self, path: str | os.PathLike[str], values: str | typing.Sequence[str] = "all",
                 program: str | None = None) -> None:
        self.path = self.file = os.fspath(path)
        self._program = program
        self.values = [values] if isinstance(values, str) else list(values)

    def __enter__(self) -> EngineRecording:
        global _current
        if _engine.processes() > 1:
            self.file = _file_in(self.path)
        self._recording = _engine.ProgramRecording(self.file, self.values, path_of(self._program),
                                                   arguments(), LIBRARIES)
        self._hooks = ProgramHooks(self._recording, _name_parameter, _engine.next_step,
                                   _engine.cancel_step)
        self._swaps = SwapHook(self._hooks.release)
        atexit.register(self._close)
        _current = self
        return self

    def __exit__(self, kind: typing.Any, error: typing.Any, trace: typing.Any) -> None:
        if error is not None:
            self.error(kind, error, trace)
        self._close()

    def error(self, kind: type[BaseException], error: BaseException, trace: typing.Any) -> None:
        """Records that the program failed. Ignores an exception that was recorded already, and a
        normal end."""
        if (message := failure(kind, error)) and is_first_report(error):
            self._recording.error(message, trace)

    def step(self, name: str | None = None) -> None:
        """Begins a step with the next operator; from now on the steps of optimizers end none."""
        self._hooks.step(name)

    def flush(self) -> None:
        """Blocks until all events so far are in the file."""
        self._recording.flush()

    def _close(self):
        global _current
        if self._recording is None:
            return
        recording, self._recording = self._recording, None
        _current = None
        atexit.unregister(self._close)
        self._hooks.remove()
        self._swaps.remove()
        recording.close()


_P = typing.ParamSpec("_P")
_R = typing.TypeVar("_R")


def records_errors(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A decorator that records the exceptions of a function in the current recording, also if the
    program catches them."""
    @functools.wraps(function)
    def recorded(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if _current is not None:
                _current.error(type(error), error, None)
            raise
    return recorded


def _file_in(folder):
    """Returns the path of this process's file in the folder. The process of rank 0 removes the
    files of an earlier run first; all processes wait for that."""
    os.makedirs(folder, exist_ok=True)
    if _engine.rank() == 0:
        clear_ranks(folder, 0)
    _engine.all_gather_text("the recording's folder", "")
    return file_of_rank(folder, _engine.rank())


def _name_parameter(parameter, name):
    if _engine.is_sharded(parameter):
        _engine.set_name(parameter, name)
        _engine.made(parameter, name)


class CacheInfo(typing.NamedTuple):
    """The counters of one of the engine's caches, summed over all meshes."""
    hits: int
    misses: int
    entries: int


def cache_info() -> dict[str, CacheInfo]:
    """Returns the counters of the caches of strategies and of redistribution plans, as {"strategy":
    CacheInfo, "plan": CacheInfo}; zeros before the first mesh."""
    return {name: CacheInfo(*counts) for name, counts in _engine.cache_counts().items()}


def explain(tensor: torch.Tensor) -> str:
    """Returns a text with the placements of a sharded tensor and the shape of each rank's part.
    Inside of `record()` the text also describes the call that made the tensor."""
    _require_sharded("explain", tensor)
    mesh = _engine.mesh(tensor)
    name = _engine.name_of(tensor) or "tensor"
    placements = ", ".join(str(placement) for placement in _engine.placements(tensor))
    lines = [f"{name}: {tensor.dtype} {list(tensor.shape)} is ({placements}) on mesh "
             f"{'x'.join(map(str, mesh.shape))} ({', '.join(mesh.names)})"]
    lines += [f"  rank {rank} has {_engine.local_shape(tensor, rank)}" for rank in mesh.ranks]
    if _current is None:
        return "\n".join(lines + ["Inside of shardlens.record() explain() also shows the call that produced it."])
    recording = _recorded_so_far()
    made = recording.sql("SELECT max(id) AS id FROM events WHERE kind = 'Result' AND subject = "
                         f"{_engine.record_of(tensor)}")[0].id
    if made is None:
        return "\n".join(lines + ["Produced before the recording began."])
    return "\n".join(lines + ["Produced by:", *recording.story(made)])


def history(tensor: torch.Tensor, index: int | typing.Sequence[int]) -> list[ElementEvent]:
    """Returns the history of one element of a sharded tensor, as `Recording.history()`. `index` is
    its global index, a number or a sequence. Raises ValueError outside of `record()`, and
    IndexError if the tensor has no such element."""
    _require_sharded("history", tensor)
    if _current is None:
        raise ValueError("history: got a tensor and no recording, expected a call inside of "
                         "shardlens.record()")
    index = [index] if isinstance(index, int) else list(index)
    shape = list(tensor.shape)
    if len(index) != len(shape) or not all(-size <= at < size for at, size in zip(index, shape)):
        raise IndexError(f"history: got the index {index}, expected one in {shape}")
    recording = _recorded_so_far()
    index = [at % size for at, size in zip(index, shape)]
    return recording._history(recording._open.history(_engine.record_of(tensor), index))


# Raises TypeError, starting with `what`, if `tensor` is not a sharded tensor.
def _require_sharded(what, tensor):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{what}: got {tensor!r}, expected a sharded tensor")
    if not _engine.is_sharded(tensor):
        raise TypeError(f"{what}: got a plain tensor, expected a sharded one")


def _recorded_so_far():
    _current.flush()
    return open_recording(_current.file)


def current_path():
    """Flushes the current recording and returns its path; None if there is none."""
    if _current is not None:
        _current.flush()
    return _current.path if _current else None
