"""Where a sample can run on sharded tensors: here, and on torch's own DTensor, whose names are the same."""
import itertools
import math

import torch


class Engine:
    """`names` is the module of DTensor's names; the mesh is there inside of the `with`."""

    def __init__(self, names, shape):
        self._names, self._shape, self._mesh = names, shape, None

    def __enter__(self):
        self._mesh = self._names.init_device_mesh("cpu", self._shape)
        return self

    def __exit__(self, *exception):
        pass

    def lay(self, whole, placements):
        """The tensor under the placements; the first ranks along a dimension of the mesh that has terms
        have all, and the others zeros."""
        names = self._names
        cut = [names.Shard(each) if isinstance(each, int) else names.Replicate() for each in placements]
        made = names.distribute_tensor(whole, self._mesh, cut, src_data_rank=None)
        if "P" not in placements:
            return made
        locals_ = self.locals(made)
        for rank, place in enumerate(itertools.product(*map(range, self._shape))):
            if any(each == "P" and at > 0 for each, at in zip(placements, place)):
                locals_[rank] = torch.zeros_like(locals_[rank])
        laid = [names.Partial() if each == "P" else shard for each, shard in zip(placements, cut)]
        return names.DTensor.from_local(self.joined(locals_), self._mesh, laid, run_check=False,
                                        shape=whole.shape, stride=whole.stride())

    def whole(self, result):
        """Of a sharded result; of a plain one itself."""
        return result.full_tensor() if isinstance(result, self._names.DTensor) else result


class Shardlens(Engine):
    """The engine of this package."""

    def __init__(self, shape):
        import shardlens
        from shardlens import tensor
        shardlens.init(math.prod(shape))
        super().__init__(tensor, shape)

    def locals(self, tensor):
        local = tensor.to_local()
        return list(getattr(local, "local_tensors", [local] * self._mesh.size()))

    def joined(self, locals_):
        return self._names.LocalTensor(locals_)


class DTensor(Engine):
    """torch's own, with all ranks in this process."""

    def __init__(self, shape):
        import torch.distributed as dist
        from torch.distributed import tensor
        from torch.distributed._local_tensor import LocalTensor, LocalTensorMode
        dist.init_process_group("fake", rank=0, world_size=math.prod(shape))
        super().__init__(tensor, shape)
        self._mode, self._joined = LocalTensorMode(math.prod(shape)), LocalTensor

    def __enter__(self):
        self._mode.__enter__()
        return super().__enter__()

    def __exit__(self, *exception):
        self._mode.__exit__(*exception)

    def locals(self, tensor):
        local = tensor.to_local()
        if not isinstance(local, self._joined):
            return [local] * self._mesh.size()
        return [local._local_tensors[rank] for rank in range(self._mesh.size())]

    def joined(self, locals_):
        return self._joined(dict(enumerate(locals_)))

    def whole(self, result):
        """What every rank has; of ranks that differ, one that is not as the first."""
        result = super().whole(result)
        if not isinstance(result, self._joined):
            return result
        first, *others = result._local_tensors.values()
        for other in others:
            if other.shape != first.shape or not torch.equal(other.nan_to_num(), first.nan_to_num()):
                return other
        return first
