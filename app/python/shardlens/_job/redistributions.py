"""Records how DTensor redistributes: the redistributions, their plans and their cache lookups."""
import re

from torch.distributed.tensor import _api

from .collectives import axis
from .privates import private
from .watches import unavailable

_redistribute = private("_redistribute")
_dispatch = private("_dispatch")
_propagator = getattr(private("_sharding_prop"), "ShardingPropagator", None)
_size = re.compile(r"torch\.Size\((\[[^]]*\])\)")
try:
    from torch.utils._dtype_abbrs import dtype_abbrs as _dtypes
except ImportError:  # keys then have torch's names of dtypes
    _dtypes = {}
_plans = getattr(_redistribute, "_gen_transform_infos", None)


def _shape(spec):
    """Returns "f32[4, 8]"; empty if the spec has no shape."""
    meta = spec.tensor_meta
    if meta is None:
        return ""
    return f"{_dtypes.get(meta.dtype, str(meta.dtype))}[{', '.join(map(str, meta.shape))}]"


def _placed(placements):
    """Returns "(S(0), MaskP(sum, [8, 4], 0))"."""
    texts = [_size.sub(r"\1", str(placement)) for placement in placements]
    return f"({', '.join(texts)})"


def _text(argument):
    """Returns the text of an argument in a cache key: "f32[4, 8](S(0), R)" for a DTensor."""
    if isinstance(argument, (list, tuple)):
        return f"[{', '.join(map(_text, argument))}]"
    if not hasattr(argument, "tensor_meta"):
        return str(argument)
    return _shape(argument) + _placed(argument.placements)


def _key(schema):
    """Returns the key of a call in the strategy cache as pairs of names and texts."""
    arguments = getattr(getattr(schema.op, "_schema", None), "arguments", ())
    names = [argument.name for argument in arguments]
    names += [f"arg {place}" for place in range(len(names), len(schema.args_schema))]
    return [("op", str(schema.op).removesuffix(".default")),
            *((name, _text(each)) for name, each in zip(names, schema.args_schema))]


class Redistributions:
    """Hooks DTensor's redistributions. `operators`: the names of the operators that run, the innermost
    last. `watch`: the OperatorWatch, which records results and misses of the strategy cache."""

    def __init__(self, jobs, tensors, operators, watch, watches):
        self._jobs = jobs
        self._tensors = tensors
        self._operators = operators
        self._watch = watch
        # During a redistribution of a DTensor: its source's id, and the open Redistribute events.
        self._source, self._moves = 0, None
        self._shape = ""  # dtype and shape of the newest source
        watches.around(_redistribute, "redistribute_local_tensor", self._redistribute,
                       lost="redistributions")
        for module in (_dispatch, _api):  # those that import the name
            watches.around(module, "redistribute_local_tensor", self._redistribute)
        watches.around(getattr(_redistribute, "Redistribute", None), "forward", self._move,
                       lost="results of redistributions")
        watches.around(getattr(_redistribute, "NestedRedistribute", None), "forward", self._move)
        if hasattr(_plans, "cache_info"):
            self._plans_missed = _plans.cache_info().misses
            watches.around(_redistribute, "_optimize_transform_infos", self._plan, lost="plans")
        else:
            jobs.limit(unavailable("plans", "it has no cache of them"))
        watches.around(_propagator, "_propagate_tensor_meta_non_cached", self._propagate,
                       lost="misses of the strategy cache")

    # In the hooks below `plain` is the hooked function.
    def _redistribute(self, plain, local, current, target, *args, **kwargs):
        if not self._jobs.records_operators():
            return plain(local, current, target, *args, **kwargs)
        # Explicit if no operator runs: the program or a gradient formula requested it.
        self._shape = _shape(current)
        event = self._jobs.begin_redistribute(current.placements, target.placements,
                                              self._source or self._tensors.number_of_local(local),
                                              not self._operators)
        try:
            return plain(local, current, target, *args, **kwargs)
        finally:
            if self._moves is None:
                self._jobs.end(event)
            else:
                self._moves.append(event)

    def _move(self, plain, context, source, *args):
        """Wraps the forward of Redistribute. Records the result inside of the Redistribute event,
        so that event is ended here."""
        if not self._jobs.records_operators():
            return plain(context, source, *args)
        outer = self._source, self._moves
        self._source, self._moves = self._tensors.numbers.number(source, "tensor"), []
        try:
            made = plain(context, source, *args)
            if self._moves:
                self._watch.moved(made, source)
            return made
        finally:
            moves, (self._source, self._moves) = self._moves, outer
            for event in reversed(moves):
                self._jobs.end(event)

    def _plan(self, plain, steps, mesh, current, target):
        steps = plain(steps, mesh, current, target)
        cache = _plans.cache_info()
        is_hit = cache.misses == self._plans_missed
        self._plans_missed = cache.misses
        if not self._jobs.records_operators():
            return steps
        key = [] if is_hit else [("from", self._shape + _placed(current)), ("to", _placed(target))]
        self._jobs.lookup("plan", is_hit, key, cache.currsize)
        self._jobs.plan(tuple(current), tuple(target), [
            (step.mesh_dim, axis(getattr(step, "mesh", mesh), step.mesh_dim), *step.src_dst_placements)
            for step in steps])
        return steps

    def _propagate(self, plain, propagator, schema):
        self._watch.missed(_key(schema))
        return plain(propagator, schema)
