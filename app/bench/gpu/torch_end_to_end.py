#!/usr/bin/env python3
"""Measures the calls of shardlens-end-to-end-bench with plain torch, on GPU 0.

    torch_end_to_end.py

Each rank's local work is done one after another, without communication. Prints a line per case and
way: "eager", "compiled" (by torch.compile) and "as a graph" (a CUDA graph of the eager calls).
Exits with 77 if torch has no GPU.
"""
import statistics
import time

from torch_figures import TABLE_ROWS, report, torch_with_gpu


def measure(torch, name, way, calls, call):
    """Reports the medians of seven series, after three calls to warm up."""
    host, whole = [], []
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        host.append((time.perf_counter() - start) / calls * 1e6)
        torch.cuda.synchronize()
        whole.append((time.perf_counter() - start) / calls * 1e6)
    report(name, way, statistics.median(whole), statistics.median(host))


def lookups_and_sum(torch, ranks):
    """Returns a function of no arguments: masked lookups in the parts of a table, and their sum."""
    own = TABLE_ROWS // ranks
    tables = [torch.randn(own, 64, device="cuda") for _ in range(ranks)]
    ids = torch.randint(TABLE_ROWS, (65536,), device="cuda")

    def part(rank, table):
        masked = (ids < rank * own) | (ids >= (rank + 1) * own)
        rows = torch.nn.functional.embedding((ids - rank * own).masked_fill_(masked, 0), table)
        return rows.masked_fill_(masked.unsqueeze(-1), 0)

    def call():
        total = part(0, tables[0])
        for rank in range(1, ranks):
            total = total + part(rank, tables[rank])
        return total

    return call


def main():
    torch = torch_with_gpu()
    one = torch.ones(1, device="cuda")
    for ranks in (1, 2, 4):
        text = f"{ranks} rank" + ("s" if ranks > 1 else "")
        measure(torch, f"add of 1 element, {text}", "eager", 500,
                lambda: [one + one for _ in range(ranks)])
        name = f"lookup of 65536 of 1M x 64 and sum, {text}"
        call = lookups_and_sum(torch, ranks)
        measure(torch, name, "eager", 30, call)
        torch._dynamo.reset()
        measure(torch, name, "compiled", 30, torch.compile(call))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            call()
        measure(torch, name, "as a graph", 30, graph.replay)


if __name__ == "__main__":
    main()
