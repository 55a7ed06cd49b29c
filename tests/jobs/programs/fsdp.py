"""FSDP2: each block's parameters sharded over all ranks, and gradients clipped by their norm."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import init_device_mesh

from models import Block, batches, run

BLOCKS, HEADS, BATCH, LENGTH = 2, 4, 2, 4


def train(steps, width):
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",))
    torch.manual_seed(0)
    model = nn.Sequential(*(Block(width, HEADS) for _ in range(BLOCKS)))
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    for batch in batches(steps, BATCH, LENGTH, width, seed=dist.get_rank()):
        loss = model(batch).pow(2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
