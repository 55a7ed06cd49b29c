"""Pipeline parallelism: one stage on each rank, by torch's own schedule, and a first and last stage that differ."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

from models import Feedforward, batches, run

MICROBATCHES, BATCH = 4, 2


def train(steps, width):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    layer = Feedforward(width)
    stage = PipelineStage(layer, rank, ranks, torch.device("cpu"))
    schedule = Schedule1F1B(stage, MICROBATCHES, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    targets = batches(steps, MICROBATCHES * BATCH, width, seed=1)
    for batch, target in zip(batches(steps, MICROBATCHES * BATCH, width), targets):
        losses = []
        if rank == 0:
            schedule.step(batch)
        elif rank == ranks - 1:
            schedule.step(target=target, losses=losses)
        else:
            schedule.step()
        optimizer.step()
        optimizer.zero_grad()
    return [*losses, *layer.parameters()]


if __name__ == "__main__":
    run(train)
