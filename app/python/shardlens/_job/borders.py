"""Records the conversions between plain tensors and DTensors."""
import sys

from torch.distributed.tensor import DTensor, _api


class Borders:
    """Hooks from_local(), distribute_tensor(), the factories, and to_local() of a Partial.

    Results go to `watch.made()`, and DTensors whose partial values are read to `watch.read()`.
    `state(name, local, tensor)` receives each plain tensor with the DTensor that it is the local one of.
    Exceptions go to `failed(kind, error, traceback)` and are raised again."""

    def __init__(self, watch, failed, watches, state=lambda *args: None):
        self._watch, self._state = watch, state
        self._failed = failed
        watches.around(DTensor, "from_local", self._from_local)
        watches.around(DTensor, "to_local", self._to_local)
        watches.around(DTensor, "redistribute", self._called)
        watches.around(_api, "_dtensor_init_helper", self._factory, lost="results of factories, as zeros()")
        distribute = _api.distribute_tensor
        for module in list(sys.modules.values()):  # all modules that have imported the name
            if getattr(module, "__dict__", {}).get("distribute_tensor") is distribute:
                watches.around(module, "distribute_tensor", self._distribute)

    # In the hooks below `plain` is the hooked function.
    def _from_local(self, plain, *args, **kwargs):
        # DTensor's own module calls it for the gradient of what to_local() returned.
        caller = sys._getframe(2).f_globals.get("__name__")
        name = "gradient of to_local" if caller == _api.__name__ else "from_local"
        made = self._made(name, plain, *args, **kwargs)
        self._state(name, args[0] if args else kwargs.get("local_tensor"), made)
        return made

    def _to_local(self, plain, tensor, **kwargs):
        if any(placement.is_partial() for placement in tensor.placements):
            self._watch.read(tensor)
        local = self._called(plain, tensor, **kwargs)
        self._state("to_local", local, tensor)
        return local

    def _factory(self, plain, make, *args, **kwargs):
        name = make.__name__.strip("_").removesuffix("_local_tensor")
        return self._made(name, plain, make, *args, **kwargs)

    def _distribute(self, plain, *args, **kwargs):
        return self._made("distribute_tensor", plain, *args, **kwargs)

    def _made(self, name, plain, *args, **kwargs):
        made = self._called(plain, *args, **kwargs)
        self._watch.made(made, name)
        return made

    def _called(self, plain, *args, **kwargs):
        try:
            return plain(*args, **kwargs)
        except Exception as error:
            self._failed(type(error), error, None)
            raise
