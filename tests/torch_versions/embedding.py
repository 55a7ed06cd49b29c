"""An embedding whose rows are sharded: each lookup goes through DTensor's mask buffer."""
import pathlib
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import Replicate, init_device_mesh
from torch.distributed.tensor.parallel import RowwiseParallel, parallelize_module

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jobs/programs"))
from models import run  # noqa: E402

ROWS, BATCH = 16, 8


def train(steps, width):
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    torch.manual_seed(0)
    table = parallelize_module(nn.Embedding(ROWS, width), mesh,
                               RowwiseParallel(input_layouts=Replicate(), output_layouts=Replicate()))
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    for _ in range(steps):
        loss = table(torch.randint(ROWS, (BATCH,))).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *table.parameters()]


if __name__ == "__main__":
    run(train)
