"""Processes that share the ranks: torchrun, or another launcher, started them, and the engine connects
them. Where each has one rank, the program's own process group is c10d's, as under DTensor."""
import atexit
import sys

import torch.distributed as dist

from . import _engine
from ._program import failure

_groups = {}  # by their ranks, those that meshes have asked for


def host_one_rank_each():
    """Whether each rank is a process of its own, of several."""
    return 1 < _engine.processes() == _engine.ranks()


def start_process_group():
    """As a mesh of DTensor's does, where the program has not done it by itself."""
    if host_one_rank_each() and not dist.is_initialized():
        dist.init_process_group("gloo")


def group_of(ranks):
    if ranks not in _groups and len(ranks) == dist.get_world_size():
        return dist.group.WORLD
    if ranks not in _groups:
        _groups[ranks] = dist.new_group(list(ranks), use_local_synchronization=True)
    return _groups[ranks]


def ranks_of(group):
    return dist.get_process_group_ranks(group)


def use_group(group):
    """A program's own group is what meshes of its ranks have."""
    _groups[tuple(ranks_of(group))] = group


def _watch_failures():
    """The others do not wait for a process that has ended, and say by what it failed."""
    plain = sys.excepthook
    why = ""

    def noted(kind, error, trace):
        nonlocal why
        why = failure(kind, error)
        plain(kind, error, trace)
    sys.excepthook = noted
    atexit.register(lambda: _engine.leave(why))


_watch_failures()
