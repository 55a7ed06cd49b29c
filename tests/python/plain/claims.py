"""States placements: of an input of which two dimensions could be sharded, and a wrong one."""
import shardlens
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(3)
model = nn.Sequential(nn.Linear(4, 4), nn.GELU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
torch.manual_seed(rank)
x = torch.randn(2, 3, 4)
shardlens.assert_placement(x, world="S(1)")
model(x).pow(2).mean().backward()
for parameter in model.parameters():
    dist.all_reduce(parameter.grad)
optimizer.step()
shardlens.assert_placement(torch.full((2,), float(rank)), world=shardlens.Replicate())
dist.destroy_process_group()
