"""Hooks around functions of torch."""
import functools

import torch
from torch.compiler import is_compiling

from .. import _jobs


class Guard:
    """Keeps the recorder's own exceptions from the program.

    The first exception of a hook goes to `report(message)`, as "recorder failed: ...", and ends the
    hook. An exception of `report` is ignored."""

    def __init__(self, report):
        self._report = report
        self._failed = set()

    def fail(self, hook, why):
        """Ends a hook. `why`: the exception, or a text."""
        if hook in self._failed:
            return
        self._failed.add(hook)
        try:
            why = f"{type(why).__name__}: {why}" if isinstance(why, Exception) else why
            self._report(f"recorder failed: {hook}: {why}")
        except Exception:
            pass

    def around(self, hook, function):
        """Returns a function that calls `function`, and returns None where that raises or the hook
        has ended."""
        @functools.wraps(function)
        def guarded(*args, **kwargs):
            if hook not in self._failed:
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    self.fail(hook, error)
            return None
        return guarded


def unavailable(lost, why):
    """Returns the text for what this version of torch does not let the recorder observe."""
    return f"{lost}: not available on torch {'.'.join(torch.__version__.split('.')[:2])}, because {why}"


class Watches:
    """A set of hooks that can be removed together. A hook does nothing in a thread where
    `is_watched` is False: see own_thread(). `guard` receives the exceptions of hooks, and
    `limit(text)` what a missing function of torch costs."""

    def __init__(self, is_watched, guard, limit):
        self._is_watched = is_watched
        self._guard = guard
        self._limit = limit
        self._lost = set()
        self._undo = []

    def around(self, owner, name, watch, lost=""):
        """Replaces `owner.name` by a call of watch(plain, *args, **kwargs), where `plain` is the
        original. `owner` itself must define the name, else it is a private function that this torch
        lacks: the recording then states once that `lost` is not available, unless that is empty."""
        plain = getattr(owner, "__dict__", {}).get(name)
        if plain is None:
            if lost and lost not in self._lost:
                self._lost.add(lost)
                self._limit(unavailable(lost, f"it has no {name}"))
            return
        is_static = isinstance(plain, staticmethod)
        function = plain.__func__ if is_static else plain
        hooked = _jobs.hook(function, watch, self._is_watched,
                            functools.partial(self._guard.fail, f"{owner.__name__}.{name}"))

        @functools.wraps(function)
        def watched(*args, **kwargs):
            # torch.compile traces this function, and could not trace `hooked`.
            return function(*args, **kwargs) if is_compiling() else hooked(*args, **kwargs)
        setattr(owner, name, staticmethod(watched) if is_static else watched)
        self._undo.append(lambda: setattr(owner, name, plain))

    # Restores the original functions, in reverse order.
    def remove(self):
        for undo in reversed(self._undo):
            undo()
