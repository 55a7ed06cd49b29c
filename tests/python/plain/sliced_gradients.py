"""An optimizer of slices: gradients go through flat buckets by reduce_scatter, and parameters come back by all_gather.
The copies of a slice are summed over a second axis. An argument plants a fault."""
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

FAULT = sys.argv[1]
dist.init_process_group("gloo")
rank = dist.get_rank()
slices = [dist.new_group([2 * each, 2 * each + 1], group_desc="slices") for each in range(2)][rank // 2]
copies = [dist.new_group([each, each + 2], group_desc="copies") for each in range(2)][rank % 2]
place, is_last = rank % 2, rank == 3
torch.manual_seed(11)
model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
parameters = list(model.parameters())
COUNT = sum(each.numel() for each in parameters) + 1
COUNT -= COUNT % 2  # with padding


def flat(tensors):
    bucket, start = torch.zeros(COUNT), 0
    for each in tensors:
        bucket[start:start + each.numel()].copy_(each.detach().reshape(-1))
        start += each.numel()
    return bucket


def own(bucket):
    return bucket[place * COUNT // 2:(place + 1) * COUNT // 2]


mine = nn.Parameter(own(flat(parameters)).clone())
optimizer = torch.optim.AdamW([mine], lr=0.02)
for step in range(2):
    if FAULT == "copy" and step == 1 and is_last:
        with torch.no_grad():
            model[2].bias[1] += 0.5
    torch.manual_seed(10 * step + rank)
    F.mse_loss(model(torch.randn(4, 5)), torch.randn(4, 3)).backward()
    bucket, gradient = flat(each.grad for each in parameters), torch.empty(COUNT // 2)
    if FAULT == "missing":
        gradient.copy_(own(bucket))
    elif FAULT == "last" and is_last:  # it takes part in the reduction, but ignores the result
        dist.reduce_scatter_tensor(torch.empty_like(gradient), bucket.clone(), group=slices)
        gradient.copy_(own(bucket))
    else:
        dist.reduce_scatter_tensor(gradient, bucket, group=slices)
    gradient /= 4
    dist.all_reduce(gradient, group=slices if FAULT == "axis" else copies)
    mine.grad = gradient
    optimizer.step()
    with torch.no_grad():
        whole, start = torch.empty(COUNT), 0
        dist.all_gather_into_tensor(whole, mine.detach(), group=slices)
        for each in parameters:
            each.copy_(whole[start:start + each.numel()].view_as(each))
            each.grad = None
            start += each.numel()
dist.destroy_process_group()
