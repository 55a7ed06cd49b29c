"""Where a program makes DTensors of plain tensors, and plain tensors of what is still to be reduced."""
import sys

from torch.distributed.tensor import DTensor, _api


class Borders:
    """`watch` is told of them, beside all operators."""

    def __init__(self, watch, watches):
        self._watch = watch
        watches.around(DTensor, "from_local", self._from_local)
        watches.around(DTensor, "to_local", self._to_local)
        if "_dtensor_init_helper" in vars(_api):
            watches.around(_api, "_dtensor_init_helper", self._factory)
        distribute = _api.distribute_tensor
        for module in list(sys.modules.values()):  # those that have imported its name
            if getattr(module, "__dict__", {}).get("distribute_tensor") is distribute:
                watches.around(module, "distribute_tensor", self._distribute)

    def _from_local(self, plain, *args, **kwargs):
        return self._told(plain(*args, **kwargs), "from_local")

    def _to_local(self, plain, tensor, **kwargs):
        if any(placement.is_partial() for placement in tensor.placements):
            self._watch.read(tensor)
        return plain(tensor, **kwargs)

    def _factory(self, plain, make, *args, **kwargs):
        return self._told(plain(make, *args, **kwargs),
                          make.__name__.strip("_").removesuffix("_local_tensor"))

    def _distribute(self, plain, *args, **kwargs):
        return self._told(plain(*args, **kwargs), "distribute_tensor")

    def _told(self, made, name):
        self._watch.made(made, name)
        return made
