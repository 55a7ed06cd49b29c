"""The ids and values of DTensors in a job's recording."""
import contextlib

import torch
from torch._subclasses.fake_tensor import is_fake
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import _disable_current_modes

from .. import _jobs
from .summaries import Summaries, is_capturing


# Registers DTensors with the recorder `jobs`; `numbers` maps them to ids. `keeps_elements`: elements
# or hashes may be recorded, not their statistics alone, so that their order matters.
class Tensors:
    def __init__(self, jobs, keeps_elements):
        self._jobs = jobs
        self._keeps_elements = keeps_elements
        self._summaries = Summaries(jobs)
        self.numbers = _jobs.JobTensors(jobs, self._describe)
        self.number_of_local = self.numbers.number_of_local

    def name(self, tensor, name):
        """Renames a DTensor, which gets a new id; ignores other objects."""
        if isinstance(tensor, DTensor):
            self.numbers.name(tensor, name)

    def release(self, tensor):
        """Implements SwapHook's release()."""
        self.numbers.release(tensor)
        return lambda: self.numbers.restore(tensor)

    def record_value(self, number, local):
        """Records the value of a local tensor that OperatorWatch does not record by itself. Waits
        for a collective that still fills the tensor; if that fails, there is no value. Ignores
        tensors that are not readable: see _is_readable()."""
        shape = local.shape
        with torch.no_grad():
            if hasattr(local, "wait"):
                try:
                    local = local.wait()
                except RuntimeError:  # as of a peer that has gone
                    return
            if not _is_readable(local):
                return
            if not local.is_cpu and not self._jobs.records_elements(number, local.nbytes):
                self._summaries.add(number, local)
                return
            if type(local) is not torch.Tensor or not local.is_cpu or local.is_conj() or local.is_neg():
                local = local.detach().to("cpu").resolve_conj().resolve_neg()
            if not local.is_contiguous() and (self._keeps_elements or not _jobs.is_dense(shape, local.stride())):
                local = local.detach().contiguous()
        try:
            address = local.data_ptr()
        except RuntimeError:  # a wrapper of functorch or of functionalization, which has no storage
            return
        if address != 0 or local.nbytes == 0:  # 0: the elements of a subclass are in other tensors
            self._jobs.value(number, shape, address, local.nbytes)

    def collect(self):
        """Records the values that are computed on other devices. Waits for these."""
        with unobserved():
            self._summaries.collect()

    # Records a DTensorSpec and returns its id; 0 if recordings have no such dtype, placement or mesh.
    def _describe(self, spec):
        mesh, meta = spec.mesh, spec.tensor_meta
        try:
            self._jobs.mesh(*_parts_of(root_of(mesh)))
            return self._jobs.spec(str(meta.dtype)[len("torch."):], list(meta.shape), list(spec.placements),
                                   *_parts_of(mesh))
        except Exception as error:
            kinds = ", ".join(map(str, spec.placements))
            self._jobs.limit(f"tensors as ({kinds}) on {mesh}: not recorded: {error}")
            return 0


@contextlib.contextmanager
def unobserved():
    """Hides the recorder's calls of torch from modes and subclasses of the program."""
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        yield


# Returns False for meta and fake tensors, for those without memory, as sparse ones or the freed parameters of FSDP2,
# and while a CUDA graph is captured.
def _is_readable(tensor):
    if tensor.is_meta or is_fake(tensor) or is_capturing(tensor.device):
        return False
    try:
        return has_memory(tensor)
    except RuntimeError:  # it has no storage
        return False


def has_memory(tensor):
    """Returns False if the storage of a tensor is too small for it, as that of an unsharded parameter that FSDP2 has
    freed. Reading such a tensor is a segmentation fault."""
    end = tensor.storage_offset() + 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.numel() == 0 or end * tensor.element_size() <= tensor.untyped_storage().nbytes()


def root_of(mesh):
    """Returns the mesh of which `mesh` is a submesh, or itself."""
    return mesh._get_root_mesh() if hasattr(mesh, "_get_root_mesh") else mesh


def _parts_of(mesh):
    return list(mesh.mesh.shape), list(mesh.mesh_dim_names or ()), mesh.mesh.flatten().tolist()
