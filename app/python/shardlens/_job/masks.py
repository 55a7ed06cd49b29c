"""Records the mask buffers of DTensor's embeddings with row-wise sharded tables."""
from torch.distributed.tensor import placement_types


class Masks:
    """Hooks DTensor's MaskPartial and MaskBuffer. `operators`: the names of the operators that run,
    the innermost last."""

    def __init__(self, jobs, operators, watches):
        self._jobs = jobs
        self._operators = operators
        self._placements = []  # MaskPartials whose methods run, the innermost last
        # id(buffer) -> (buffer, its id in the recording, events that materialized and hold it).
        self._buffers = {}
        masked = (getattr(placement_types, "MaskPartial", None)
                  or getattr(placement_types, "_MaskPartial", None))
        for name in ("_partition_value", "_reduce_value", "_reduce_shard_value"):
            watches.around(masked, name, self._inside, lost="mask buffers")
        buffer = getattr(placement_types, "MaskBuffer", None)
        watches.around(buffer, "materialize_mask", self._materialize, lost="mask buffers")
        watches.around(buffer, "apply_mask", self._apply)
        watches.around(buffer, "release_mask", self._release)

    def _inside(self, plain, placement, *args, **kwargs):
        self._placements.append(placement)
        try:
            return plain(placement, *args, **kwargs)
        finally:
            self._placements.pop()

    def _materialize(self, plain, buffer, mask):
        plain(buffer, mask)
        if id(buffer) not in self._buffers:
            self._buffers[id(buffer)] = (buffer, self._jobs.mask_buffer(), [])
        hold = self._record("materialized", buffer)
        self._buffers[id(buffer)][2].append(hold)

    def _apply(self, plain, buffer, tensor):
        plain(buffer, tensor)
        self._record("applied", buffer)

    def _release(self, plain, buffer):
        plain(buffer)
        self._record("released", buffer)

    def _record(self, kind, buffer):
        if not self._placements or id(buffer) not in self._buffers:
            return 0  # materialized before the recording, or outside of a MaskPartial
        _, number, holds = self._buffers[id(buffer)]
        ends = holds.pop() if kind == "released" and holds else 0
        if buffer.refcount == 0:
            del self._buffers[id(buffer)]  # the next mask in this object gets a new id
        return self._jobs.mask(kind, self._placements[-1], number, buffer.refcount, ends,
                               self._operators[-1] if self._operators else "")
