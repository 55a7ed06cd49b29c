"""Hooks around functions of torch."""
import functools


class Watches:
    """A set of hooks that can be removed together. A hook does nothing in a thread where
    `is_watched()` is False."""

    def __init__(self, is_watched):
        self._is_watched = is_watched
        self._undo = []

    def around(self, owner, name, watch):
        """Replaces `owner.name` by a call of watch(plain, *args, **kwargs), where `plain` is the
        original. `owner` itself must define the name."""
        plain = owner.__dict__[name]

        @functools.wraps(plain)
        def watched(*args, **kwargs):
            if not self._is_watched():
                return plain(*args, **kwargs)
            return watch(plain, *args, **kwargs)
        if isinstance(plain, staticmethod):
            watched = staticmethod(watched)
        setattr(owner, name, watched)
        self._undo.append(lambda: setattr(owner, name, plain))

    # Restores the original functions, in reverse order.
    def remove(self):
        for undo in reversed(self._undo):
            undo()
