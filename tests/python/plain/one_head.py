"""Tensor and data parallelism: each rank of tp has one of two heads."""
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
tp = [dist.new_group([2 * each, 2 * each + 1], group_desc="tp") for each in range(2)][rank // 2]
dp = [dist.new_group([each, each + 2], group_desc="dp") for each in range(2)][rank % 2]
WIDTH, LENGTH, HEAD = 6, 5, 3


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


class Core(nn.Module):
    def forward(self, query, key, value):
        return nn.functional.scaled_dot_product_attention(query, key, value)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(50 + rank % 2)
        self.inlet, self.outlet, self.core = nn.Linear(WIDTH, 3 * HEAD), nn.Linear(HEAD, WIDTH, bias=False), Core()

    def forward(self, x):
        parts = self.inlet(Enter.apply(x)).chunk(3, -1)
        heads = self.core(*(part.reshape(*part.shape[:2], 1, HEAD).transpose(1, 2) for part in parts))
        return Leave.apply(self.outlet(heads.transpose(1, 2).reshape(*x.shape[:2], HEAD)))


attention = Attention()
torch.manual_seed(2)
model = nn.Sequential(nn.Linear(4, WIDTH), attention, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    torch.manual_seed(20 + 10 * step + rank // 2)
    x, y = torch.randn(2, LENGTH, 4), torch.randn(2, LENGTH, 2)
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=dp)
        parameter.grad /= 2
    optimizer.step()
dist.destroy_process_group()
