"""HSDP: parameters sharded within a half of the ranks and replicated over the two halves."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import init_device_mesh

from models import Feedforward, batches, run

LAYERS, BATCH = 2, 2


def train(steps, width):
    mesh = init_device_mesh("cpu", (2, dist.get_world_size() // 2), mesh_dim_names=("replicate", "shard"))
    torch.manual_seed(0)
    model = nn.Sequential(*(Feedforward(width) for _ in range(LAYERS)))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for batch in batches(steps, BATCH, width, seed=dist.get_rank()):
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
