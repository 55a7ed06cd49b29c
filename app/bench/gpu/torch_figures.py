#!/usr/bin/env python3
"""Measures the cases of shardlens-gpu-bench with torch's operators, on GPU 0.

    torch_figures.py

Prints a line per case and way: "eager", "compiled" (by torch.compile), "deterministic" (operators
that add in a fixed order), and "Liger" if the package liger_kernel is installed. Exits with 77 if
torch has no GPU.
"""
import statistics
import sys

TABLE_ROWS = 1 << 20
QUEUES = 11
NO_GPU = 77
LOOKUPS = ((1 << 20, 128), (1 << 20, 64), (65536, 1024), (65536, 128), (65536, 64), (4096, 1024),
           (4096, 128))


def torch_with_gpu():
    """Returns the module torch. Exits with NO_GPU if it is missing or has no GPU."""
    try:
        import torch
    except ImportError as error:
        print(f"torch is missing: {error}", file=sys.stderr)
        sys.exit(NO_GPU)
    if not torch.cuda.is_available():
        print("torch finds no GPU", file=sys.stderr)
        sys.exit(NO_GPU)
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name(0)}\n")
    return torch


def report(name, way, microseconds, host=None):
    more = "" if host is None else f"   host {host:9.1f} us"
    print(f"{name}, {way}".ljust(64) + f"  {microseconds:10.1f} us{more}", flush=True)


def rounds_for(moved):
    """Returns the number of rounds so that each works on other memory, of about 1 GiB in total. No
    cache keeps the data of a round until the same round of the next queue."""
    return max(4, min(256, (1 << 30) // moved))


class Bench:
    def __init__(self, torch):
        self.torch = torch
        torch.manual_seed(1)

    def measure(self, name, way, run, rounds):
        """Enqueues run(*round) for all rounds without waiting in between, 11 times after a warm-up,
        and reports the median time of a round."""
        torch = self.torch
        results = [None] * len(rounds)  # kept, so that each round gets new memory
        times = []
        for queue in range(QUEUES + 1):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for i, arguments in enumerate(rounds):
                results[i] = run(*arguments)
            end.record()
            end.synchronize()
            if queue > 0:
                times.append(start.elapsed_time(end) * 1e3 / len(rounds))
        report(name, way, statistics.median(times))

    def both(self, name, run, rounds):
        self.measure(name, "eager", run, rounds)
        self.torch._dynamo.reset()  # prevents recompilation with dynamic sizes
        self.measure(name, "compiled", self.torch.compile(run), rounds)

    def even_ids(self, count):
        return self.torch.randint(TABLE_ROWS, (count,), device="cuda")

    def zipf_ids(self, count):
        """As the ids of shardlens-gpu-bench: the n-th id occurs 1/n times as often as the first."""
        spread = self.torch.rand(count, device="cuda", dtype=self.torch.float64)
        return (TABLE_ROWS ** spread).long().sub_(1).clamp_(0, TABLE_ROWS - 1)

    def lookup(self, ids, width, ranks):
        """Mask, look up and zero: the local work of one of `ranks` ranks, for its part."""
        torch = self.torch
        own = TABLE_ROWS // ranks
        table = torch.randn(own, width, device="cuda")
        rounds = [(table, self.even_ids(ids)) for _ in range(rounds_for(8 * ids * width))]

        def run(table, ids):
            masked = (ids < 0) | (ids >= own)
            rows = torch.nn.functional.embedding(ids.masked_fill(masked, 0), table)
            return rows.masked_fill_(masked.unsqueeze(-1), 0)

        self.both(f"lookup {ids} of 1M x {width}" + (
            f" by one of {ranks} ranks" if ranks > 1 else ""), run, rounds)

    def gradient(self, ids, width, kind):
        torch = self.torch
        out = torch.zeros(TABLE_ROWS, width, device="cuda")
        draw = self.zipf_ids if kind == "Zipf" else self.even_ids
        rounds = [(out, draw(ids), torch.randn(ids, width, device="cuda"))
                  for _ in range(min(16, rounds_for(12 * ids * width)))]
        name = f"gradient {ids} of 1M x {width}" + (", Zipf ids" if kind == "Zipf" else "")

        def run(out, ids, gradients):
            out.index_add_(0, ids, gradients)

        self.measure(name, "eager", run, rounds)
        torch.use_deterministic_algorithms(True)
        self.measure(name, "deterministic", run, rounds)
        torch.use_deterministic_algorithms(False)

    def reduction(self, count, dtype):
        elements = (64 << 20) // dtype.itemsize
        addends = [self.torch.randn(elements, device="cuda").to(dtype) for _ in range(count)]

        def run(first, *more):
            for each in more:
                first = first + each
            return first

        self.both(f"sum of {count} addends of 64 MiB, {str(dtype)[6:]}", run, [addends] * 4)

    def losses(self, dtype):
        torch = self.torch
        logits = torch.randn(4096, 32768, device="cuda").to(dtype).requires_grad_()
        classes = torch.randint(32768, (4096,), device="cuda")
        what = f" of 4096 rows, 32768 classes, {str(dtype)[6:]}"

        def loss(logits, classes):
            return torch.nn.functional.cross_entropy(logits, classes, reduction="none")

        def gradient(log_shares, classes):
            minus_one = torch.full_like(classes, -1, dtype=log_shares.dtype)
            return log_shares.exp().scatter_add_(1, classes[:, None], minus_one[:, None])

        def loss_and_gradient(logits, classes):
            return torch.autograd.grad(loss(logits, classes).sum(), logits)

        plain = logits.detach()
        self.both("loss" + what, loss, [(plain, classes)] * 4)
        log_shares = torch.log_softmax(plain, 1)
        self.both("loss gradient" + what, gradient, [(log_shares, classes)] * 4)
        name = "loss and gradient" + what
        self.measure(name, "eager", loss_and_gradient, [(logits, classes)] * 4)
        torch._dynamo.reset()
        loss = torch.compile(loss)
        self.measure(name, "compiled", loss_and_gradient, [(logits, classes)] * 4)
        self.liger(name, plain, classes)

    def liger(self, name, logits, classes):
        try:
            from liger_kernel.transformers.functional import liger_cross_entropy
        except ImportError:
            return
        # Liger writes the gradient over the logits in the forward pass.
        rounds = [(logits.clone().requires_grad_(), classes) for _ in range(4)]
        self.measure(name, "Liger", lambda logits, classes: liger_cross_entropy(
            logits, classes, reduction="sum"), rounds)


def main():
    bench = Bench(torch := torch_with_gpu())
    for ids, width in LOOKUPS:
        for ranks in (1, 4):
            bench.lookup(ids, width, ranks)
    for ids in (4096, 65536, 1 << 20):
        bench.gradient(ids, 128, "even")
        if ids > 4096:
            bench.gradient(ids, 128, "Zipf")
    for dtype in (torch.float32, torch.bfloat16):
        bench.losses(dtype)
        for count in (2, 4, 8):
            bench.reduction(count, dtype)


if __name__ == "__main__":
    main()
