"""Observes the operators of some steps only. In other steps the dispatch mode, which costs time for each operator, is
left, and entered for the duration of collectives."""
import sys
import threading

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives
from torch.utils import _python_dispatch

from .._program import gradient_node

# The functions of torch.distributed that call collectives. They may call each other.
_OF_C10D = ("all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_gather_single",
            "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv",
            "broadcast", "broadcast_object_list", "gather", "gather_into_tensor", "gather_object", "gather_single",
            "irecv", "isend", "monitored_barrier", "recv", "recv_object_list", "reduce", "reduce_scatter",
            "reduce_scatter_single", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send",
            "send_object_list", "_all_gather_base", "_reduce_scatter_base")
_FUNCTIONAL = ("all_gather_into_tensor_coalesced", "all_gather_single", "all_gather_single_autograd",
               "all_gather_single_coalesced", "all_gather_tensor", "all_gather_tensor_autograd", "all_reduce",
               "all_reduce_coalesced", "all_to_all_single", "all_to_all_single_autograd", "broadcast",
               "permute_tensor", "reduce_scatter_single", "reduce_scatter_single_autograd",
               "reduce_scatter_single_coalesced", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd",
               "reduce_scatter_tensor_coalesced")


class Sampling:
    """Enters and leaves the dispatch mode `mode` between steps, in the thread that makes this object, until stop().

    `jobs` decides which steps have operators, by their numbers only, so that all ranks decide alike. `renew()` is called
    before the first operator that is observed after others were not: tensors may have changed meanwhile. The mode keeps
    its place among the program's own modes, which are entered and left around it. Where it cannot be left, as in the
    backward pass, whose end restores all modes, it stays until the program calls a module, and does not record."""

    def __init__(self, jobs, mode, renew, watches):
        self._jobs, self._mode, self._renew = jobs, mode, renew
        self._thread = threading.get_ident()
        self._depth = None  # the number of modes below `mode`; None while it is not entered for the recording
        self._is_in_collective = False
        watches.around(torch.autograd, "_engine_run_backward", self._backward)
        for owner, names in ((dist.distributed_c10d, _OF_C10D), (_functional_collectives, _FUNCTIONAL)):
            for name in names:
                plain = getattr(owner, name, None)
                for module in list(sys.modules.values()):  # all modules that have imported the name
                    if plain is not None and getattr(module, "__dict__", {}).get(name) is plain:
                        watches.around(module, name, self._collective)

    def start(self):
        """Enters the mode for the recording."""
        self._depth = torch._C._len_torch_dispatch_stack()
        self._mode.__enter__()
        if not self._jobs.records_operators():
            self._switch(False)

    def stop(self):
        """Puts the mode back on the stack, so that the program can leave it."""
        self._switch(True)
        self._depth = None

    def announced(self):
        """Receives that the next step was announced. Enters the mode if that step has operators. The mode is left when
        a step without operators begins, because operators before its first event belong to the step before."""
        if self._jobs.records_operators():
            self._observe()

    def begin(self):
        """Receives that the program calls a module or computes gradients, which begins a step without operators."""
        if self._jobs.records_operators():
            self._observe()
        else:
            self._jobs.begin_step()
            self._switch(False)

    def _observe(self):
        if self._jobs.take_gap():
            self._renew()
        self._switch(True)

    def _switch(self, is_in):
        if self._depth is None or is_in == self._is_in() or threading.get_ident() != self._thread:
            return
        if gradient_node() is not None or any(mode.is_infra_mode() for mode in _modes()):
            return
        above = [_python_dispatch._pop_mode()
                 for _ in range(torch._C._len_torch_dispatch_stack() - self._depth)]  # the innermost first
        above = [mode for mode in above if mode is not self._mode] + [self._mode] * is_in
        for mode in reversed(above):
            _python_dispatch._push_mode(mode)

    # Reads the stack, because the backward pass has one of its own.
    def _is_in(self):
        return any(mode is self._mode for mode in _modes())

    # In the hooks below `plain` is the hooked function.
    def _backward(self, plain, *args, **kwargs):
        self.begin()
        return plain(*args, **kwargs)

    def _collective(self, plain, *args, **kwargs):
        if self._is_in_collective or self._depth is None or self._is_in():
            return plain(*args, **kwargs)
        self._is_in_collective = True
        try:
            with self._mode:
                return plain(*args, **kwargs)
        finally:
            self._is_in_collective = False


# Returns the dispatch modes that are entered, the innermost last.
def _modes():
    return _python_dispatch._get_current_dispatch_mode_stack()
