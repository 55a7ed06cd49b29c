"""Tensor parallelism in pairs of ranks and FSDP2 over the pairs, with a bug on rank 3 in the second step.

The arguments are the bug and the file of the group's store."""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from models import Feedforward, batches

LAYERS, BATCH, WIDTH, STEPS = 2, 2, 16, 3
bug, store = sys.argv[1:]


def train():
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    model = nn.Sequential(*(Feedforward(WIDTH) for _ in range(LAYERS)))
    for layer in model:
        parallelize_module(layer, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    steps = 2 * STEPS if bug == "slow" else STEPS  # more steps tell it from the noise of a busy machine
    for step, batch in enumerate(batches(steps, BATCH, WIDTH, seed=mesh["dp"].get_local_rank())):
        is_planted = step == 1 and dist.get_rank() == 3
        if is_planted and bug == "shape":
            batch = torch.cat([batch, batch])
        if is_planted and bug == "value":
            batch = batch + 1
        batch = DTensor.from_local(batch, mesh["tp"], [Replicate()]).to_local()  # THE VALUE
        if bug == "slow" and dist.get_rank() == 3:
            time.sleep(0.5)
        if is_planted and bug == "error":
            raise ValueError("2 rows, expected 3")
        if is_planted and bug == "hang":
            sys.stdin.read()  # until the test closes it
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=int(os.environ["RANK"]),
                            world_size=int(os.environ["WORLD_SIZE"]))
    train()
    dist.destroy_process_group()
