"""Placements that DTensor, spmd_types and the plans of Hugging Face transformers state of plain tensors."""
import re
import sys

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor

from .imports import ImportWatch
from .tensors import unobserved

# The dimension that a style of a `tp_plan` divides of a module's parameters: "rows" of the weight as it is stored,
# its "columns", a dimension, or None for none. Styles that divide parts of a packed weight are left out.
_STYLES = {"colwise": "rows", "colwise_rep": "rows", "colwise_gather_output": "rows", "local_colwise": "rows",
           "rowwise": "columns", "rowwise_rep": "columns", "rowwise_split_input": "columns",
           "local_rowwise": "columns", "embedding_rowwise": 0, "embedding_colwise": 1, "grouped_gemm": 0,
           "sequence_parallel": None, "replicate": None, "replicated_with_grad_allreduce": None}


class Claims:
    """States the placements of plain tensors by `state(tensor, placements, **more)`, which is PlainWatch.claim().
    `more` has `by`, the function or plan that states them, `forms`, for each axis the distances of its ranks from the
    first one, and `waits`."""

    def __init__(self, state, guard, watches):
        self._state, self._watches = state, watches
        self._axes = {}  # mesh -> [(name, form)]
        self.dtensor = guard.around("claims of DTensor", self._dtensor)
        self.plan = guard.around("claims of a tp_plan", self._plan)
        self._spmd_type = guard.around("claims of spmd_types", self._spmd_type)
        self._import = ImportWatch("spmd_types", guard.around("claims of spmd_types", self._watch_spmd_types))

    def remove(self):
        self._import.remove()

    def _dtensor(self, by, local, tensor):
        """States the placements of a DTensor for `local`, its local tensor. Leaves out those that describe the order
        of several axes, or a mask."""
        if not isinstance(tensor, DTensor) or isinstance(local, DTensor) or not isinstance(local, torch.Tensor):
            return
        self._state_on(tensor.device_mesh, local, by,
                       [text if re.match(r"R$|S\(|P\(", text := str(each)) else "" for each in tensor.placements])

    # States a placement, as text, along each axis of a mesh; "": none.
    def _state_on(self, mesh, tensor, by, texts, **more):
        stated = [(name, form, text) for (name, form), text in zip(self._axes_of(mesh), texts)
                  if text and len(form) > 1]
        if stated:
            self._state(tensor, {name: text for name, _, text in stated}, by=by,
                        forms={name: form for name, form, _ in stated}, **more)

    # Returns the name and the form of each axis of a mesh.
    def _axes_of(self, mesh):
        if mesh not in self._axes:
            with unobserved():
                ranks, place = mesh.mesh, mesh.get_coordinate()
                names = mesh.mesh_dim_names or [f"dim_{dim}" for dim in range(ranks.ndim)]
                self._axes[mesh] = [] if place is None else [
                    (name, _form(ranks[tuple(place[:dim]) + (slice(None),) + tuple(place[dim + 1:])].tolist()))
                    for dim, name in enumerate(names)]
        return self._axes[mesh]

    def _plan(self, root):
        """States the placements of plain parameters by the plan by which transformers has sharded `root`: an
        attribute `_tp_plan`, or `base_model_tp_plan` of its config, from patterns to styles. Does nothing for a model
        that is not sharded, and for parameters that no rule names."""
        plan = getattr(root, "_tp_plan", None) or getattr(getattr(root, "config", None), "base_model_tp_plan", None)
        mesh = getattr(root, "_device_mesh", None)
        if not isinstance(plan, dict) or mesh is None or (getattr(root, "_tp_size", None) or 1) < 2:
            return
        names = mesh.mesh_dim_names or ("",)
        if mesh.ndim > 1 and "tp" not in names:
            return
        axis = names.index("tp") if "tp" in names else 0
        tables = {name for name, module in root.named_modules() if isinstance(module, torch.nn.Embedding)}
        for name, parameter in root.named_parameters():
            style = None if isinstance(parameter, DTensor) else _style_of(plan, name)
            if name.rpartition(".")[0] in tables and not str(style).startswith("embedding"):
                style = None  # versions of transformers differ in what the styles of layers do to a table
            text = _placement_of(style, name, parameter.ndim)
            self._state_on(mesh, parameter, f"tp_plan {style}",
                           [text if dim == axis else "" for dim in range(mesh.ndim)], waits=True)

    def _watch_spmd_types(self, package):
        plain = package.assert_type

        def assert_type(plain, tensor, *args, **kwargs):
            checked = plain(tensor, *args, **kwargs)
            self._spmd_type(package, tensor)
            return checked
        for module in list(sys.modules.values()):  # all modules that have imported the name
            if getattr(module, "__dict__", {}).get("assert_type") is plain:
                self._watches.around(module, "assert_type", assert_type)

    # States the type that a tensor has after assert_type(). A list is stated by the calls for its elements.
    def _spmd_type(self, package, tensor):
        if not isinstance(tensor, torch.Tensor):
            return
        types = {axis: {"P": "P(sum)"}.get(kind.name, kind.name)
                 for axis, kind in package.get_local_type(tensor).items()}
        for dim, entry in enumerate(package.get_partition_spec(tensor) or ()):
            for axis in entry if isinstance(entry, tuple) else () if entry is None else (entry,):
                types[axis] = f"S({dim})"
        names = {axis: min(axis.names, default=repr(axis)).removeprefix("mesh_") for axis in types}
        if types:
            self._state(tensor, {names[axis]: text for axis, text in types.items()}, by="spmd_types.assert_type",
                        forms={names[axis]: _form(sorted(axis.layout.all_ranks_from_zero())) for axis in types})


# Returns the distances of ranks from the first one.
def _form(ranks):
    return [rank - ranks[0] for rank in ranks]


# Returns the style of a parameter by its name or that of its module, with * for numbers. The rules of a base model
# also match below a first component.
def _style_of(plan, name):
    pattern = re.sub(r"\d+", "*", name)
    for each in (pattern, pattern.partition(".")[2]):
        for key in (each, each.rpartition(".")[0]):
            if key and key in plan:
                return plan[key]
    return None


# Returns the placement of a parameter by a style; "" for styles that state none.
def _placement_of(style, name, ndim):
    divided = _STYLES.get(style, "") if isinstance(style, str) else ""
    if divided == "" or ndim == 0:
        return ""
    if divided == "rows":
        return f"S({ndim - 1 if ndim == 1 or name.endswith('bias') else ndim - 2})"
    if divided == "columns":
        return "R" if name.endswith("bias") else f"S({ndim - 1})"
    return "R" if divided is None else f"S({divided})" if divided < ndim else ""
