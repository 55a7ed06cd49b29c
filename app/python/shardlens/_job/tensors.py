"""The numbers that a job's recording gives to DTensors, and what ranks hold of them."""
import ctypes

import torch
from torch._subclasses.fake_tensor import is_fake
from torch.distributed.tensor import DTensor

from .. import _jobs


class Tensors:
    def __init__(self, jobs):
        self._jobs = jobs
        self.numbers = _jobs.JobTensors(jobs, self._describe)
        self.number_of_local = self.numbers.number_of_local

    def name(self, tensor, name):
        """From now on it is called this."""
        if isinstance(tensor, DTensor):
            self.numbers.name(tensor, name)

    def tell_value(self, number, local):
        """What the rank holds, as much of it as is wanted."""
        if local.is_meta or is_fake(local):
            return
        with torch.no_grad():
            if hasattr(local, "wait"):
                local = local.wait()
            local = local.detach().to("cpu").resolve_conj().resolve_neg().contiguous()
            memory = (ctypes.c_char * local.nbytes).from_address(local.data_ptr())
        self._jobs.value(number, list(local.shape), memory)

    def _describe(self, spec):
        mesh, meta = spec.mesh, spec.tensor_meta
        return self._jobs.spec(
            str(meta.dtype)[len("torch."):], list(meta.shape), list(spec.placements),
            list(mesh.mesh.shape), list(mesh.mesh_dim_names or ()), mesh.mesh.flatten().tolist())
