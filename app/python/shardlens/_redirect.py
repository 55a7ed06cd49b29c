"""PyTorch's names for sharded tensors, given to what a program imports by them.

PyTorch's own tensor-parallel styles and debug tools are written on those names alone: they are loaded
once more from the torch that is installed, onto ours, and so mean what that torch means by them.
"""
import builtins
import contextlib
import importlib
import importlib.util
import os
import sys

import torch
import torch.distributed._state_dict_utils

_THEIRS = "torch.distributed.tensor"
# By the name that a program imports: the module of ours that it gets.
_OURS = {
    "torch.distributed.device_mesh": ".tensor.device_mesh",
    _THEIRS: ".tensor",
    _THEIRS + "._api": ".tensor._api",
    _THEIRS + ".device_mesh": ".tensor.device_mesh",
    _THEIRS + ".placement_types": ".tensor.placement_types",
    _THEIRS + ".parallel": ".tensor.parallel",
    _THEIRS + ".parallel.loss": ".tensor.parallel",
    _THEIRS + ".debug": ".tensor.debug",
    _THEIRS + ".experimental": ".tensor.experimental",
    # As it was called before.
    "torch.distributed._tensor": ".tensor",
    "torch.distributed._tensor.api": ".tensor._api",
    "torch.distributed._tensor.device_mesh": ".tensor.device_mesh",
    "torch.distributed._tensor.placement_types": ".tensor.placement_types",
}
_BEHIND = (_THEIRS + ".", "torch.distributed._tensor.")
_FSDP2 = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp")
_loaded = {}  # of PyTorch's own modules, those that stand on ours


def pytorchs_own(name):
    """The module `torch.distributed.tensor.<name>` of the installed torch, on our names."""
    full = f"{_THEIRS}.{name}"
    if full not in _loaded:
        path = os.path.join(torch.__path__[0], *full.split(".")[1:]) + ".py"
        spec = importlib.util.spec_from_file_location(full, path)
        module = importlib.util.module_from_spec(spec)
        with _redirected([_THEIRS, "torch.distributed.device_mesh", _THEIRS + ".placement_types"]):
            spec.loader.exec_module(module)
        _loaded[full] = module
    return _loaded[full]


@contextlib.contextmanager
def _redirected(names):
    ours = {name: importlib.import_module(_OURS[name], __package__) for name in names} | _loaded
    before = {name: sys.modules.get(name) for name in ours}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def redirect():
    """From now on what is not torch's own imports our modules by PyTorch's names; torch itself goes on
    with its own, on which much of it stands."""
    for name in _OURS:
        with contextlib.suppress(ModuleNotFoundError):  # some want more than torch, as numpy
            importlib.import_module(name)  # later, it would take the places that are given away below
    ours = {name: importlib.import_module(module, __package__) for name, module in _OURS.items()}
    ours |= _loaded
    torch.distributed.tensor = torch.distributed._tensor = ours[_THEIRS]
    torch.distributed.device_mesh = ours["torch.distributed.device_mesh"]
    torch.distributed.DeviceMesh = torch.distributed.device_mesh.DeviceMesh
    torch.distributed.init_device_mesh = torch.distributed.device_mesh.init_device_mesh
    state_dicts = torch.distributed._state_dict_utils  # what gathers them, and takes whole ones
    for name in ("DTensor", "Replicate", "distribute_tensor"):
        setattr(state_dicts, name, getattr(ours[_THEIRS], name))
    state_dicts._distribute_tensors = _distribute_tensors
    plain_import, plain_import_module = builtins.__import__, importlib.import_module

    def ours_for(who, name):
        """What the module `who` gets by this name; nothing where it gets what the name says."""
        if (who or "").partition(".")[0] == "torch":
            return None
        if name in _FSDP2:
            plain_import(name)
            sys.modules[name].fully_shard = _fully_shard
        if name.startswith(_BEHIND) and name not in ours:
            raise ImportError(f"{name}: got a module behind DTensor's public names, expected one of "
                              f"{', '.join(sorted(ours))}", name=name)
        return ours.get(name)

    def redirecting(name, globals=None, locals=None, fromlist=(), level=0):
        found = ours_for((globals or {}).get("__name__"), name) if level == 0 else None
        if found is None:
            return plain_import(name, globals, locals, fromlist, level)
        return found if fromlist else torch

    def redirecting_module(name, package=None):
        full = importlib.util.resolve_name(name, package)
        found = ours_for(sys._getframe(1).f_globals.get("__name__"), full)
        return plain_import_module(name, package) if found is None else found

    builtins.__import__, importlib.import_module = redirecting, redirecting_module


def _fully_shard(*_args, **_kwargs):
    raise NotImplementedError(
        "fully_shard: got FSDP2, which is made of torch's own DTensors, expected parameters placed by "
        "distribute_tensor() or parallelize_module(); `python -m shardlens record` records it as it is")


def _distribute_tensors(state_dict, names, *_group):
    """As torch's: of what was sharded and came whole from rank 0, the part of each rank."""
    for name in names:
        if isinstance(state_dict.get(name), tuple):
            sharded, whole = state_dict[name]
            state_dict[name] = torch.distributed.tensor.distribute_tensor(
                whole, sharded.device_mesh, sharded.placements, src_data_rank=None)
