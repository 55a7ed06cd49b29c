"""Redirects imports of torch.distributed.tensor and related modules to shardlens.tensor.

PyTorch's tensor-parallel styles and debug tools use only those public names. So they are loaded a
second time from the installed torch, on top of the engine's modules, and behave as in that torch.
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
# Module name that a program imports -> module of this package that it gets.
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
    # Former names.
    "torch.distributed._tensor": ".tensor",
    "torch.distributed._tensor.api": ".tensor._api",
    "torch.distributed._tensor.device_mesh": ".tensor.device_mesh",
    "torch.distributed._tensor.placement_types": ".tensor.placement_types",
}
_BEHIND = (_THEIRS + ".", "torch.distributed._tensor.")  # prefixes of refused private modules
_FSDP2 = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp")
_loaded = {}  # PyTorch's own modules that were loaded on top of ours, by name


def pytorchs_own(name):
    """Returns the module `torch.distributed.tensor.<name>` of the installed torch, loaded on top of
    ours. It is loaded at the first call."""
    full = f"{_THEIRS}.{name}"
    if full not in _loaded:
        path = os.path.join(torch.__path__[0], *full.split(".")[1:]) + ".py"
        spec = importlib.util.spec_from_file_location(full, path)
        module = importlib.util.module_from_spec(spec)
        with _redirected([_THEIRS, "torch.distributed.device_mesh", _THEIRS + ".placement_types"]):
            spec.loader.exec_module(module)
        _loaded[full] = module
    return _loaded[full]


# Places our modules under PyTorch's names in sys.modules, and restores it at the end.
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
    """Redirects, from now on, imports of PyTorch's names by all modules except torch's own. torch's
    modules keep importing theirs, because much of torch depends on them."""
    for name in _OURS:
        with contextlib.suppress(ModuleNotFoundError):  # some require more than torch, as numpy
            importlib.import_module(name)  # a later import would overwrite the attributes set below
    ours = {name: importlib.import_module(module, __package__) for name, module in _OURS.items()}
    ours |= _loaded
    torch.distributed.tensor = torch.distributed._tensor = ours[_THEIRS]
    torch.distributed.device_mesh = ours["torch.distributed.device_mesh"]
    torch.distributed.DeviceMesh = torch.distributed.device_mesh.DeviceMesh
    torch.distributed.init_device_mesh = torch.distributed.device_mesh.init_device_mesh
    state_dicts = torch.distributed._state_dict_utils  # gathers and distributes state dicts
    for name in ("DTensor", "Replicate", "distribute_tensor"):
        setattr(state_dicts, name, getattr(ours[_THEIRS], name))
    state_dicts._distribute_tensors = _distribute_tensors
    plain_import, plain_import_module = builtins.__import__, importlib.import_module

    def ours_for(who, name):
        """Returns our module for an import of `name` by the module `who`; None if the import is not
        redirected. Raises ImportError for a private module of DTensor."""
        if (who or "").partition(".")[0] == "torch":
            return None
        if name in _FSDP2:
            plain_import(name)
            sys.modules[name].fully_shard = _fully_shard
        if name.startswith(_BEHIND) and name not in ours:
            raise ImportError(f"{name}: got a private module of DTensor, expected one of "
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
        "fully_shard: got FSDP2, which requires torch's own DTensors, expected parameters sharded by "
        "distribute_tensor() or parallelize_module(); `python -m shardlens record` records FSDP2")


def _distribute_tensors(state_dict, names, *_group):
    """Replaces torch's function: shards the entries (sharded tensor, whole tensor) of a state dict
    in place. torch has broadcast the whole tensors before, so nothing is sent."""
    for name in names:
        if isinstance(state_dict.get(name), tuple):
            sharded, whole = state_dict[name]
            state_dict[name] = torch.distributed.tensor.distribute_tensor(
                whole, sharded.device_mesh, sharded.placements, src_data_rank=None)
