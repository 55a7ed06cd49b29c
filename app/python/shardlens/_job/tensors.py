"""The ids and values of DTensors in a job's recording."""
import ctypes

import torch
from torch._subclasses.fake_tensor import is_fake
from torch.distributed.tensor import DTensor

from .. import _jobs


# Registers DTensors with the recorder `jobs`; `numbers` maps them to ids.
class Tensors:
    def __init__(self, jobs):
        self._jobs = jobs
        self.numbers = _jobs.JobTensors(jobs, self._describe)
        self.number_of_local = self.numbers.number_of_local

    def name(self, tensor, name):
        """Renames a DTensor, which gets a new id; ignores other objects."""
        if isinstance(tensor, DTensor):
            self.numbers.name(tensor, name)

    def record_value(self, number, local):
        """Records the value of a local tensor; the recorder applies the capture level. Waits for a
        collective that still fills the tensor. Ignores meta and fake tensors."""
        if local.is_meta or is_fake(local):
            return
        with torch.no_grad():
            if hasattr(local, "wait"):
                local = local.wait()
            local = local.detach().to("cpu").resolve_conj().resolve_neg().contiguous()
            memory = (ctypes.c_char * local.nbytes).from_address(local.data_ptr())
        self._jobs.value(number, list(local.shape), memory)

    # Records a DTensorSpec and returns its id; 0 if recordings have no such dtype, placement or mesh.
    def _describe(self, spec):
        mesh, meta = spec.mesh, spec.tensor_meta
        try:
            self._jobs.mesh(*_parts_of(mesh._get_root_mesh() if hasattr(mesh, "_get_root_mesh") else mesh))
            return self._jobs.spec(str(meta.dtype)[len("torch."):], list(meta.shape), list(spec.placements),
                                   *_parts_of(mesh))
        except Exception as error:
            kinds = ", ".join(map(str, spec.placements))
            self._jobs.limit(f"tensors as ({kinds}) on {mesh}: not recorded: {error}")
            return 0


def _parts_of(mesh):
    return list(mesh.mesh.shape), list(mesh.mesh_dim_names or ()), mesh.mesh.flatten().tolist()
