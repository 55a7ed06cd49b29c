"""Plain tensors: a column-parallel and a row-parallel linear layer whose collectives are autograd functions, in
pairs of ranks, and gradients that are averaged over the pairs by asynchronous all_reduces."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

from models import batches, run

LAYERS, BATCH, TP = 2, 2, 2


class Copy(torch.autograd.Function):
    """The identity; its gradient is summed over the group."""

    @staticmethod
    def forward(context, x, group):
        context.group = group
        return x

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient, group=context.group)  # THE GRADIENT
        return gradient, None


class Sum(torch.autograd.Function):
    """The sum over the group; its gradient is the identity."""

    @staticmethod
    def forward(context, x, group):
        x = x.clone()
        dist.all_reduce(x, group=group)  # THE SUM
        return x

    @staticmethod
    def backward(context, gradient):
        return gradient, None


class Layer(nn.Module):
    def __init__(self, width, group):
        super().__init__()
        part = 4 * width // TP
        self.group = group
        self.up, self.down = nn.Linear(width, part), nn.Linear(part, width, bias=False)

    def forward(self, x):
        hidden = functional.gelu(self.up(Copy.apply(x, self.group)))
        return x + Sum.apply(self.down(hidden), self.group)


def train(steps, width):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    pairs = [dist.new_group(list(range(first, first + TP))) for first in range(0, ranks, TP)]
    across = [dist.new_group(list(range(first, ranks, TP))) for first in range(TP)]
    tp, dp = pairs[rank // TP], across[rank % TP]
    torch.manual_seed(rank % TP)
    model = nn.Sequential(*(Layer(width, tp) for _ in range(LAYERS)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for batch in batches(steps, BATCH, width, seed=rank // TP):
        loss = model(batch).pow(2).mean()
        loss.backward()
        works = [dist.all_reduce(p.grad, group=dp, async_op=True) for p in model.parameters()]  # THE AVERAGE
        for work, parameter in zip(works, model.parameters()):
            work.wait()
            parameter.grad /= ranks // TP
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
