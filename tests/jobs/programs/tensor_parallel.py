"""Tensor parallelism: the projections of a transformer sharded over all ranks."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import Shard, init_device_mesh
from torch.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel, parallelize_module)

from models import Block, batches, run

BLOCKS, HEADS, BATCH, LENGTH = 2, 4, 2, 4
PLAN = {"query": ColwiseParallel(), "key": ColwiseParallel(), "value": ColwiseParallel(), "out": RowwiseParallel(),
        "up": ColwiseParallel(), "down": RowwiseParallel()}


def train(steps, width):
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    torch.manual_seed(0)
    model = nn.Sequential(*(Block(width, HEADS) for _ in range(BLOCKS)))
    for block in model:
        parallelize_module(block, mesh, PLAN)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    for batch in batches(steps, BATCH, LENGTH, width):
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
