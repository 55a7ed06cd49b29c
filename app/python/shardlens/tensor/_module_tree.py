"""The tree of modules that a program calls, and the module that runs."""
from __future__ import annotations

import dataclasses
from weakref import WeakKeyDictionary

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils.weak import WeakIdKeyDictionary

from .. import _engine
from .._program import watched_thread

ALL = "Global"  # the root of the tree; also for calls outside of any module


@dataclasses.dataclass
class Module:
    """A module that has run. `parameters` are its own, without those of its submodules. `kind` is
    its class."""
    kind: str
    parents: tuple[str, ...]  # from the outermost
    children: list[str] = dataclasses.field(default_factory=list)
    parameters: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)

    def placements(self):
        """Returns the placements of its sharded parameters by name."""
        return {name: _engine.placements(parameter) for name, parameter in self.parameters.items()
                if _engine.is_sharded(parameter)}


class ModuleTree:
    """A context manager that collects the modules that run, by name, in order of their first call.

    "MLP.net1" is the submodule net1 of a module of class MLP that the program called. In backward,
    the current module is the one whose output's gradient was computed last. Backward adds no
    modules to the tree."""

    def __init__(self):
        self.modules = {ALL: Module("", ())}
        self._names = WeakKeyDictionary()
        self._last_hooks = WeakKeyDictionary()  # module -> the forward hook that calls _leave
        self._claimed = WeakIdKeyDictionary()  # output -> name of the innermost module that made it
        self._running = []  # (name, graph task) of the modules that run, the innermost last
        self._gradient_in = ALL  # the current module in backward
        self._graph_task = -1  # autograd's id of the backward pass that _gradient_in belongs to

    def __enter__(self):
        self._is_watched = watched_thread()
        self._hook = nn.modules.module.register_module_forward_pre_hook(self._enter)
        return self

    def __exit__(self, *exception):
        self._hook.remove()
        for hook in self._last_hooks.values():
            hook.remove()

    def current_module(self):
        """Returns the name of the module that runs, and "forward", "backward", or "checkpointing"
        for a forward that backward runs again."""
        task = torch._C._current_graph_task_id()
        if task != -1 and task != self._graph_task:
            self._graph_task, self._gradient_in = task, ALL
        running = self._running[-1] if self._running else None
        if task == -1:
            return running[0] if running else ALL, "forward"
        if running and running[1] == task:
            return running[0], "checkpointing"
        return self._gradient_in, "backward"

    def _enter(self, module, inputs):
        if not self._is_watched():
            return
        name, task = self._name(module), torch._C._current_graph_task_id()
        if name not in self.modules:
            parents = (ALL, *(running for running, _ in self._running))
            self.modules[parents[-1]].children.append(name)
            kind = type(module)
            self.modules[name] = Module(f"class '{kind.__module__}.{kind.__qualname__}'", parents)
        if task == -1:
            self.modules[name].parameters = {
                key: parameter.data for key, parameter in module.named_parameters(recurse=False)}
        self._running.append((name, task))
        if module in self._last_hooks:
            self._last_hooks[module].remove()
        # Registered at each call, to run after the module's own hooks, which may send its output.
        self._last_hooks[module] = module.register_forward_hook(self._leave, always_call=True)

    def _leave(self, module, inputs, output):
        if not self._is_watched() or not self._running:
            return
        name, task = self._running.pop()
        for tensor in pytree.tree_leaves(output):
            if task != -1 or not isinstance(tensor, torch.Tensor) or not tensor.requires_grad:
                continue
            if tensor not in self._claimed:
                self._claimed[tensor] = name
                tensor.register_hook(lambda _: self._begin_gradient(name))

    def _begin_gradient(self, name):
        self.current_module()
        self._gradient_in = name

    def _name(self, module):
        if module not in self._names:
            root = type(module).__name__
            for path, inner in module.named_modules():
                self._names[inner] = f"{root}.{path}" if path else root
        return self._names[module]
