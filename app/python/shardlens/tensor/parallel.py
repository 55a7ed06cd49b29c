"""torch.distributed.tensor.parallel: PyTorch's own parallelize_module and styles, on the engine's
tensors."""
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
    """Returns a context manager in which the target and the weights of a cross-entropy may be plain
    tensors, which count as replicated. Logits that are sharded by class need no context here: each
    rank computes on its classes, and the sums are reduced."""
    return implicit_replication(names={"cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd"})


__all__ = ["ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput",
           "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel", "loss_parallel",
           "parallelize_module"]
