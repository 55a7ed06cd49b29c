"""torch.compile: each block of a tensor-parallel model is compiled by AOTAutograd."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from models import Feedforward, batches, run

LAYERS, BATCH = 2, 2


def train(steps, width):
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    torch.manual_seed(0)
    model = nn.Sequential(*(Feedforward(width) for _ in range(LAYERS)))
    for layer in model:
        parallelize_module(layer, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
        layer.compile(backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=False)
    for batch in batches(steps, BATCH, width):
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
