"""DeviceMesh, with the names and meaning of torch.distributed.device_mesh, on simulated ranks."""
import math

import torch

from .. import _engine


class _Entered:
    """The meshes whose contexts the program is in, under the name that DTensor's modules ask for."""

    def __init__(self):
        self.mesh_stack = []

    def get_current_mesh(self):
        if not self.mesh_stack:
            raise RuntimeError("No device mesh is currently active!")
        return self.mesh_stack[-1]


_mesh_resources = _Entered()
_known = {}  # by the engine's own mesh: shape, names, ranks


class DeviceMesh:
    """Ranks laid out as a grid of named dimensions.

    All ranks are simulated in this process, and the program runs once for all of them. Where it asks
    for its own rank, or cuts a mesh out of another by names, it is answered as rank 0 would be.
    """

    def __init__(self, device_type, mesh, *, mesh_dim_names=None, _init_backend=True):
        if torch.device(device_type).type != "cpu":
            raise ValueError(f"DeviceMesh: got device type {device_type!r}, expected 'cpu': simulated "
                             "ranks are in this process's memory")
        self.device_type = "cpu"
        self.mesh = torch.as_tensor(mesh, dtype=torch.int, device="cpu").detach()
        self.mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        if self.mesh_dim_names and len(self.mesh_dim_names) != self.mesh.ndim:
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length! Found "
                               f"len(mesh_dim_names): {len(self.mesh_dim_names)} and "
                               f"len(mesh_shape): {self.mesh.ndim}.")
        self._own = _engine.Mesh(list(self.mesh.shape), list(self.mesh_dim_names or ()),
                                 self.mesh.flatten().tolist())
        _known.setdefault(_key(self._own), self)

    @property
    def ndim(self):
        return self.mesh.ndim

    @property
    def shape(self):
        return tuple(self.mesh.shape)

    def size(self, mesh_dim=None):
        return self.mesh.numel() if mesh_dim is None else self.mesh.size(mesh_dim)

    def get_rank(self):
        return self._own.ranks[0]

    def get_local_rank(self, mesh_dim=None):
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions",
                               "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim"
                               " > 1.")
        return self.get_coordinate()[self._dim(mesh_dim or 0)]

    def get_coordinate(self):
        return self._own.coordinate(self.get_rank())

    def __getitem__(self, mesh_dim_names):
        """The mesh of these dimensions that has rank 0, or the mesh's first rank."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        dims = [self._dim(name) for name in names]
        if dims == list(range(self.ndim)):
            return self
        place = [slice(None) if dim in dims else at for dim, at in enumerate(self.get_coordinate())]
        ranks = self.mesh[tuple(place)]
        order = sorted(dims)
        return DeviceMesh(self.device_type, ranks.permute([order.index(dim) for dim in dims]),
                          mesh_dim_names=names)

    def _flatten(self, mesh_dim_name=None):
        """The same ranks in a row."""
        name = mesh_dim_name or "_".join(self.mesh_dim_names or ())
        return DeviceMesh(self.device_type, self.mesh.flatten(),
                          mesh_dim_names=(name,) if name else None)

    def _dim(self, dim):
        if not isinstance(dim, str):
            return dim % self.ndim
        if dim not in (self.mesh_dim_names or ()):
            raise KeyError(f"Invalid mesh_dim_name {dim!r} specified. Valid mesh_dim_names are "
                           f"{self.mesh_dim_names}.")
        return self.mesh_dim_names.index(dim)

    def get_group(self, mesh_dim=None):
        raise NotImplementedError("get_group: got a mesh of simulated ranks, which has no process "
                                  "groups; redistribute() runs the collectives between its ranks")

    def __enter__(self):
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, *exception):
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
        return _again, (self.device_type, self.mesh.tolist(), self.mesh_dim_names)


def _again(device_type, ranks, names):
    return DeviceMesh(device_type, ranks, mesh_dim_names=names)


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """A mesh of the ranks 0, 1, ...; the first one says how many ranks there are, unless
    `shardlens.init(ranks=...)` has."""
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
    """The mesh that was given, or the one whose context the program is in."""
    return _mesh_resources.get_current_mesh() if device_mesh is None else device_mesh


def mesh_of(tensor):
    """The DeviceMesh that a sharded tensor lies on."""
    own = _engine.mesh(tensor)
    known = _known.get(_key(own))
    if known is None:
        ranks = torch.tensor(own.ranks, dtype=torch.int).view(own.shape)
        known = DeviceMesh("cpu", ranks, mesh_dim_names=own.names)
    return known


def _key(own):
    return tuple(own.shape), tuple(own.names), tuple(own.ranks)
