"""Experts that have equal values on all ranks at first, and a second model with parameters of the same names."""
import shardlens
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(3)
experts, head = nn.Sequential(nn.Linear(4, 4)), nn.Sequential(nn.Linear(4, 2))
shardlens.assert_placement(experts[0].weight, world="S(0)")
optimizer = torch.optim.SGD([*experts.parameters(), *head.parameters()], lr=0.5)
torch.manual_seed(rank)
for step in range(2):
    head(experts(torch.randn(3, 4))).pow(2).mean().backward()
    for parameter in head.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
