"""The two engines that run samples on sharded tensors: this package and torch's own DTensor."""
import itertools
import math

import torch


class Engine:
    """Base of the engines, a context manager in which the mesh exists. `names` is the module with
    DTensor's names, `shape` that of the mesh."""

    def __init__(self, names, shape):
        self._names, self._shape, self._mesh = names, shape, None

    def __enter__(self):
        self._mesh = self._names.init_device_mesh("cpu", self._shape)
        return self

    def __exit__(self, *exception):
        pass

    def distribute(self, tensor, placements):
        """Returns the tensor under the placements ("R", "P" or the sharded dimension). Along a mesh
        dimension with "P" the first rank has the values, and the other ranks have zeros."""
        names = self._names
        cut = [names.Shard(each) if isinstance(each, int) else names.Replicate() for each in placements]
        made = names.distribute_tensor(tensor, self._mesh, cut, src_data_rank=None)
        if "P" not in placements:
            return made
        locals_ = self.locals(made)
        for rank, place in enumerate(itertools.product(*map(range, self._shape))):
            if any(each == "P" and at > 0 for each, at in zip(placements, place)):
                locals_[rank] = torch.zeros_like(locals_[rank])
        partial = [names.Partial() if each == "P" else shard for each, shard in zip(placements, cut)]
        return names.DTensor.from_local(self.joined(locals_), self._mesh, partial, run_check=False,
                                        shape=tensor.shape, stride=tensor.stride())

    def full_tensor(self, result):
        """Returns the full tensor of a sharded result, and any other result as it is."""
        return result.full_tensor() if isinstance(result, self._names.DTensor) else result


class Shardlens(Engine):
    """The engine of this package, on simulated ranks."""

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
    """torch's own DTensor, with all ranks simulated in this process by LocalTensorMode."""

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

    def full_tensor(self, result):
        """Returns the full tensor of the first rank, or of the first rank that differs from it."""
        result = super().full_tensor(result)
        if not isinstance(result, self._joined):
            return result
        first, *others = result._local_tensors.values()
        for other in others:
            if other.shape != first.shape or not torch.equal(other.nan_to_num(), first.nan_to_num()):
                return other
        return first
