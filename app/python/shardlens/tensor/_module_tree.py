"""The modules that a program calls, and in which of them it is."""
from __future__ import annotations

import dataclasses
from weakref import WeakKeyDictionary

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils.weak import WeakIdKeyDictionary

from .. import _engine
from .._program import watched_thread

ALL = "Global"  # what is in no module, and what all modules are in


@dataclasses.dataclass
class Module:
    """A module that has run, with what it has itself, not in the modules inside of it."""
    kind: str
    parents: tuple[str, ...]  # from the outermost
    children: list[str] = dataclasses.field(default_factory=list)
    parameters: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)

    def placements(self):
        """By name, those of its sharded parameters."""
        return {name: _engine.placements(parameter) for name, parameter in self.parameters.items()
                if _engine.is_sharded(parameter)}


class ModuleTree:
    """While it is entered, keeps the modules by their names, as they run first: "MLP.net1" is the
    attribute net1 of what the program has called, which is named by its class. A gradient is computed in
    the module whose output's gradient was known last, and the tree is that of forward."""

    def __init__(self):
        self.modules = {ALL: Module("", ())}
        self._names = WeakKeyDictionary()
        self._last_hooks = WeakKeyDictionary()  # by module
        self._claimed = WeakIdKeyDictionary()  # outputs, which the innermost module has made
        self._running = []
        self._gradient_in = ALL
        self._graph_task = -1

    def __enter__(self):
        self._is_watched = watched_thread()
        self._hook = nn.modules.module.register_module_forward_pre_hook(self._enter)
        return self

    def __exit__(self, *exception):
        self._hook.remove()
        for hook in self._last_hooks.values():
            hook.remove()

    def here(self):
        """The module that runs, and whether it does forward, backward, or forward once more for backward."""
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
        # After the module's own, which may send what it gives.
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
        self.here()
        self._gradient_in = name

    def _name(self, module):
        if module not in self._names:
            root = type(module).__name__
            for path, inner in module.named_modules():
                self._names[inner] = f"{root}.{path}" if path else root
        return self._names[module]
