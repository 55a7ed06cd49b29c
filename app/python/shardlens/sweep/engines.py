"""Where a sample can run on sharded tensors: here, and on torch's own DTensor."""
import math


class Shardlens:
    """The engine of this package."""

    def __init__(self, mesh):
        import shardlens
        from shardlens import tensor
        shardlens.init(math.prod(mesh))
        self._names = tensor
        self._mesh = tensor.init_device_mesh("cpu", mesh)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def lay(self, whole, placements):
        return _laid(self._names, self._mesh, whole, placements, self._local)

    def _local(self, whole, rest):
        ranks = self._mesh.size()
        return self._names.LocalTensor([whole] + [rest] * (ranks - 1))

    def whole(self, result):
        """Of a sharded result; of a plain one itself."""
        if not isinstance(result, self._names.DTensor):
            return result
        full = result.full_tensor()
        return full.local_tensors[0] if isinstance(full, self._names.LocalTensor) else full


class DTensor:
    """torch's own, with all ranks in this process."""

    def __init__(self, mesh):
        import torch.distributed as dist
        from torch.distributed import tensor
        from torch.distributed._local_tensor import LocalTensor, LocalTensorMode
        self._names, self._local_tensor = tensor, LocalTensor
        self._ranks = math.prod(mesh)
        dist.init_process_group("fake", rank=0, world_size=self._ranks)
        self._mode, self._shape, self._mesh = LocalTensorMode(self._ranks), mesh, None

    def __enter__(self):
        self._mode.__enter__()
        self._mesh = self._names.init_device_mesh("cpu", self._shape)
        return self

    def __exit__(self, *exception):
        self._mode.__exit__(*exception)

    def lay(self, whole, placements):
        return _laid(self._names, self._mesh, whole, placements, self._local)

    def _local(self, whole, rest):
        return self._local_tensor({rank: rest if rank else whole for rank in range(self._ranks)})

    def whole(self, result):
        """What every rank has; an error where they do not have the same."""
        import torch
        if isinstance(result, self._names.DTensor):
            result = result.full_tensor()
        if not isinstance(result, self._local_tensor):
            return result
        first, *others = result._local_tensors.values()
        for other in others:
            if other.shape != first.shape or not torch.equal(other.nan_to_num(), first.nan_to_num()):
                return other
        return first


def _laid(names, mesh, whole, placements, local):
    """A tensor under the placements; of a sum, rank 0 has the terms that are not zero."""
    sums = [placement == "P" for placement in placements]
    cut = [names.Shard(placement) if isinstance(placement, int) else names.Replicate()
           for placement in placements]
    if not any(sums):
        return names.distribute_tensor(whole, mesh, cut, src_data_rank=None)
    if all(sums):
        return names.DTensor.from_local(local(whole, whole * 0), mesh, [names.Partial()] * len(sums),
                                        run_check=False)
    made = names.distribute_tensor(whole, mesh, cut, src_data_rank=None)
    return made.redistribute(placements=[names.Partial() if is_sum else placement
                                         for is_sum, placement in zip(sums, cut)]).detach()
