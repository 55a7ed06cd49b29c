"""Programs in several processes, which torchrun or another launcher has started. The engine
connects them.

If each process has one rank, c10d's process groups exist too, as under DTensor.
"""
import atexit
import os
import sys

import torch.distributed as dist

from . import _engine
from ._program import failure

_OURS = ("torch", "shardlens")
_BEHIND_ENVIRON = ("os", "collections", "_collections_abc")  # modules that implement os.environ
_groups = {}  # c10d's process groups, by tuple of ranks


def host_one_rank_each():
    """Returns True if there are several processes with one rank each."""
    return 1 < _engine.processes() == _engine.ranks()


def start_process_group():
    """Initializes c10d's default process group, as the first mesh of DTensor does. Does nothing if
    the program has done so, or if a process hosts several ranks."""
    if host_one_rank_each() and not dist.is_initialized():
        dist.init_process_group("gloo")


class SharedRank:
    """The rank of a program that runs once for several ranks. It has a text, that of the first of
    them, and can be compared with 0, which selects what one rank alone does, as printing. Any other
    use raises NotImplementedError, because the program would compute something else than with one
    process for each rank."""

    def __init__(self, first):
        self._first = first

    def __str__(self):
        return str(self._first)

    __repr__ = __str__

    def __format__(self, how):
        return format(self._first, how)

    def __eq__(self, other):
        if type(other) is not int or other != 0:
            refuse_rank()
        return self._first == 0

    def __bool__(self):
        return self._first != 0

    @classmethod
    def __torch_function__(cls, *_call):
        refuse_rank()


def refuse_rank(*_operands):
    """Raises NotImplementedError with the line of the program."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _package(frame) in (*_OURS, *_BEHIND_ENVIRON):
        frame = frame.f_back
    raise NotImplementedError(
        f"{frame.f_code.co_filename}:{frame.f_lineno}: got a use of the rank, expected none: this process runs the "
        f"program once for {_engine.ranks() // _engine.processes()} ranks, so all ranks would "
        "compute the same; `--processes` starts one process for each rank")


for _name in ("int", "index", "float", "complex", "hash", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert",
              *(side + name for side in ("", "r")
                for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift",
                             "and", "or", "xor", "matmul"))):
    setattr(SharedRank, f"__{_name}__", refuse_rank)


class _Environment(os._Environ):
    """os.environ of such a program: refuses to read the rank. Iteration leaves it out."""

    _RANKS = ("RANK", "LOCAL_RANK")

    def __getitem__(self, key):
        if key in self._RANKS and _is_program(_reader()):
            refuse_rank()
        return super().__getitem__(key)

    def __contains__(self, key):
        return self.encodekey(key) in self._data

    def __iter__(self):
        return (key for key in super().__iter__() if key not in self._RANKS)


# Makes os.environ refuse to read the rank, for the rest of the process; see _Environment.
def refuse_rank_in_environment():
    os.environ.__class__ = _Environment


def shown(rank):
    """Returns what a function returns that the program has asked for its rank: a SharedRank if the
    program runs for several ranks, else `rank`. Also returns `rank` if a module of torch or of this
    package has called the function."""
    if _engine.ranks() > _engine.processes() and _is_program(sys._getframe(2)):
        return SharedRank(rank)
    return rank


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]


# Returns False for code of torch and of this package.
def _is_program(frame):
    return _package(frame) not in _OURS


# Returns the frame that reads os.environ, outside of the modules that implement it.
def _reader():
    frame = sys._getframe(2)
    while _package(frame) in _BEHIND_ENVIRON:
        frame = frame.f_back
    return frame


# Returns c10d's process group of these ranks, a tuple. Creates it at the first call, which all of
# its members must make.
def group_of(ranks):
    if ranks not in _groups and len(ranks) == dist.get_world_size():
        return dist.group.WORLD
    if ranks not in _groups:
        _groups[ranks] = dist.new_group(list(ranks), use_local_synchronization=True)
    return _groups[ranks]


# Returns the global ranks of a process group of c10d, in the order of its members.
def ranks_of(group):
    return dist.get_process_group_ranks(group)


def use_group(group):
    """Makes group_of() return this group of the program for its ranks."""
    _groups[tuple(ranks_of(group))] = group


def _watch_failures():
    """Arranges that this process leaves the engine's group at its end, with the exception that
    ended it. So the other processes do not wait for it, and can name the failure."""
    plain = sys.excepthook
    why = ""

    def noted(kind, error, trace):
        nonlocal why
        why = failure(kind, error)
        plain(kind, error, trace)
    sys.excepthook = noted
    atexit.register(lambda: _engine.leave(why))


_watch_failures()
