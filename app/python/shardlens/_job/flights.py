"""The collectives in progress: from the call that enqueues one until the program finds it complete."""
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives
from torch.multiprocessing.reductions import StorageWeakRef

from .marks import GpuMarks


# Yields the elements of nested tuples and lists.
def leaves(values):
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from leaves(value)
        else:
            yield value


# A collective from its call on. `start`: a mark on the GPU's stream before the call, or None.
class Flight:
    __slots__ = "event", "device", "start"

    def __init__(self, event, device, start):
        self.event, self.device, self.start = event, device, start


class Flights:
    """Records when collectives complete, and for how long they block the program.

    A collective is complete when the program has waited for its Work or for its result. On a GPU,
    waiting blocks a stream only; then marks on the stream tell when it is complete. A collective for
    which nothing waits, as in DDP's C++ code, is complete when poll() finds it so. Works are kept
    until then. `marks`: see GpuMarks."""

    def __init__(self, jobs, watches, marks=None):
        self._jobs = jobs
        self._marks = GpuMarks() if marks is None else marks
        self._works = {}  # id(work) -> (work, flight)
        self._results = {}  # address of a result's storage -> (weak reference to it, flight)
        self._on_gpu = []  # waited for: (flight, mark before the wait, mark after it)
        watches.around(dist.Work, "wait", self._wait_work, lost="waits for asynchronous collectives")
        watches.around(_functional_collectives, "wait_tensor", self.wait_tensor,
                       lost="waits for functional collectives")

    def begin(self, event, device):
        """Begins the flight of a collective, right before its call."""
        return Flight(event, device, self._marks.make(device))

    def enqueued(self, flight, result):
        """Records that the call returned `result`. The collective ends then if the program cannot
        wait for it."""
        found = [leaf for leaf in leaves((result,)) if isinstance(leaf, (torch.Tensor, torch.ScriptObject))]
        works = [dist.Work.unbox(leaf) for leaf in found if isinstance(leaf, torch.ScriptObject)]
        pending = [leaf.elem for leaf in found if isinstance(leaf, _functional_collectives.AsyncCollectiveTensor)]
        if not works and not pending:
            self.finished(flight)
            return
        self._jobs.enqueued(flight.event)
        for work in works[:1]:
            self._works[id(work)] = work, flight
        for tensor in pending if not works else ():
            reference = StorageWeakRef(tensor.untyped_storage())
            self._results[reference.cdata] = reference, flight

    def finished(self, flight):
        """Records that the collective ended with its call."""
        if flight.start is None:
            self._jobs.end_collective(flight.event)
            return
        self._jobs.enqueued(flight.event)
        self._on_gpu.append((flight, flight.start, self._marks.make(flight.device)))

    def poll(self):
        """Ends the collectives that are complete, or whose result nothing can wait for any more."""
        for key, (work, flight) in list(self._works.items()):
            if self._marks.may_ask(flight.device) and work.is_completed():
                del self._works[key]
                self._jobs.completed(flight.event)
        for key, (reference, flight) in list(self._results.items()):
            if reference.expired():
                del self._results[key]
                self._jobs.completed(flight.event)
        while self._on_gpu and self._end_on_gpu(*self._on_gpu[0]):
            self._on_gpu.pop(0)

    def close(self):
        """Ends all collectives but those whose Work is not complete: they hang."""
        self.poll()
        for _, flight in self._results.values():
            self._jobs.completed(flight.event)
        for flight, _, _ in self._on_gpu:
            self._jobs.completed(flight.event)
        self._results, self._on_gpu = {}, []

    def _wait_work(self, plain, work, *args, **kwargs):
        _, flight = self._works.pop(id(work), (None, None))
        return self._waited(flight, plain, work, *args, **kwargs)

    def wait_tensor(self, plain, tensor, *args, **kwargs):
        """Calls `plain(tensor)`, which waits for the collective that makes the tensor."""
        flight = None
        if self._results:
            _, flight = self._results.pop(StorageWeakRef(tensor.untyped_storage()).cdata, (None, None))
        return self._waited(flight, plain, tensor, *args, **kwargs)

    def _waited(self, flight, plain, *args, **kwargs):
        if flight is None:
            return plain(*args, **kwargs)
        if flight.start is None:
            self._jobs.begin_wait(flight.event)
            try:
                return plain(*args, **kwargs)
            finally:
                self._jobs.end_wait(flight.event)
        before = self._marks.make(flight.device)
        try:
            return plain(*args, **kwargs)
        finally:
            self._on_gpu.append((flight, before, self._marks.make(flight.device)))

    # Ends a collective by its marks. Returns False if the stream has not reached the last one.
    def _end_on_gpu(self, flight, before, after):
        if before is None or after is None:  # a stream that is being captured takes no marks
            self._jobs.completed(flight.event)
            return True
        if not self._marks.is_reached(after):
            return False
        took = self._marks.nanoseconds(flight.start, after)
        self._jobs.completed(flight.event, took, self._marks.nanoseconds(before, after))
        return True
