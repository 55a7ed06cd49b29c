"""ZeRO: DDP, and an optimizer whose state is sharded over the ranks."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from models import Feedforward, batches, run

LAYERS, BATCH = 2, 2


def train(steps, width):
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*(Feedforward(width) for _ in range(LAYERS))))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.01)
    for batch in batches(steps, BATCH, width, seed=dist.get_rank()):
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
