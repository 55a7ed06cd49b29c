"""Moments on the streams of GPUs."""
import torch


class GpuMarks:
    """Makes marks on the current stream of a GPU, and measures the time between them without
    blocking. `gpu` has the functions of torch.cuda."""

    def __init__(self, gpu=torch.cuda):
        self._gpu = gpu

    def make(self, device):
        """Returns a mark that the stream reaches after the work that it has so far. Returns None for
        a device that is no GPU, and while a graph is captured."""
        if device is None or device.type != "cuda" or not self.may_ask(device):
            return None
        mark = self._gpu.Event(enable_timing=True)
        mark.record(self._gpu.current_stream(device))
        return mark

    def may_ask(self, device):
        """Returns True if the program may ask what is complete on the device. A capture of a graph
        does not allow that."""
        return device is None or device.type != "cuda" or not self._gpu.is_current_stream_capturing()

    # Returns True if the GPU has finished the work before the mark. Does not block.
    def is_reached(self, mark):
        return mark.query()

    def nanoseconds(self, first, last):
        """Returns the time between two marks that are reached."""
        return round(first.elapsed_time(last) * 1e6)
