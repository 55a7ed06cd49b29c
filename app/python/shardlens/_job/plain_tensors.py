"""The ids of plain tensors in a job's recording."""
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.multiprocessing.reductions import StorageWeakRef

from .tensors import range_in_storage


def inner(tensor):
    """Returns the tensor that a functional collective fills, for its wrapper; else `tensor`."""
    return tensor.elem if isinstance(tensor, AsyncCollectiveTensor) else tensor


class PlainTensors:
    """A map from plain tensors to their ids. Two Python objects with the same memory, shape and strides are one
    tensor, because autograd makes new objects for the tensors that it saves.

    Entries of freed storages are removed from time to time. The weak references keep the addresses of storages from
    being used again until then."""

    _SWEEP_EVERY = 1000

    def __init__(self, jobs):
        self._jobs = jobs
        self._storages = {}  # address -> (weak reference, {geometry: (id, name)})
        self._sweep_at = self._SWEEP_EVERY

    def number(self, tensor, name="tensor", renames=False):
        """Returns the id of a tensor. Registers it under `name` if it is new. With `renames`, a tensor of another
        name gets a new id. Returns 0 for a dtype that recordings do not have, and for a tensor without storage."""
        tensor = inner(tensor)
        try:
            storage = tensor.untyped_storage()
            address = storage._cdata
        except (RuntimeError, NotImplementedError):  # a wrapper of functorch, or a sparse tensor
            return 0
        known = self._storages.get(address)
        if known is None:
            if len(self._storages) >= self._sweep_at:
                self._sweep()
            known = self._storages[address] = StorageWeakRef(storage), {}
        geometry = tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype
        found = known[1].get(geometry)
        if found is None or renames and found[1] != name:
            dtype = str(tensor.dtype).removeprefix("torch.")
            found = known[1][geometry] = self._jobs.plain_tensor(name, dtype, list(tensor.shape)), name
        return found[0]

    def overlapping(self, tensor):
        """Returns (id, name, is_inside) of all tensors whose memory may overlap with that of `tensor`. `is_inside`
        is True if all of a tensor's memory is that of `tensor`."""
        tensor = inner(tensor)
        try:
            _, known = self._storages.get(tensor.untyped_storage()._cdata, (None, {}))
        except (RuntimeError, NotImplementedError):
            return []
        first, last = range_in_storage(tensor.storage_offset(), tensor.shape, tensor.stride())
        is_dense = last - first == tensor.numel()
        found = []
        for (offset, shape, strides, dtype), (number, name) in known.items():
            start, end = range_in_storage(offset, shape, strides)
            if number and (dtype != tensor.dtype or start < last and first < end):
                is_inside = is_dense and dtype == tensor.dtype and first <= start and end <= last
                found.append((number, name, is_inside))
        return found

    def _sweep(self):
        self._storages = {address: entry for address, entry in self._storages.items() if not entry[0].expired()}
        self._sweep_at = 2 * len(self._storages) + self._SWEEP_EVERY
