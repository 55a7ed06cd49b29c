"""Statistics and hashes of tensors that are not in this process's memory, as on a GPU: computed there, and read
together at the end of the step, so that no tensor is copied and the program does not wait for each of them."""
import math

import torch

_STEP, _FACTOR = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93  # of elementHash() in core/trace/events/element_hash.h
_CHUNK = 1 << 22  # elements of which intermediate results are in memory
_MOST_PENDING = 4096  # summaries in the memory of devices, as of a program that ends no step


class Summaries:
    """The summaries that a recorder has not read from their devices yet."""

    def __init__(self, jobs):
        self._jobs = jobs
        self._pending = []  # (event, id, shape, summary)

    def add(self, number, tensor):
        """Begins to compute the summary of a tensor, as the value of the newest event. Collects all summaries first
        if there are too many."""
        if len(self._pending) >= _MOST_PENDING:
            self.collect()
        self._pending.append((self._jobs.newest_event(), number, list(tensor.shape), _summary(tensor.detach())))

    def collect(self):
        """Records all summaries. Waits for their devices. Does nothing while a CUDA graph is captured."""
        if any(is_capturing(summary.device) for *_, summary in self._pending):
            return
        pending, self._pending = self._pending, []
        devices = {summary.device for *_, summary in pending}
        for device in devices:
            torch.get_device_module(device).synchronize()
            mine = [each for each in pending if each[-1].device == device]
            rows = torch.stack([summary for *_, summary in mine]).cpu()
            numbers, reals = rows.tolist(), rows.view(torch.float64).tolist()
            for (event, number, shape, _), (hashed, *_, nans, zeros), (_, *extremes, _, _) in zip(mine, numbers, reals):
                self._jobs.summary(event, number, shape, *extremes, nans, zeros, hashed)


def is_capturing(device):
    """Returns True for a GPU whose current stream records a CUDA graph. Reading a tensor, or waiting for the device,
    would be an error of the program then."""
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


# Returns a hash, the smallest and the largest element, the mean, and the numbers of NaN and zeros, as 64-bit words.
def _summary(tensor):
    flat = tensor.resolve_conj().resolve_neg().contiguous().view(-1)
    return torch.stack([_hash(flat), *_statistics(flat)])


def _hash(flat):
    if flat.is_complex():
        flat = torch.view_as_real(flat).view(-1)
    data = flat.view(torch.uint8)
    if data.storage_offset() % 8:
        data = data.clone()
    words = len(data) // 8
    total = torch.zeros((), dtype=torch.int64, device=flat.device) + _signed(_mixed(len(data)))
    for start in range(0, words, _CHUNK):
        end = min(start + _CHUNK, words)
        total += _sum_of(data[8 * start:8 * end].view(torch.int64), start)
    if rest := len(data) % 8:
        padded = torch.nn.functional.pad(data[8 * words:], (0, 8 - rest))
        total += _sum_of(padded.view(torch.int64), words)
    return total


# Returns the sum of the mixed words, of which the first one has the index `start`.
def _sum_of(words, start):
    keys = torch.arange(start + 1, start + 1 + len(words), device=words.device) * _signed(_STEP)
    return _mixed(words + keys).sum()


# Mixes a Python integer, modulo 2^64, or a tensor of signed words, whose shifts are arithmetic.
def _mixed(word):
    is_tensor = isinstance(word, torch.Tensor)
    word = word ^ (word >> 32 & 0xffffffff)
    word = word * _signed(_FACTOR) if is_tensor else word * _FACTOR % (1 << 64)
    return word ^ (word >> 29 & (1 << 35) - 1)


def _signed(word):
    return word - (1 << 64) if word >> 63 else word


def _statistics(flat):
    least, most = (torch.full((), sign * math.inf, dtype=torch.float64, device=flat.device) for sign in (1, -1))
    total = torch.zeros((), dtype=torch.float64, device=flat.device)
    nans, zeros = (torch.zeros((), dtype=torch.int64, device=flat.device) for _ in range(2))
    for chunk in flat.split(_CHUNK) if len(flat) else ():
        chunk = chunk.to(torch.complex128).abs() if chunk.is_complex() else chunk.double()
        is_nan = chunk.isnan()
        nans += is_nan.sum()
        zeros += (chunk == 0).sum()
        total += chunk.masked_fill(is_nan, 0).sum()
        least = torch.minimum(least, chunk.masked_fill(is_nan, math.inf).amin())
        most = torch.maximum(most, chunk.masked_fill(is_nan, -math.inf).amax())
    numbers = len(flat) - nans
    reals = (torch.where(numbers > 0, each, 0.0) for each in (least, most, total / numbers))
    return [*(each.view(torch.int64) for each in reals), nans, zeros]
