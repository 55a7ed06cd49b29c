"""Recording what a program does with sharded tensors, and what is known of it while it runs."""
import atexit
import linecache
import os
import sys
import typing

import torch
from torch import nn
from torch.optim.optimizer import (register_optimizer_step_post_hook,
                                   register_optimizer_step_pre_hook)

from . import _engine
from ._open import open as open_recording

_LIBRARIES = [os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
              os.path.dirname(os.path.abspath(__file__)) + os.sep, "<frozen"]
_current = None


class EngineRecording:
    """Records what sharded tensors of the engine do inside of the `with`: see `shardlens.record()`."""

    def __init__(self, path, values="all", program=None):
        self.path = os.fspath(path)
        self._program = program or getattr(sys.modules.get("__main__"), "__file__", None)
        self.values = [values] if isinstance(values, str) else list(values)
        self._hooks = []
        self._modules = []
        self._steps = 0
        self._says_steps = False

    def __enter__(self):
        global _current
        program = os.path.abspath(self._program) if self._program else ""
        source = "".join(linecache.getlines(program)) if program else ""
        self._recording = _engine.ProgramRecording(self.path, self.values, program, source, _LIBRARIES)
        self._listen()
        _engine.next_step("step 0")
        atexit.register(self._close)
        _current = self
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            _engine.note_error(f"{kind.__name__}: {error}")
        self._close()

    def step(self, name=None):
        """What comes next is a step of its own; an optimizer's steps end none from now on."""
        self._says_steps = True
        self._next_step(name)

    def flush(self):
        """What has happened so far is in the file."""
        self._recording.flush()

    def _next_step(self, name=None):
        self._steps += 1
        _engine.next_step(name or f"step {self._steps}")

    def _close(self):
        global _current
        if self._recording is None:
            return
        recording, self._recording = self._recording, None
        _current = None
        atexit.unregister(self._close)
        for hook in self._hooks:
            hook.remove()
        recording.close()

    def _listen(self):
        modules = nn.modules.module
        self._hooks = [
            modules.register_module_forward_pre_hook(self._enter),
            modules.register_module_forward_hook(self._leave, always_call=True),
            register_optimizer_step_pre_hook(self._begin_optimizer),
            register_optimizer_step_post_hook(self._end_optimizer)]

    def _enter(self, module, inputs):
        if not self._modules:
            self._names = _paths(module)
        path = self._names.get(module) or type(module).__name__
        self._modules.append(path)
        self._recording.set_module(path)

    def _leave(self, module, inputs, output):
        self._modules.pop()
        self._recording.set_module(self._modules[-1] if self._modules else "")

    def _begin_optimizer(self, optimizer, args, kwargs):
        self._recording.set_module(type(optimizer).__name__)
        self._recording.set_pass("")

    def _end_optimizer(self, optimizer, args, kwargs):
        self._recording.set_module("")
        self._recording.set_pass("forward")
        if not self._says_steps:
            self._next_step()


def _paths(root):
    """The paths of a module's own, and its parameters called by them in the recording."""
    for name, parameter in root.named_parameters():
        if _engine.is_sharded(parameter):
            _engine.set_name(parameter, name)
    return {module: name for name, module in root.named_modules()}


class CacheInfo(typing.NamedTuple):
    """What a cache of the engine was asked, of all meshes together."""
    hits: int
    misses: int
    entries: int


def cache_info():
    """The caches of strategies and of redistribution plans: {"strategy": CacheInfo, "plan": CacheInfo}."""
    return {name: CacheInfo(*counts) for name, counts in _engine.cache_counts().items()}


def explain(tensor):
    """How a sharded tensor lies on its ranks, and, inside of `record()`, how it came to be: a text."""
    if not _engine.is_sharded(tensor):
        raise TypeError("explain: got a plain tensor, expected a sharded one")
    mesh = _engine.mesh(tensor)
    name = _engine.name_of(tensor) or "tensor"
    placements = ", ".join(str(placement) for placement in _engine.placements(tensor))
    lines = [f"{name}: {tensor.dtype} {list(tensor.shape)} is ({placements}) on mesh "
             f"{'x'.join(map(str, mesh.shape))} ({', '.join(mesh.names)})"]
    lines += [f"  rank {rank} has {_engine.local_shape(tensor, rank)}" for rank in mesh.ranks]
    if _current is None:
        return "\n".join(lines + ["Inside of shardlens.record() this says why, too."])
    _current.flush()
    recording = open_recording(_current.path)
    made = recording.sql("SELECT max(id) AS id FROM events WHERE kind = 'Result' AND subject = "
                         f"{_engine.record_of(tensor)}")[0].id
    if made is None:
        return "\n".join(lines + ["It was made before the recording began."])
    return "\n".join(lines + ["It came to be by:", *recording.story(made)])


def current_path():
    """The file of the recording that goes on, with all that happened so far; None without one."""
    if _current is not None:
        _current.flush()
    return _current.path if _current else None
