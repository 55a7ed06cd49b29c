"""What a program says of itself while it runs: its file, its modules, its optimizers' steps."""
import os
import re
import shlex
import sys
import threading
from weakref import WeakKeyDictionary

import torch
from torch import nn
from torch.optim.optimizer import (register_optimizer_step_post_hook,
                                   register_optimizer_step_pre_hook)
from torch.utils.weak import WeakIdKeyDictionary

# Where code is not the program's.
LIBRARIES = [os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
             os.path.dirname(os.path.abspath(__file__)) + os.sep, "<frozen"]


def path_of(program=None):
    """Of the file that runs, or that Python was started with; empty where there is none."""
    program = program or getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.abspath(program) if program else ""


def arguments():
    """What the file that runs got on its command line, as a shell's words."""
    return shlex.join(sys.argv[1:]) if path_of() else ""


def failure(kind, error):
    """What a recording says of the exception that ended a program; nothing where it ended as it should."""
    if kind is GeneratorExit or kind is SystemExit and error.code in (None, 0):
        return ""
    return f"{kind.__name__}: {error}"


def is_first_told(error):
    """Whether no recording has told this exception yet. To hold it would keep what its frames have."""
    is_first = not error.__dict__.get("_is_told_by_shardlens")
    error.__dict__["_is_told_by_shardlens"] = True
    return is_first


def file_of_rank(folder, rank):
    """Where a rank writes its recording, in the folder that opens as one of all."""
    return os.path.join(folder, f"rank-{rank}.shardlens")


def clear_ranks(folder, first):
    """Removes what ranks from the `first` on have left of an earlier run, whose files would not open beside
    this one's."""
    for name in os.listdir(folder):
        found = re.fullmatch(r"rank-(\d+)\.shardlens(-wal|-shm|-journal)?", name)
        if found and int(found[1]) >= first:
            os.remove(os.path.join(folder, name))


def watched_thread():
    """What says whether a thread is the one that calls this, or autograd's, which works for it. What
    others do at the same time stands in no order with its calls, and torch.compile only traces them:
    those that it goes through, and those that it runs on tensors without data."""
    own = threading.get_ident()
    return lambda: (not torch.compiler.is_compiling() and torch._guards.TracingContext.try_get() is None
                    and (threading.get_ident() == own or torch._C._current_autograd_node() is not None))


class ModuleNames:
    """The names of the modules inside of those that a program calls. A tree of modules is walked when
    it is called first, and again when a module runs that was not there, or has other parameters."""

    def __init__(self, name_parameter):
        self._name_parameter = name_parameter
        self._named = WeakIdKeyDictionary()  # parameters
        self._trees = WeakKeyDictionary()  # by what the program calls: its modules' names and parameters

    def of(self, module, root):
        """The name of a module that runs inside of `root`, or as it; its class where it has none."""
        if root not in self._trees:
            self._walk(root)
        name, parameters = self._trees[root].get(module, ("", None))
        if parameters != _identities(module):
            self._walk(root)
            name, _ = self._trees[root].get(module, ("", None))
            self._trees[root][module] = name, _identities(module)
        return name or type(module).__name__

    def _walk(self, root):
        self._trees.setdefault(root, WeakKeyDictionary()).update(
            {inner: (name, _identities(inner)) for name, inner in root.named_modules()})
        for name, parameter in root.named_parameters():
            if parameter not in self._named:  # its first name stays
                self._named[parameter] = name
                self._name_parameter(parameter, name)


def _identities(module):
    return [id(parameter) for parameter in module._parameters.values()]


class ProgramHooks:
    """Tells `site` the module that runs, calls parameters by their names, and says where a step begins,
    until it is removed: after that of an optimizer, unless the program says it itself."""

    def __init__(self, site, name_parameter, next_step):
        self._site = site
        self._names = ModuleNames(name_parameter)
        self._next_step = next_step
        self._steps = 0
        self._says_steps = False
        self._running = []  # the modules' names
        self._is_watched = watched_thread()
        next_step("step 0")
        modules = nn.modules.module
        self._hooks = [
            modules.register_module_forward_pre_hook(self._enter),
            modules.register_module_forward_hook(self._leave, always_call=True),
            register_optimizer_step_pre_hook(self._begin_optimizer),
            register_optimizer_step_post_hook(self._end_optimizer)]

    def step(self, name=None):
        """The program says that a step begins."""
        self._says_steps = True
        self._begin_step(name)

    def remove(self):
        for hook in self._hooks:
            hook.remove()

    def _enter(self, module, inputs):
        if not self._is_watched():
            return
        if not self._running:
            self._root = module
        self._running.append(self._names.of(module, self._root))
        self._site.set_module(self._running[-1])

    def _leave(self, module, inputs, output):
        if not self._is_watched() or not self._running:
            return  # it began before we looked on
        self._running.pop()
        self._site.set_module(self._running[-1] if self._running else "")
        if not self._running:
            self._root = None

    def _begin_optimizer(self, optimizer, args, kwargs):
        if not self._is_watched():
            return
        self._site.set_module(type(optimizer).__name__)
        self._site.set_pass("")

    def _end_optimizer(self, optimizer, args, kwargs):
        if not self._is_watched():
            return
        self._site.set_module("")
        self._site.set_pass("forward")
        if not self._says_steps:
            self._begin_step()

    def _begin_step(self, name=None):
        self._steps += 1
        self._next_step(name or f"step {self._steps}")
