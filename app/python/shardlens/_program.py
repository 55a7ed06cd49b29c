"""The parts that record() and the recorder of jobs (_job) share: the program's file, its modules,
and the steps of its optimizers."""
import functools
import os
import re
import shlex
import sys
import threading
from weakref import WeakKeyDictionary

import torch
from torch import nn
from torch.compiler import is_compiling
from torch.optim.optimizer import (register_optimizer_step_post_hook,
                                   register_optimizer_step_pre_hook)
from torch.utils.weak import WeakIdKeyDictionary

from . import _jobs

# Path prefixes of code that does not belong to the program.
LIBRARIES = [os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
             os.path.dirname(os.path.abspath(__file__)) + os.sep, "<frozen"]


def path_of(program=None):
    """Returns the absolute path of `program`, by default of the file that Python was started with.
    Returns "" if there is none, as in a notebook."""
    program = program or getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.abspath(program) if program else ""


def arguments():
    """Returns the program's command line arguments, quoted for a shell; "" without a program
    file."""
    return shlex.join(sys.argv[1:]) if path_of() else ""


def failure(kind, error):
    """Returns the text that a recording has for an exception: its type, and its message if it has one. Returns ""
    for a normal end: GeneratorExit, or SystemExit with code 0 or None."""
    if kind is GeneratorExit or kind is SystemExit and error.code in (None, 0):
        return ""
    message = str(error)
    return f"{kind.__name__}: {message}" if message else kind.__name__


def is_first_report(error):
    """Returns True at the first call for this exception, else False. Marks the exception itself,
    because a reference to it would keep its frames and their tensors alive."""
    is_first = not error.__dict__.get("_is_recorded_by_shardlens")
    error.__dict__["_is_recorded_by_shardlens"] = True
    return is_first


def file_of_rank(folder, rank):
    """Returns the path of a rank's file in the folder of a recording."""
    return os.path.join(folder, f"rank-{rank}.shardlens")


def clear_ranks(folder, first):
    """Removes the files that the ranks `first` and above have left of an earlier run, because files
    of different runs do not open as one recording. Removes the manifest, too, which lists the ranks
    of that run. The folder must exist."""
    for name in os.listdir(folder):
        found = re.fullmatch(r"rank-(\d+)\.shardlens(-wal|-shm|-journal|-live)?", name)
        if found and int(found[1]) >= first or name == "shardlens-manifest.json":
            os.remove(os.path.join(folder, name))


def clear_parts(folder, rank, keeps_file):
    """Removes what an earlier recording of this rank with `keep` has left, and, unless `keeps_file`, its
    recording. The folder must exist."""
    beside = "(-wal|-shm|-journal|-live)?"
    removed = rf"\.rank-{rank}\.\d+\.shardlens(-link)?{beside}"
    if not keeps_file:
        removed += rf"|rank-{rank}\.shardlens{beside}"
    for name in os.listdir(folder):
        if re.fullmatch(removed, name):
            os.remove(os.path.join(folder, name))
    for name in os.listdir(folder):
        kept = os.path.join(folder, name, f"rank-{rank}.shardlens")
        if name.startswith("kept-") and os.path.lexists(kept):
            os.remove(kept)


# Returns the autograd node that runs, or None; always None if this torch does not say.
gradient_node = getattr(torch._C, "_current_autograd_node", lambda: None)


def own_thread():
    """Returns a predicate, in C++, that is True in the thread that calls this and in autograd's threads.

    Calls of other threads are not recorded, because they have no defined order with the program's.
    The predicate is False while torch traces, because traced calls compute nothing."""
    return _jobs.WatchedThread(torch._guards.TracingContext.try_get, _node_in_autograds_thread)


# Python's threads by their identifiers, and the type of those that Python did not start.
_threads = getattr(threading, "_active", {})
_StartedElsewhere = getattr(threading, "_DummyThread", ())


def _node_in_autograds_thread():
    """Returns the autograd node that runs in this thread; None in a thread that Python started, where the
    program calls backward()."""
    node = gradient_node()
    if node is None:
        return None
    thread = _threads.get(threading.get_ident())
    return node if thread is None or isinstance(thread, _StartedElsewhere) else None


def watched_thread():
    """Returns own_thread() as a predicate that torch.compile can trace; then it is False, too."""
    is_watched = own_thread()
    return lambda: not is_compiling() and is_watched()


class ModuleNames:
    """The names of modules and parameters, by the outermost module (root) that the program calls.

    The tree of a root is walked at its first call, and again if a module runs that is new or has
    other parameters. `name_parameter(parameter, name)` is called once for each parameter found, and
    `see(root)` at each walk."""

    def __init__(self, name_parameter, see):
        self._name_parameter = name_parameter
        self._see = see
        self._named = WeakIdKeyDictionary()  # parameter -> name
        self._trees = WeakKeyDictionary()  # root -> module -> (name, ids of its parameters)

    def of(self, module, root):
        """Returns the name of a module in the tree of `root`. Returns the name of its class for
        `root` itself and for a module that is not in the tree."""
        if root not in self._trees:
            self._walk(root)
        name, parameters = self._trees[root].get(module, ("", None))
        if parameters != _identities(module):
            self._walk(root)
            name, _ = self._trees[root].get(module, ("", None))
            self._trees[root][module] = name, _identities(module)
        return name or type(module).__name__

    def release(self, tensor):
        """Implements SwapHook's release()."""
        name = self._named.pop(tensor, None)

        def restore():
            if name is not None:
                self._named[tensor] = name
        return restore

    def _walk(self, root):
        self._see(root)
        self._trees.setdefault(root, WeakKeyDictionary()).update(
            {inner: (name, _identities(inner)) for name, inner in root.named_modules()})
        for name, parameter in root.named_parameters():
            if parameter not in self._named:  # a shared parameter keeps its first name
                self._named[parameter] = name
                self._name_parameter(parameter, name)


def _identities(module):
    return [id(parameter) for parameter in module._parameters.values()]


class SwapHook:
    """Lets torch.utils.swap_tensors() run, as Module.to_empty() calls it, until remove() is called. It refuses
    tensors that have weak references, so that it runs between release(tensor) of each of `releases` and the
    functions that these return. release() drops a recorder's weak references to a tensor, and the function that it
    returns restores them. The swap may happen in any thread.
    `guard`, if given, keeps exceptions of these functions from the program."""

    def __init__(self, *releases, guard=None):
        plain = torch.utils.swap_tensors

        def guarded(function):
            return function if guard is None else guard.around("swaps", function)
        releases = [guarded(release) for release in releases]

        @functools.wraps(plain)
        def swap(t1, t2):
            restores = [release(tensor) for release in releases for tensor in (t1, t2)]
            try:
                plain(t1, t2)
            finally:
                for restore in filter(None, restores):
                    guarded(restore)()
        self._plain = plain
        self._modules = [module for module in list(sys.modules.values())  # all that have imported the name
                         if getattr(module, "__dict__", {}).get("swap_tensors") is plain]
        self._set(swap)

    def remove(self):
        self._set(self._plain)

    def _set(self, function):
        for module in self._modules:
            module.swap_tensors = function


class ProgramHooks:
    """Hooks in torch that report to a recorder until remove() is called. They report calls of the
    thread that made this object, and of autograd's threads.

    Calls `site.set_module(name)` and `site.set_pass(name)` as modules and optimizers run, and
    `name_parameter(parameter, name)` once per parameter. Calls `next_step(name)` at the beginning
    and after each step of an optimizer; once the program calls step(), only step() begins steps.
    The step of an optimizer inside of another one's begins none. Optimizers that step one after the
    other, with no event between, end one step: `cancel_step()` withdraws the step that next_step()
    announced, or returns False if an event has begun it. `guard`, if given, keeps exceptions of the
    hooks from the program. `see(module)` is called for each outermost module that the program calls, and `begin()`
    before each call of one."""

    def __init__(self, site, name_parameter, next_step, cancel_step, guard=None, see=lambda module: None,
                 begin=lambda: None):
        self._site = site
        self._names = ModuleNames(name_parameter, see)
        self._next_step = next_step
        self._cancel_step = cancel_step
        self._begin = begin
        self._optimizers = []  # those that step, the innermost last
        self._steps = 0
        self._has_explicit_steps = False
        self._running = []  # names of the modules that run, the innermost last
        self._is_watched = watched_thread()
        next_step("step 1")
        modules = nn.modules.module

        def guarded(hook):
            return hook if guard is None else guard.around(hook.__name__.strip("_"), hook)
        self._hooks = [
            modules.register_module_forward_pre_hook(guarded(self._enter)),
            modules.register_module_forward_hook(guarded(self._leave), always_call=True),
            register_optimizer_step_pre_hook(guarded(self._begin_optimizer)),
            register_optimizer_step_post_hook(guarded(self._end_optimizer))]

    @property
    def module(self):
        """The name of the innermost module that runs; "" if none runs."""
        return self._running[-1] if self._running else ""

    def release(self, tensor):
        """Implements SwapHook's release()."""
        return self._names.release(tensor)

    def step(self, name=None):
        """Begins a step; from now on the steps of optimizers begin none."""
        self._has_explicit_steps = True
        self._begin_step(name)

    def remove(self):
        for hook in self._hooks:
            hook.remove()

    def _enter(self, module, inputs):
        if not self._is_watched():
            return
        if not self._running:
            self._begin()
            self._root = module
        self._running.append(self._names.of(module, self._root))
        self._site.set_module(self._running[-1])

    def _leave(self, module, inputs, output):
        if not self._is_watched() or not self._running:
            return  # the module began before the hooks were installed
        self._running.pop()
        self._site.set_module(self._running[-1] if self._running else "")
        if not self._running:
            self._root = None

    def _begin_optimizer(self, optimizer, args, kwargs):
        if not self._is_watched():
            return
        if optimizer in self._optimizers:  # its last step ended with an exception
            del self._optimizers[self._optimizers.index(optimizer):]
        if not self._optimizers and not self._has_explicit_steps and self._steps > 0 and self._cancel_step():
            self._steps -= 1
        self._optimizers.append(optimizer)
        self._site.set_module(type(optimizer).__name__)
        self._site.set_pass("")

    def _end_optimizer(self, optimizer, args, kwargs):
        if not self._is_watched():
            return
        if optimizer in self._optimizers:
            del self._optimizers[self._optimizers.index(optimizer):]
        if self._optimizers:
            self._site.set_module(type(self._optimizers[-1]).__name__)
            return
        self._site.set_module("")
        self._site.set_pass("forward")
        if not self._has_explicit_steps:
            self._begin_step()

    def _begin_step(self, name=None):
        self._steps += 1
        self._next_step(name or f"step {self._steps + 1}")
