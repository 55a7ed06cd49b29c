"""torch.distributed.tensor.debug: what a part of a program sends, and where a tensor's parts lie."""
from .. import _engine


class CommDebugMode:
    """Counts the collectives that run inside of the `with`."""

    def __enter__(self):
        self._before = comm_counts()
        self._after = None
        return self

    def __exit__(self, *exception):
        self._after = comm_counts()

    def get_comm_counts(self):
        """By kind, those that ran: {"all_reduce": 2, ...}."""
        after = comm_counts() if self._after is None else self._after
        counts = {kind: count - self._before.get(kind, 0) for kind, count in after.items()}
        return {kind: count for kind, count in counts.items() if count}

    def get_total_counts(self):
        return sum(self.get_comm_counts().values())


def comm_counts():
    """By kind, the collectives that have run since the program began."""
    return {kind: count for kind, (count, _) in _engine.collective_counts().items()}


def visualize_sharding(dtensor, header=""):
    """Prints which rows and columns of a tensor of one or two dimensions each rank has."""
    if dtensor.ndim > 2:
        raise RuntimeError("visualize sharding supports only 1D or 2D DTensor")
    mesh = _engine.mesh(dtensor)
    if header:
        print(header)
    for rank in mesh.ranks:
        print(f"rank {rank}: {owned(dtensor, rank)}")


def owned(dtensor, rank):
    """The indices of the whole that a rank has, as "[0:2 4:6, 0:3]"."""
    ranges = [" ".join(f"{first}:{last}" for first, last in runs)
              for runs in _engine.local_ranges(dtensor, rank)]
    return f"[{', '.join(ranges)}]" if all(ranges) else "empty"


__all__ = ["CommDebugMode", "comm_counts", "visualize_sharding"]
