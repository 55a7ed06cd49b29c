"""A perceptron on dp x tp: a column parallel layer, dropout on its shards, a row parallel layer, dropout on whole
activations. Arguments plant bugs."""
import sys
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
TP = 2
DP = world // TP
tp_groups = [dist.new_group([d * TP + t for t in range(TP)], group_desc="tp") for d in range(DP)]
dp_groups = [dist.new_group([d * TP + t for d in range(DP)], group_desc="dp") for t in range(TP)]
tp, dp = tp_groups[rank // TP], dp_groups[rank % TP]
tp_rank, dp_rank = rank % TP, rank // TP
HIDDEN, INNER = 6, 8


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        dist.all_reduce(g, group=tp)
        return g


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x, group=tp)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.norm = nn.LayerNorm(HIDDEN)
        self.bias = nn.Parameter(torch.randn(HIDDEN))
        torch.manual_seed(100 if "--same-slice" in sys.argv else 100 + tp_rank)
        self.up = nn.Parameter(torch.randn(INNER // TP, HIDDEN) * 0.3)
        torch.manual_seed(200 + tp_rank)
        self.down = nn.Parameter(torch.randn(HIDDEN, INNER // TP) * 0.3)

    def forward(self, x, step):
        x = Copy.apply(self.norm(x))
        x = F.relu(F.linear(x, self.up))
        torch.manual_seed(10 * step + dp_rank + (0 if "--same-numbers" in sys.argv else 1000 * tp_rank))
        x = F.dropout(x, 0.2)
        x = Reduce.apply(F.linear(x, self.down)) + self.bias
        torch.manual_seed(10 * step + 5000 + dp_rank + (1000 * tp_rank if "--other-numbers" in sys.argv else 0))
        return F.dropout(x, 0.2)


model = Perceptron()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
generator = torch.Generator().manual_seed(50 + dp_rank)
for step in range(2):
    model(torch.randn(4, HIDDEN, generator=generator), step).tanh().pow(2).mean().backward()
    for name, parameter in model.named_parameters():
        is_wrong = "--wrong-axis" in sys.argv and name == "down"
        dist.all_reduce(parameter.grad, group=tp if is_wrong else dp)
        parameter.grad /= DP
        if "--copies" in sys.argv and name == "bias":
            dist.all_reduce(parameter.grad, group=tp)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
