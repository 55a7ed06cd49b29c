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
        if device is None or device.type != "cuda" or self._gpu.is_current_stream_capturing():
            return None
        mark = self._gpu.Event(enable_timing=True)
        mark.record(self._gpu.current_stream(device))
        return mark

    def is_reached(self, mark):
        return mark.query()

    def nanoseconds(self, first, last):
        """Returns the time between two marks that are reached."""
        return round(first.elapsed_time(last) * 1e6)
