"""A pipeline of two stages on two ranks of tensor parallelism each, with messages by hand. An argument is a fault."""
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

FAULT = sys.argv[1]
WIDTH, INNER, ROWS = 6, 10, 3
dist.init_process_group("gloo")
rank = dist.get_rank()
stage, part = divmod(rank, 2)
tp = [dist.new_group([2 * each, 2 * each + 1], group_desc="tp") for each in range(2)][stage]
is_last = rank == 3
span = slice(0, 6) if part == 0 else slice(6, INNER)


class Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.clone()
        lacks = FAULT == "missing" and is_last
        dist.all_reduce(torch.zeros_like(gradient) if lacks else gradient, group=tp)
        return gradient


class Leave(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x, group=tp)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Block(nn.Module):
    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.scale = nn.Parameter(torch.rand(WIDTH) + 0.5)
        self.up = nn.Parameter(torch.randn(INNER, WIDTH)[span] * 0.3)
        self.down = nn.Parameter((torch.randn(WIDTH, INNER) * 0.3)[:, span].clone())
        self.shift = nn.Parameter(torch.randn(WIDTH) * 0.1)

    def forward(self, x):
        hidden = torch.tanh(F.linear(Enter.apply(x * self.scale), self.up))
        return x + Leave.apply(F.linear(hidden, self.down)) + self.shift


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.inlet = nn.Linear(4, WIDTH) if stage == 0 else None
        self.blocks = nn.ModuleList([Block(10 * stage + 1), Block(10 * stage + 2)])
        self.outlet = nn.Linear(WIDTH, 2) if stage == 1 else None

    def forward(self, x):
        x = x if self.inlet is None else self.inlet(x)
        for block in self.blocks:
            x = block(x)
        return x if self.outlet is None else self.outlet(x)


torch.manual_seed(stage)
model = Stage()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
peer = (rank + 2) % 4
for step in range(2):
    if FAULT == "copy" and step == 1 and is_last:
        with torch.no_grad():
            model.blocks[1].shift[2] += 0.25
    torch.manual_seed(100 + step)
    batch, target = torch.randn(ROWS, 4), torch.randn(ROWS, 2)
    if stage == 0:
        output = model(batch)
        dist.send(output.detach(), peer)
        gradient = torch.empty(ROWS, WIDTH)
        dist.recv(gradient, peer)
        output.backward(gradient)
    else:
        received = torch.empty(ROWS, WIDTH)
        dist.recv(received, peer)
        received.requires_grad_()
        F.mse_loss(model(received), target).backward()
        dist.send(received.grad, peer)
    for block in model.blocks:
        if FAULT == "axis":
            dist.all_reduce(block.scale.grad, group=tp)
        if FAULT == "gradient" and is_last:
            block.shift.grad[1] += 0.5
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
