"""Expert parallelism of plain tensors by all_to_all along ep, and data parallelism along dp."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
EP = 2
ep_groups = [dist.new_group(list(range(d * EP, (d + 1) * EP)), group_desc="ep") for d in range(world // EP)]
dp_groups = [dist.new_group(list(range(e, world, EP)), group_desc="dp") for e in range(EP)]
ep, dp = ep_groups[rank // EP], dp_groups[rank % EP]
EXPERTS, CAPACITY, HIDDEN = 4, 3, 8
LOCAL = EXPERTS // EP


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        dist.all_to_all_single(y, x.contiguous(), group=ep)
        return y

    @staticmethod
    def backward(ctx, g):
        return Exchange.forward(None, g)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(rank % EP)
        self.up = nn.Parameter(torch.randn(LOCAL, HIDDEN, 2 * HIDDEN) * 0.3)
        self.down = nn.Parameter(torch.randn(LOCAL, 2 * HIDDEN, HIDDEN) * 0.3)

    def forward(self, x):
        return torch.bmm(F.gelu(torch.bmm(x, self.up)), self.down)


class Moe(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.experts = nn.Linear(HIDDEN, HIDDEN), Experts()

    def forward(self, x):  # [EXPERTS, CAPACITY, HIDDEN]: the tokens of this rank for each expert
        x = self.inner(x)
        x = Exchange.apply(x).view(EP, LOCAL, CAPACITY, HIDDEN).transpose(0, 1).reshape(LOCAL, EP * CAPACITY, HIDDEN)
        y = self.experts(x)
        y = y.view(LOCAL, EP, CAPACITY, HIDDEN).transpose(0, 1).reshape(EXPERTS, CAPACITY, HIDDEN)
        return Exchange.apply(y)


torch.manual_seed(5)
model = Moe()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
torch.manual_seed(1000 + rank)
for step in range(2):
    x = torch.randn(EXPERTS, CAPACITY, HIDDEN)
    y = model(x)
    (y - x).tanh().pow(2).mean().backward()
    for name, parameter in model.named_parameters():
        if "experts" not in name:
            dist.all_reduce(parameter.grad, group=ep)
            parameter.grad /= EP
        dist.all_reduce(parameter.grad, group=dp)
        parameter.grad /= world // EP
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
