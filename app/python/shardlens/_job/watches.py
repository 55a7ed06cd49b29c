"""What looks on around functions of torch, until it is taken away again."""
import functools


class Watches:
    """`is_watched` says whether what a thread does is told."""

    def __init__(self, is_watched):
        self._is_watched = is_watched
        self._undo = []

    def around(self, owner, name, watch):
        """Calls of `owner.name` go to `watch`, which gets the function and its arguments."""
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

    def remove(self):
        for undo in reversed(self._undo):
            undo()
