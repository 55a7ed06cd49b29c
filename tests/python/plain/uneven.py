"""Column and row parallel layers whose inner size, 10, does not divide by the four ranks."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
HIDDEN, INNER = 6, 10
SIZES = [len(part) for part in torch.arange(INNER).chunk(world)]


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        dist.all_reduce(g)
        return g


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.norm = nn.LayerNorm(HIDDEN)
        self.up = nn.Parameter((torch.randn(INNER, HIDDEN) * 0.3).split(SIZES)[rank].clone())
        self.down = nn.Parameter((torch.randn(HIDDEN, INNER) * 0.3).split(SIZES, 1)[rank].clone())

    def forward(self, x):
        return Reduce.apply(F.linear(F.relu(F.linear(Copy.apply(self.norm(x)), self.up)), self.down))


model = Perceptron()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(3)
for step in range(2):
    model(torch.randn(4, HIDDEN)).tanh().pow(2).mean().backward()
    torch.nn.utils.clip_grad_norm_([model.norm.weight, model.norm.bias], 0.1)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
