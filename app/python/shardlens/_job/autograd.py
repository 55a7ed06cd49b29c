"""Which forward call what runs now is of."""
import torch


def tell_autograd(jobs):
    """Before the event of a call that the program, or autograd for it, makes."""
    node = torch._C._current_autograd_node()
    jobs.set_autograd(None if node is None else node._sequence_nr(),
                      torch._C._autograd._get_sequence_nr())
