"""Records the mask buffers of DTensor's embeddings with row-wise sharded tables."""
import dataclasses
import weakref

from torch.distributed.tensor import placement_types

from .privates import private

# The modules that have the classes, one or the other by the version of torch.
_MODULES = placement_types, private("_ops._embedding_ops")


# Returns the class with this name, or None if this torch has none.
def _class(name):
    return next((getattr(module, name) for module in _MODULES if hasattr(module, name)), None)


class Masks:
    """Hooks DTensor's MaskPartial and MaskBuffer. `operators`: the names of the operators that run,
    the innermost last."""

    def __init__(self, jobs, operators, watches):
        self._jobs = jobs
        self._operators = operators
        self._placements = []  # MaskPartials whose methods run, the innermost last
        # id(buffer) -> (weak reference to it, its id in the recording, the placement, the events that
        # materialized and hold it).
        self._buffers = {}
        self._kinds = {}  # placements with empty buffers
        self._freed = []  # keys of the buffers that were freed while held
        masked = _class("MaskPartial") or _class("_MaskPartial")
        for name in ("_partition_value", "_reduce_value", "_reduce_shard_value"):
            watches.around(masked, name, self._inside, lost="mask buffers")
        buffer = _class("MaskBuffer")
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
        self.poll()
        if id(buffer) not in self._buffers and self._placements and self._jobs.records_operators():
            freed, key = self._freed, id(buffer)
            self._buffers[key] = (weakref.ref(buffer, lambda _: freed.append(key)), self._jobs.mask_buffer(),
                                  self._without_buffer(self._placements[-1]), [])
        hold = self._record("materialized", buffer)
        if hold:
            self._buffers[id(buffer)][-1].append(hold)

    def poll(self):
        """Records the release of buffers that were freed with their placement, as loss_parallel()
        leaves them."""
        while self._freed:
            _, number, placement, holds = self._buffers.pop(self._freed.pop(0))
            while holds:
                self._jobs.mask("released", placement, number, len(holds) - 1, holds.pop(), "")

    def _apply(self, plain, buffer, tensor):
        plain(buffer, tensor)
        self._record("applied", buffer)

    def _release(self, plain, buffer):
        plain(buffer)
        self._record("released", buffer)

    def _record(self, kind, buffer):
        if not self._placements or id(buffer) not in self._buffers:
            return 0  # materialized before the recording, or outside of a MaskPartial
        _, number, _, holds = self._buffers[id(buffer)]
        ends = holds.pop() if kind == "released" and holds else 0
        if buffer.refcount == 0:
            del self._buffers[id(buffer)]  # the next mask in this object gets a new id
        placement = self._without_buffer(self._placements[-1])
        return self._jobs.mask(kind, placement, number, buffer.refcount, ends,
                               self._operators[-1] if self._operators else "")

    # Returns an equal placement with an empty buffer, because the recorder keeps placements.
    def _without_buffer(self, placement):
        key = placement.reduce_op, placement.offset_shape, placement.offset_dim
        if key not in self._kinds:
            self._kinds[key] = dataclasses.replace(placement, mask_buffer=type(placement.mask_buffer)())
        return self._kinds[key]
