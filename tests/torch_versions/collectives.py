"""Every collective on plain tensors once a step: the functions of c10d, asynchronous ones, and functional ones."""
import pathlib
import sys

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jobs/programs"))
from models import batches, run  # noqa: E402


def train(steps, width):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    results = []
    for batch in batches(steps, ranks, width, seed=rank):
        x = batch[rank].clone()
        dist.all_reduce(x)
        dist.broadcast(x, src=0)
        gathered = [torch.empty_like(x) for _ in range(ranks)]
        dist.all_gather(gathered, x)
        exchanged = torch.empty_like(batch)
        dist.all_to_all_single(exchanged, batch)
        work = dist.all_reduce(exchanged, async_op=True)
        work.wait()
        if rank % 2 == 0:
            dist.send(x, dst=rank + 1)
        else:
            dist.recv(x, src=rank - 1)
        whole = functional.all_gather_tensor(x, 0, dist.group.WORLD)
        total = functional.all_reduce(whole, "sum", dist.group.WORLD)
        results += [x, *gathered, exchanged, whole + 0, total + 0]
    return results


if __name__ == "__main__":
    run(train)
