"""The numbers that a job's recording gives to DTensors."""
import weakref

import torch
from torch._subclasses.fake_tensor import is_fake
from torch.distributed.tensor import DTensor

_MOST_HELD = 100_000


class Tensors:
    def __init__(self, jobs):
        self._jobs = jobs
        self._known = {}  # by id(): a weak reference, its number, its name, and how it lies
        self._locals = {}  # by id() of its local tensor: the number
        self._specs, self._held_specs = {}, {}  # their numbers; the latter by id()

    def number(self, tensor, name="tensor"):
        known = self._known.get(id(tensor))
        if known is None or known[0]() is not tensor:
            return self._add(tensor, name)
        if known[3] is not tensor._spec and self._spec(known[3]) != self._spec(tensor._spec):
            return self._add(tensor, known[2])  # an operator in place changed how it lies
        return known[1]

    def number_of_local(self, local):
        """Of the DTensor whose local tensor it is; 0 where that is not known."""
        return self._locals.get(id(local), 0)

    def name(self, tensor, name):
        """From now on it is called this."""
        if not isinstance(tensor, DTensor):
            return
        self._add(tensor, name)

    def tell_value(self, number, local):
        """What the rank holds, as much of it as is wanted."""
        if not number or not self._jobs.wants_value(number) or local.is_meta or is_fake(local):
            return
        with torch.no_grad():
            if hasattr(local, "wait"):
                local = local.wait()
            local = local.detach().to("cpu").contiguous()
            elements = local.reshape(-1).view(torch.uint8).numpy() if local.numel() else b""
        self._jobs.value(number, list(local.shape), elements)

    def _add(self, tensor, name):
        spec = self._spec(tensor._spec)
        if not spec:
            return 0  # of a dtype that recordings do not have
        number, key, local = self._jobs.tensor(name, spec), id(tensor), id(tensor._local_tensor)

        def forget(gone):
            if self._known.get(key, (None,))[0] is gone:
                del self._known[key]
            if self._locals.get(local) == number:
                del self._locals[local]
        self._known[key] = (weakref.ref(tensor, forget), number, name, tensor._spec)
        self._locals[local] = number
        return number

    def _spec(self, spec):
        held = self._held_specs.get(id(spec))  # DTensor's caches give out the same ones again
        if held is not None:
            return held[1]
        if len(self._held_specs) >= _MOST_HELD:
            self._held_specs.clear()
            self._specs.clear()
        known = self._specs.get(spec)
        if known is None:
            mesh, meta = spec.mesh, spec.tensor_meta
            known = self._specs[spec] = self._jobs.spec(
                str(meta.dtype)[len("torch."):], list(meta.shape), list(spec.placements),
                list(mesh.mesh.shape), list(mesh.mesh_dim_names or ()), mesh.mesh.flatten().tolist())
        self._held_specs[id(spec)] = (spec, known)
        return known
