"""Measures an add of two sharded tensors in Python, as a cache hit, and a plain add of torch.

Requires PYTHONPATH=build/python. The two are measured alternately, in processor time of the thread, because
one thread runs all ranks."""
import argparse
import statistics
import time

import torch
from shardlens import init
from shardlens.tensor import Replicate, distribute_tensor, init_device_mesh


# Returns the mean processor time of a call in this thread, after 100 calls to warm up.
def microseconds(call, times):
    for _ in range(100):
        call()
    begun = time.thread_time_ns()
    for _ in range(times):
        call()
    return (time.thread_time_ns() - begun) / times / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--times", type=int, default=20000, help="the calls of each add per turn")
    parser.add_argument("--ranks", type=int, default=4, help="the larger number of simulated ranks")
    options = parser.parse_args()
    torch.set_num_threads(1)
    init(options.ranks)
    a, b = torch.ones(4, 4), torch.ones(4, 4)
    print(f"torch {torch.__version__}, float32 [4, 4], medians of {options.turns} turns, us of the thread")
    for ranks in (1, options.ranks):
        mesh = init_device_mesh("cpu", (ranks,))
        x, y = (distribute_tensor(each, mesh, [Replicate()]) for each in (a, b))
        pairs = []
        for _ in range(options.turns):
            pairs.append((microseconds(lambda: a + b, options.times), microseconds(lambda: x + y, options.times)))
        plain, ours = (statistics.median(column) for column in zip(*pairs))
        over = statistics.median(ours - ranks * plain for plain, ours in pairs)
        print(f"{ranks} rank{'s' * (ranks > 1)}: plain {plain:.2f}, sharded {ours:.2f}, "
              f"{over:.2f} over a plain add on each rank")


if __name__ == "__main__":
    main()
