"""DDP with gradient accumulation: the first of two batches of a step is not reduced."""
import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from models import Feedforward, batches, run

LAYERS, BATCH, ACCUMULATED = 2, 2, 2


def train(steps, width):
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*(Feedforward(width) for _ in range(LAYERS))))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in batches(steps, ACCUMULATED, BATCH, width, seed=dist.get_rank()):
        for place, part in enumerate(batch):
            with contextlib.nullcontext() if place == ACCUMULATED - 1 else model.no_sync():
                loss = model(part).pow(2).mean()
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
