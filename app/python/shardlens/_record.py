"""Recording what a program does with sharded tensors, and what is known of it while it runs."""
from __future__ import annotations

import atexit
import functools
import os
import typing
from collections.abc import Callable

import torch

from . import _engine
from ._open import ElementEvent, open as open_recording
from ._program import (LIBRARIES, ProgramHooks, arguments, clear_ranks, failure, file_of_rank,
                       is_first_told, path_of)

_current = None


class EngineRecording:
    """Records what sharded tensors of the engine do inside of the `with`: see `shardlens.record()`."""

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
        self._hooks = ProgramHooks(self._recording, _name_parameter, _engine.next_step)
        atexit.register(self._close)
        _current = self
        return self

    def __exit__(self, kind: typing.Any, error: typing.Any, trace: typing.Any) -> None:
        if error is not None:
            self.error(kind, error, trace)
        self._close()

    def error(self, kind: type[BaseException], error: BaseException, trace: typing.Any) -> None:
        """That the program failed, unless that has been told already."""
        if (message := failure(kind, error)) and is_first_told(error):
            self._recording.error(message, trace)

    def step(self, name: str | None = None) -> None:
        """What comes next is a step of its own; an optimizer's steps end none from now on."""
        self._hooks.step(name)

    def flush(self) -> None:
        """What has happened so far is in the file."""
        self._recording.flush()

    def _close(self):
        global _current
        if self._recording is None:
            return
        recording, self._recording = self._recording, None
        _current = None
        atexit.unregister(self._close)
        self._hooks.remove()
        recording.close()


_P = typing.ParamSpec("_P")
_R = typing.TypeVar("_R")


def tells(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """What it refuses is in the recording that goes on, also where the program catches it."""
    @functools.wraps(function)
    def told(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if _current is not None:
                _current.error(type(error), error, None)
            raise
    return told


def _file_in(folder):
    """This process's file in the folder; those of an earlier run are cleared away before anybody writes."""
    os.makedirs(folder, exist_ok=True)
    if _engine.rank() == 0:
        clear_ranks(folder, 0)
    _engine.agree("the folder of recordings", "")
    return file_of_rank(folder, _engine.rank())


def _name_parameter(parameter, name):
    if _engine.is_sharded(parameter):
        _engine.set_name(parameter, name)
        _engine.made(parameter, name)


class CacheInfo(typing.NamedTuple):
    """What a cache of the engine was asked, of all meshes together."""
    hits: int
    misses: int
    entries: int


def cache_info() -> dict[str, CacheInfo]:
    """The caches of strategies and of redistribution plans: {"strategy": CacheInfo, "plan": CacheInfo}."""
    return {name: CacheInfo(*counts) for name, counts in _engine.cache_counts().items()}


def explain(tensor: torch.Tensor) -> str:
    """How a sharded tensor lies on its ranks, and, inside of `record()`, how it came to be: a text."""
    _refuse_others("explain", tensor)
    mesh = _engine.mesh(tensor)
    name = _engine.name_of(tensor) or "tensor"
    placements = ", ".join(str(placement) for placement in _engine.placements(tensor))
    lines = [f"{name}: {tensor.dtype} {list(tensor.shape)} is ({placements}) on mesh "
             f"{'x'.join(map(str, mesh.shape))} ({', '.join(mesh.names)})"]
    lines += [f"  rank {rank} has {_engine.local_shape(tensor, rank)}" for rank in mesh.ranks]
    if _current is None:
        return "\n".join(lines + ["Inside of shardlens.record() this says why, too."])
    recording = _recorded_so_far()
    made = recording.sql("SELECT max(id) AS id FROM events WHERE kind = 'Result' AND subject = "
                         f"{_engine.record_of(tensor)}")[0].id
    if made is None:
        return "\n".join(lines + ["It was made before the recording began."])
    return "\n".join(lines + ["It came to be by:", *recording.story(made)])


def history(tensor: torch.Tensor, index: int | typing.Sequence[int]) -> list[ElementEvent]:
    """Inside of `record()`: all that happened on any rank to the element of a sharded tensor that has this
    index in the whole, a number or several, as `Recording.history()` gives it."""
    _refuse_others("history", tensor)
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


def _refuse_others(what, tensor):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{what}: got {tensor!r}, expected a sharded tensor")
    if not _engine.is_sharded(tensor):
        raise TypeError(f"{what}: got a plain tensor, expected a sharded one")


def _recorded_so_far():
    _current.flush()
    return open_recording(_current.file)


def current_path():
    """The file of the recording that goes on, with all that happened so far; None without one."""
    if _current is not None:
        _current.flush()
    return _current.path if _current else None
