"""DeviceMesh on the engine's ranks, with the names and meaning of torch.distributed.device_mesh."""
from __future__ import annotations

import math
import typing
from collections.abc import Sequence

import torch
from torch.distributed import _functional_collectives

from .. import _engine, _processes as processes


class _Entered:
    """The stack of meshes that the program has entered as contexts, with the interface that
    DTensor's modules use."""

    def __init__(self):
        self.mesh_stack = []

    def get_current_mesh(self):
        if not self.mesh_stack:
            raise RuntimeError("No device mesh is currently active!")
        return self.mesh_stack[-1]


_mesh_resources = _Entered()
_known = {}  # _key() of the engine's mesh -> the first DeviceMesh of that mesh


class DeviceMesh:
    """A grid of ranks with named dimensions.

    A process that hosts several ranks runs the program once for all of them. Its own rank, and the
    submesh of given dimensions, are then those of the first hosted rank. Meshes of equal shape,
    names and ranks are equal. `backend_override` has no effect, because the ranks are connected
    already.
    """

    device_type: str
    mesh: torch.Tensor  # the ranks
    mesh_dim_names: tuple[str, ...] | None

    def __init__(self, device_type: str, mesh: typing.Any = None, *,
                 mesh_dim_names: Sequence[str] | None = None, backend_override: typing.Any = None,
                 _init_backend: bool = True, _root: DeviceMesh | None = None,
                 _root_dims: typing.Any = None) -> None:
        if torch.device(device_type).type != "cpu":
            raise ValueError(f"DeviceMesh: got device type {device_type!r}, expected 'cpu', because "
                             "the ranks are in the memory of processes")
        if mesh is None:
            raise TypeError("The mesh argument is required except for PRIVATE USAGE ONLY!")
        self.device_type = "cpu"
        self.mesh = torch.as_tensor(mesh, dtype=torch.int, device="cpu").detach()
        self.mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        if self.mesh_dim_names and len(self.mesh_dim_names) != self.mesh.ndim:
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length! Found "
                               f"len(mesh_dim_names): {len(self.mesh_dim_names)} and "
                               f"len(mesh_shape): {self.mesh.ndim}.")
        self._own = _engine.Mesh(list(self.mesh.shape), list(self.mesh_dim_names or ()),
                                 self.mesh.flatten().tolist())
        _engine.check(self._own)
        self._root = _root or self
        # For each dimension, the dimensions of the root that it consists of.
        self._root_dims = _root_dims or [(dim,) for dim in range(self.mesh.ndim)]
        self._flattened = {}  # in a root: name of a flattened dimension -> its dimensions
        _known.setdefault(_key(self._own), self)
        if _init_backend:
            processes.start_process_group()

    @staticmethod
    def from_group(group: typing.Any, device_type: str, mesh: typing.Any = None, *,
                   mesh_dim_names: Sequence[str] | None = None) -> DeviceMesh:
        """Returns the mesh of a process group of c10d, or of several groups, one for each dimension
        of the ranks in `mesh`. The mesh uses these groups."""
        groups = list(group) if isinstance(group, (list, tuple)) else [group]
        if not groups:
            raise ValueError("Expect at least one ProcessGroup be specified")
        if len(groups) == 1:
            ranks = processes.ranks_of(groups[0])
            if mesh is not None and torch.as_tensor(mesh).tolist() != ranks:
                raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {ranks}")
            mesh = ranks
        elif mesh is None:
            raise ValueError("Must pass mesh if passing multiple ProcessGroups")
        made = DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names)
        if made.ndim != len(groups):
            raise ValueError("Expects mesh with ndim equal to number of ProcessGroups but got mesh "
                             f"{made.mesh.tolist()} and {len(groups)} ProcessGroups")
        for each in groups:
            processes.use_group(each)
        return made

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.mesh.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of ranks along each dimension."""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """Returns the number of ranks, in total or along a dimension."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.size(mesh_dim)

    def get_rank(self) -> int:
        """Returns the program's rank: in several processes the first rank that this process hosts,
        in one process the first rank of the mesh. A program that runs for several ranks gets a
        SharedRank, here and from the next two functions."""
        return processes.shown(self._rank())

    def _rank(self):
        return _engine.rank() if _engine.processes() > 1 else self._own.ranks[0]

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Returns the index of the program's rank along a dimension. A mesh of several dimensions
        requires `mesh_dim`."""
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions",
                               "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim"
                               " > 1.")
        return processes.shown(self._coordinate()[self._dim(mesh_dim or 0)])

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Returns the indices of the program's rank in the mesh, or None if it is not in the
        mesh."""
        place = self._coordinate()
        return place and tuple(map(processes.shown, place))

    def _coordinate(self):
        rank = self._rank()
        return tuple(self._own.coordinate(rank)) if rank in self._own.ranks else None

    def _first_along(self, rank, dims):
        """Returns the rank at index 0 along these dimensions and at the indices of `rank` along all
        others."""
        place = self._own.coordinate(rank)
        return self.mesh[tuple(0 if dim in dims else at for dim, at in enumerate(place))].item()

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """Returns the submesh of these dimensions that contains the program's rank. Names of
        flattened dimensions are valid too. Raises KeyError for unknown names."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if names == self.mesh_dim_names:
            return self
        known = dict(zip(self.mesh_dim_names, self._root_dims)) | self._flattened
        if not all(name in known for name in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are "
                           f"{[*known]}.")
        dims = [dim for name in names for dim in known[name]]
        if len(set(dims)) < len(dims):
            raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
        return self._cut([known[name] for name in names], names)

    def _cut(self, root_dims, names):
        """Returns the submesh of the root that contains the program's rank and has these
        dimensions, each a tuple of dimensions of the root."""
        root = self._root
        here = root._coordinate() or [0] * root.ndim
        dims = [dim for group in root_dims for dim in group]
        others = [dim for dim in range(root.ndim) if dim not in dims]
        ranks = root.mesh.permute(others + dims)[tuple(here[dim] for dim in others)]
        sizes = [math.prod(root.mesh.size(dim) for dim in group) for group in root_dims]
        return DeviceMesh(self.device_type, ranks.reshape(sizes), mesh_dim_names=names, _root=root,
                          _root_dims=root_dims)

    def _flatten(self, mesh_dim_name=None, backend_override=None):
        """Returns a mesh of one dimension with the same ranks, and makes its name valid for slicing
        the root."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(self.mesh_dim_names)
        if self.ndim == 1 and name in self.mesh_dim_names:
            return self
        root, dims = self._root, tuple(dim for group in self._root_dims for dim in group)
        if name in root.mesh_dim_names:
            raise ValueError(f"{name} already exists for submesh of the {root}. ",
                             "Please specify another valid mesh_dim_name.")
        if root._flattened.setdefault(name, dims) != dims:
            raise ValueError(f"Flatten mesh with mesh_dim_name {name} has been created before, "
                             "Please specify another valid mesh_dim_name.")
        return self._cut([dims], (name,))

    def _unflatten(self, dim, mesh_sizes, mesh_dim_names, backend_override=None):
        """Returns a mesh of the same ranks with one dimension split into several."""
        if len(mesh_sizes) != len(mesh_dim_names):
            raise RuntimeError("mesh_dim_names must have same length as mesh_sizes in _unflatten!")
        at = self._dim(dim)
        if math.prod(mesh_sizes) != self.size(at):
            raise ValueError(f"The product of {mesh_sizes=} is {math.prod(mesh_sizes)}, but the original "
                             f"dimension at dim={at} has size {self.size(at)}. These must be equal for "
                             "unflatten to work correctly.")
        names = list(self.mesh_dim_names)
        names[at:at + 1] = mesh_dim_names
        return DeviceMesh(self.device_type, self.mesh.unflatten(at, tuple(mesh_sizes)),
                          mesh_dim_names=names)

    @staticmethod
    def _concatenate(device_mesh_list):
        """Returns the mesh with the dimensions of several submeshes of one root."""
        first = device_mesh_list[0]
        if any(mesh._root is not first._root for mesh in device_mesh_list):
            raise RuntimeError("Cannot concatenate DeviceMeshes derived from different device meshes")
        dims = [group for mesh in device_mesh_list for group in mesh._root_dims]
        if len({dim for group in dims for dim in group}) < sum(map(len, dims)):
            raise RuntimeError(f"Cannot concatenate overlapping meshes: {device_mesh_list}")
        return first._cut(dims, tuple(name for mesh in device_mesh_list for name in mesh.mesh_dim_names))

    def _get_all_submeshes(self, mesh_dim_name):
        """Returns all submeshes along a dimension."""
        rows = self.mesh.movedim(self._dim(mesh_dim_name), -1)
        return [DeviceMesh(self.device_type, row, mesh_dim_names=(mesh_dim_name,), _init_backend=False)
                for row in rows.reshape(-1, rows.size(-1))]

    # Returns the index of a dimension that is given by index or name.
    def _dim(self, dim):
        if not isinstance(dim, str):
            return dim % self.ndim
        if dim not in (self.mesh_dim_names or ()):
            raise KeyError(f"Mesh dimension '{dim}' does not exist.",
                           f"Available mesh dimensions are: mesh_dim_names={self.mesh_dim_names}")
        return self.mesh_dim_names.index(dim)

    def get_group(self, mesh_dim: int | str | None = None) -> torch.distributed.ProcessGroup:
        """Returns c10d's process group of the ranks along a dimension that contains the program's
        rank. Raises NotImplementedError if a process hosts several ranks, because there are no such
        groups then."""
        if not processes.host_one_rank_each():
            raise NotImplementedError(
                "get_group: got a mesh with several ranks in a process, expected one in each; "
                "redistribute() runs the collectives between its ranks")
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions",
                               "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
                               "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                               "please use `get_all_groups()` instead.")
        dim = self._dim(mesh_dim or 0)
        place = [slice(None) if each == dim else at for each, at in enumerate(self._coordinate())]
        return processes.group_of(tuple(self.mesh[tuple(place)].tolist()))

    def get_all_groups(self) -> list[torch.distributed.ProcessGroup]:
        """Returns one process group of c10d for each dimension, as get_group()."""
        return [self.get_group(dim) for dim in range(self.ndim)]

    @property
    def _dim_group_names(self):
        return [group.group_name for group in self.get_all_groups()]

    def __enter__(self) -> DeviceMesh:
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _mesh_resources.mesh_stack.pop()

    def __eq__(self, other):
        return isinstance(other, DeviceMesh) and _key(self._own) == _key(other._own)

    def __hash__(self):
        return hash(_key(self._own))

    def __repr__(self):
        sizes = self.shape
        if self.mesh_dim_names:
            named = zip(self.mesh_dim_names, self.shape)
            sizes = f"({', '.join(f'{name}={size}' for name, size in named)})"
        return f"DeviceMesh({sizes}, {self.device_type!r}, stride={self.mesh.stride()})"

    def __reduce__(self):
        return _unpickled_mesh, (self.device_type, self.mesh.tolist(), self.mesh_dim_names)


# Lets functional collectives accept this class: they check isinstance(group, DeviceMesh).
_functional_collectives.DeviceMesh = (_functional_collectives.DeviceMesh, DeviceMesh)


# Unpickles a DeviceMesh.
def _unpickled_mesh(device_type, ranks, names):
    return DeviceMesh(device_type, ranks, mesh_dim_names=names)


def init_device_mesh(device_type: str, mesh_shape: Sequence[int], *,
                     mesh_dim_names: Sequence[str] | None = None,
                     backend_override: typing.Any = None) -> DeviceMesh:
    """Returns a mesh of the ranks 0, 1, ... in this shape. The number of ranks grows to its size,
    unless `shardlens.init()` or a launcher has set it. Raises RuntimeError if the mesh is larger
    then."""
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError("Each mesh_dim_name must be unique.",
                               f"Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}")
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length!",
                               f"Found len(mesh_dim_names): {len(mesh_dim_names)} and "
                               f"len(mesh_shape):{len(mesh_shape)}.")
    ranks = torch.arange(math.prod(mesh_shape), dtype=torch.int).view(tuple(mesh_shape))
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)


def current_mesh(device_mesh):
    """Returns the given mesh, or if it is None the innermost mesh that the program has entered.
    Raises RuntimeError if there is none."""
    return _mesh_resources.get_current_mesh() if device_mesh is None else device_mesh


def mesh_of(tensor):
    """Returns the DeviceMesh of a sharded tensor."""
    own = _engine.mesh(tensor)
    known = _known.get(_key(own))
    if known is None:
        ranks = torch.tensor(own.ranks, dtype=torch.int).view(own.shape)
        known = DeviceMesh("cpu", ranks, mesh_dim_names=own.names)
    return known


def _key(own):
    return tuple(own.shape), tuple(own.names), tuple(own.ranks)


__all__ = ["DeviceMesh", "init_device_mesh"]
