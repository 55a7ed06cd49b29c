"""Programs in several processes, which torchrun or another launcher has started. The engine
connects them.

If each process has one rank, c10d's process groups exist too, as under DTensor.
"""
import atexit
import sys

import torch.distributed as dist

from . import _engine
from ._program import failure

_groups = {}  # c10d's process groups, by tuple of ranks


def host_one_rank_each():
    """Returns True if there are several processes with one rank each."""
    return 1 < _engine.processes() == _engine.ranks()


def start_process_group():
    """Initializes c10d's default process group, as the first mesh of DTensor does. Does nothing if
    the program has done so, or if a process hosts several ranks."""
    if host_one_rank_each() and not dist.is_initialized():
        dist.init_process_group("gloo")


# Returns c10d's process group of these ranks, a tuple. Creates it at the first call, which all of
# its members must make.
def group_of(ranks):
    if ranks not in _groups and len(ranks) == dist.get_world_size():
        return dist.group.WORLD
    if ranks not in _groups:
        _groups[ranks] = dist.new_group(list(ranks), use_local_synchronization=True)
    return _groups[ranks]


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
