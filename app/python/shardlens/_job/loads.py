"""Which slices of a checkpoint a job loads into its plain tensors."""
import torch

from .imports import ImportWatch
from .tensors import unobserved


class Loads:
    """Records the slices that torch.distributed.checkpoint loads into plain tensors, by
    `record(tensor, name, whole, offsets, sizes)`: the name and the shape of the tensor in the checkpoint. The plan of
    a load states them; planners that derive from DefaultLoadPlanner and do not replace finish_plan() are watched."""

    def __init__(self, record, guard, watches):
        self._record, self._watches = record, watches
        self._read = guard.around("loads of checkpoints", self._read_plan)
        self._import = ImportWatch("torch.distributed.checkpoint.default_planner",
                                   guard.around("loads of checkpoints", self._watch))

    def remove(self):
        self._import.remove()

    def _watch(self, module):
        def finish_plan(plain, planner, *args, **kwargs):
            finished = plain(planner, *args, **kwargs)
            self._read(planner, finished)
            return finished
        self._watches.around(module.DefaultLoadPlanner, "finish_plan", finish_plan, lost="loads of checkpoints")

    def _read_plan(self, planner, plan):
        items = {}  # name in the state dict -> its items
        for item in plan.items:
            if item.type.name == "TENSOR":
                items.setdefault(item.dest_index.fqn, []).append(item)
        for name, parts in items.items():
            tensor = planner.state_dict.get(name)
            stored = parts[0].storage_index.fqn
            whole = planner.metadata.state_dict_metadata.get(stored)
            if type(tensor) in (torch.Tensor, torch.nn.Parameter) and hasattr(whole, "size"):
                with unobserved():
                    self._read_parts(tensor, stored, list(whole.size), parts)

    # Records the box that the parts of a tensor make up. Ignores parts that do not, as those of several tensors.
    def _read_parts(self, tensor, stored, whole, parts):
        origins = {_origin(part) for part in parts}
        is_filled = sum(part.lengths.numel() for part in parts) == tensor.numel()
        if len(origins) == 1 and is_filled and {part.storage_index.fqn for part in parts} == {stored}:
            self._record(tensor, stored, whole, list(origins.pop()), list(tensor.shape))


# Returns the place of the first element of a tensor in the whole tensor, by a part of it.
def _origin(part):
    chunk = part.storage_index.offset or (0,) * len(part.lengths)
    return tuple(first + offset - dest for first, offset, dest in zip(chunk, part.storage_offsets, part.dest_offsets))
