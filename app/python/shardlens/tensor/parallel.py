"""torch.distributed.tensor.parallel: PyTorch's own plan and styles, on the engine's sharded tensors."""
from .._redirect import pytorchs_own
from .experimental import implicit_replication

_style = pytorchs_own("parallel.style")
_api = pytorchs_own("parallel.api")

ColwiseParallel = _style.ColwiseParallel
ParallelStyle = _style.ParallelStyle
PrepareModuleInput = _style.PrepareModuleInput
PrepareModuleInputOutput = _style.PrepareModuleInputOutput
PrepareModuleOutput = _style.PrepareModuleOutput
RowwiseParallel = _style.RowwiseParallel
SequenceParallel = _style.SequenceParallel
parallelize_module = _api.parallelize_module


def loss_parallel() -> implicit_replication:
    """Says that a cross-entropy works on logits that are sharded by class. The engine's does so with or
    without it: each rank computes on its classes, and their sums are reduced. Inside of the `with` the
    target and the weights may be plain tensors, which all ranks have."""
    return implicit_replication(names={"cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd"})


__all__ = ["ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput",
           "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel", "loss_parallel",
           "parallelize_module"]
