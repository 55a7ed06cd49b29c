"""The names of torch.distributed.tensor on the engine's ranks.

The ranks are simulated in this process, or shared by the processes that torchrun started. A DTensor
program runs here after a change of its imports, or unchanged under `python -m shardlens run`.
"""
from .._installed import import_torch

torch = import_torch()
_MINOR = ".".join(torch.__version__.split("+")[0].split(".")[:2])
_REINSTALL = "`pip install --force-reinstall ./app/python` builds it for this torch"
if _MINOR not in ("2.11", "2.15"):
    _REINSTALL = "install torch 2.15 or 2.11, then `pip install --force-reinstall ./app/python`"
try:
    from .. import _engine
except ImportError as error:
    raise ImportError(f"shardlens.tensor: {error}. Shardlens was installed without the engine, or for another "
                      f"torch than {torch.__version__}: {_REINSTALL}") from error
if _MINOR != ".".join(_engine.torch_version.split(".")[:2]):
    raise ImportError(f"shardlens.tensor was built for torch {_engine.torch_version}, got torch "
                      f"{torch.__version__}: {_REINSTALL}")

from .._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                           StridedShard)
from ._api import (DTensor, distribute_module, distribute_tensor, empty, full, linspace, logspace, ones,
                   rand, randn, zeros)
from ._local import LocalTensor
from .device_mesh import DeviceMesh, init_device_mesh
from . import _compile, _methods

_methods.install()
_compile.install()
_StridedShard = StridedShard

__all__ = ["DTensor", "DeviceMesh", "LocalTensor", "MaskPartial", "NormPartial", "Partial", "Placement",
           "Replicate", "Shard", "StridedShard", "distribute_module", "distribute_tensor", "empty",
           "full", "init_device_mesh", "linspace", "logspace", "ones", "rand", "randn", "zeros"]
