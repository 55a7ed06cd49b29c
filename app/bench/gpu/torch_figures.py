#!/usr/bin/env python3
"""Measures the lookups and gradients of shardlens-gpu-bench with torch's operators, on GPU 0.

    torch_figures.py

Prints lines in the format of shardlens-gpu-bench. The name of a case ends with "eager" or, by
torch.compile, with "compiled". Exits with 77 if torch has no GPU.
"""
import statistics
import sys

TABLE_ROWS = 1 << 20
QUEUES = 11
NO_GPU = 77


def main():
    try:
        import torch
    except ImportError as error:
        print(f"torch_figures.py needs torch: {error}", file=sys.stderr)
        return NO_GPU
    if not torch.cuda.is_available():
        print("torch_figures.py needs a GPU that torch can use", file=sys.stderr)
        return NO_GPU
    print(f"torch    {torch.__version__}, {torch.cuda.get_device_name(0)}\n")
    copied = Copy(torch).figure(None)
    for width in (128, 64):
        for ids in (4096, 65536):
            for ranks in (1, 4):
                lookup = Lookup(torch, ids, width, ranks)
                for way in ("eager", "compiled"):
                    lookup.figure(copied, way)
    for ids in (4096, 65536):
        Gradient(torch, ids, 128).figure(copied, "eager")
    return 0


def rounds_for(moved):
    """Returns the number of rounds so that each works on other memory, of about 1 GiB in total. No
    cache keeps the data of a round until the same round of the next queue."""
    return max(4, min(256, (1 << 30) // moved))


class Case:
    """A measurement. Subclasses set `torch`, `name`, `bytes`, `rounds` (argument tuples) and
    `run`."""

    # Enqueues all rounds without waiting in between, 11 times after a warm-up. Prints the median
    # time per round. Returns GB/s. `copied` is the reference in GB/s; None: this measurement itself.
    def figure(self, copied, way=None):
        torch = self.torch
        run = self.run
        if way == "compiled":
            torch._dynamo.reset()  # prevents recompilation with dynamic sizes
            run = torch.compile(self.run)
        results = [None] * len(self.rounds)  # kept, so that each round gets new memory
        times = []
        for queue in range(QUEUES + 1):
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            start.record()
            for i, one in enumerate(self.rounds):
                results[i] = run(*one)
            end.record()
            end.synchronize()
            if queue > 0:
                times.append(start.elapsed_time(end) * 1e3 / len(self.rounds))
        microseconds = statistics.median(times)
        speed = self.bytes / microseconds / 1e3
        name = self.name + (f", {way}" if way else "")
        share = 100 * speed / (copied or speed)
        print(f"{name:<58} {microseconds:10.1f} us {self.bytes / 1e6:9.1f} MB "
              f"{speed:8.1f} GB/s {share:6.1f} %", flush=True)
        return speed


class Copy(Case):
    name = "copy of 1 GiB"

    def __init__(self, torch):
        self.torch = torch
        self.bytes = 2 << 30
        memory = [torch.zeros(1 << 30, dtype=torch.uint8, device="cuda") for _ in range(2)]
        self.rounds = [memory] * 4

    @staticmethod
    def run(to, source):
        to.copy_(source)


class Lookup(Case):
    """Mask, look up and zero: the local work of one of `ranks` ranks, for its part of the table."""

    def __init__(self, torch, ids, width, ranks):
        self.torch = torch
        self.name = f"lookup {ids} of 1M x {width}" + (
            f" by one of {ranks} ranks" if ranks > 1 else "")
        row_bytes = 4 * width
        self.own = TABLE_ROWS // ranks
        table = torch.zeros(self.own, width, device="cuda")
        torch.manual_seed(1)
        lists = [torch.randint(TABLE_ROWS, (ids,), device="cuda")
                 for _ in range(rounds_for(2 * ids * row_bytes))]
        found = sum(int((each < self.own).sum()) for each in lists) // len(lists)
        self.bytes = found * row_bytes + ids * (row_bytes + 8)
        self.rounds = [(table, each) for each in lists]

    def run(self, table, ids):
        masked = (ids < 0) | (ids >= self.own)
        rows = self.torch.nn.functional.embedding(ids.masked_fill(masked, 0), table)
        return rows.masked_fill_(masked.unsqueeze(-1), 0)


class Gradient(Case):
    """The gradient of a lookup in the whole table, by index_add_()."""

    def __init__(self, torch, ids, width):
        self.torch = torch
        self.name = f"gradient {ids} of 1M x {width}"
        row_bytes = 4 * width
        self.bytes = ids * (8 + 3 * row_bytes)
        torch.manual_seed(1)
        out = torch.zeros(TABLE_ROWS, width, device="cuda")
        count = min(16, rounds_for(3 * ids * row_bytes))
        self.rounds = [(out, torch.randint(TABLE_ROWS, (ids,), device="cuda"),
                        torch.zeros(ids, width, device="cuda")) for _ in range(count)]

    @staticmethod
    def run(out, ids, gradients):
        out.index_add_(0, ids, gradients)


if __name__ == "__main__":
    sys.exit(main())
