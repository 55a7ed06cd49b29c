"""What an add of two sharded tensors costs a Python program on a hit, beside a plain torch add: with
PYTHONPATH=build/python. Both are measured in turns, in time of the thread, since the ranks take turns."""
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
    parser.add_argument("--times", type=int, default=20000, help="that each adds in a turn")
    parser.add_argument("--ranks", type=int, default=4, help="most that are simulated")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    init(asked.ranks)
    a, b = torch.ones(4, 4), torch.ones(4, 4)
    print(f"torch {torch.__version__}, float32 [4, 4], medians of {asked.turns} turns, us of the thread")
    for ranks in (1, asked.ranks):
        mesh = init_device_mesh("cpu", (ranks,))
        x, y = (distribute_tensor(each, mesh, [Replicate()]) for each in (a, b))
        pairs = []
        for _ in range(asked.turns):
            pairs.append((microseconds(lambda: a + b, asked.times), microseconds(lambda: x + y, asked.times)))
        plain, ours = (statistics.median(column) for column in zip(*pairs))
        over = statistics.median(ours - ranks * plain for plain, ours in pairs)
        print(f"{ranks} rank{'s' * (ranks > 1)}: plain {plain:.2f}, sharded {ours:.2f}, "
              f"{over:.2f} over a plain add on each rank")


if __name__ == "__main__":
    main()
