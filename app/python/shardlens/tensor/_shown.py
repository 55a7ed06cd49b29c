"""The text and the HTML of sharded tensors."""
import html
import itertools

from .. import _engine
from ._local import all_here, split
from .debug import owned
from .device_mesh import mesh_of


def _values(tensor):
    """Returns the values as text: the whole tensor, or the local tensor if other processes have
    parts of it, because printing sends nothing."""
    try:
        if all_here(tensor):
            return repr(_engine.read_whole(tensor.detach()))
        return f"local_tensor={split(tensor.detach())!r}"
    except RuntimeError as why:
        return f"<no values: {why}>"


def text(self, *, tensor_contents=None):
    """Implements repr() of a sharded tensor."""
    parts = [_values(self), f"device_mesh={mesh_of(self)}", f"placements={_engine.placements(self)}"]
    if self.grad_fn is not None:
        parts.append(f"grad_fn=<{type(self.grad_fn).__name__}>")
    elif self.requires_grad:
        parts.append("requires_grad=True")
    return f"DTensor({', '.join(parts)})"


def notebook(tensor):
    """Returns HTML: a table of the mesh with the indices that each rank has, and the values."""
    mesh = mesh_of(tensor)
    names = mesh.mesh_dim_names or [f"dim {dim}" for dim in range(mesh.ndim)]
    columns = mesh.mesh.view(-1, mesh.size(-1)).tolist()
    heads = "".join(f"<th>{html.escape(names[-1])} {column}</th>" for column in range(mesh.size(-1)))
    rows = []
    for at, ranks in zip(itertools.product(*map(range, mesh.shape[:-1])), columns):
        label = ", ".join(f"{html.escape(name)} {place}" for name, place in zip(names, at))
        cells = "".join(f"<td>rank {rank}<br>{owned(tensor, rank)}</td>" for rank in ranks)
        rows.append(f"<tr><th>{label}</th>{cells}</tr>")
    placements = ", ".join(str(placement) for placement in _engine.placements(tensor))
    return (f"<div><b>DTensor</b> {str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}, "
            f"({html.escape(placements)}) on {html.escape(str(mesh))}"
            f"<table><tr><th></th>{heads}</tr>{''.join(rows)}</table>"
            f"<pre>{html.escape(_values(tensor))}</pre></div>")
