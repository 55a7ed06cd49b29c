"""The private parts of torch that the recorder hooks. Each may be missing in a version of torch."""
import importlib

import torch


def private(name):
    """Returns the private module `torch.distributed.tensor.<name>`, or None if this torch has none."""
    try:
        return importlib.import_module(f"torch.distributed.tensor.{name}")
    except ImportError:
        return None


# Returns the sequence number that the next autograd node will get; 0 if this torch does not say.
next_node = getattr(torch._C._autograd, "_get_sequence_nr", int)
