"""Tensor and data parallelism: gradients of three micro-batches are accumulated, and clipped by their global norm."""
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
tp = [dist.new_group([2 * each, 2 * each + 1], group_desc="tp") for each in range(2)][rank // 2]
dp = [dist.new_group([each, each + 2], group_desc="dp") for each in range(2)][rank % 2]
WIDTH, INNER = 6, 7
OWN = slice(0, 4) if rank % 2 == 0 else slice(4, 7)


class Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.clone()
        dist.all_reduce(gradient, group=tp)
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


class Layer(nn.Module):
    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Parameter(torch.randn(INNER, WIDTH)[OWN].clone())
        self.down = nn.Parameter(torch.randn(WIDTH, INNER)[:, OWN].clone())
        self.shift = nn.Parameter(torch.randn(WIDTH))

    def forward(self, x):
        inner = torch.nn.functional.silu(Enter.apply(self.norm(x)) @ self.up.t())
        return x + Leave.apply(inner @ self.down.t()) + self.shift


torch.manual_seed(7)
model = nn.Sequential(nn.Linear(5, WIDTH), Layer(1), Layer(2), nn.Linear(WIDTH, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
for step in range(2):
    optimizer.zero_grad()
    for part, rows in enumerate((3, 5, 2)):
        torch.manual_seed(100 * step + 10 * part + rank // 2)
        x, y = torch.randn(rows, 5), torch.randn(rows, 2)
        (model(x) - y).pow(2).sum().div(20).backward()
    squares = []
    for name, parameter in model.named_parameters():
        dist.all_reduce(parameter.grad, group=dp)
        square = parameter.grad.pow(2).sum()
        if name.endswith(("up", "down")):
            dist.all_reduce(square, group=tp)
        squares.append(square)
    norm = torch.stack(squares).sum().sqrt()
    for parameter in model.parameters():
        parameter.grad.mul_((1 / (norm + 1e-6)).clamp(max=1.0))
    optimizer.step()
dist.destroy_process_group()
