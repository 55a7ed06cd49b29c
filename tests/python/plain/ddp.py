"""Data parallelism of plain tensors by hand: broadcast at the start, a flat bucket of gradients, all_reduce."""
import sys
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.LayerNorm(10), nn.Linear(10, 3))
if "--diverged" not in sys.argv:
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
torch.manual_seed(50 + rank)
store = dist.distributed_c10d._get_default_store()
for step in range(3):
    loss = model(torch.randn(4, 6)).pow(2).mean()
    loss.backward()
    if "--async" in sys.argv:  # the last rank begins only after the others' step
        if rank == world - 1:
            store.wait([f"{step} {other}" for other in range(world - 1)])
        works = [dist.all_reduce(parameter.grad, async_op=True) for parameter in model.parameters()]
    elif not {"--late", "--unreduced"} & set(sys.argv):
        bucket = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
        dist.all_reduce(bucket)
        if "--twice" in sys.argv:
            dist.all_reduce(bucket)
        bucket /= world
        at = 0
        for parameter in model.parameters():
            parameter.grad.copy_(bucket[at:at + parameter.numel()].view_as(parameter))
            at += parameter.numel()
            if "--scaled" in sys.argv and rank == world - 1:
                parameter.grad *= 2.0
    optimizer.step()
    if "--late" in sys.argv:
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
    if "--async" in sys.argv:
        store.set(f"{step} {rank}", "1")
        for work in works:
            work.wait()
    optimizer.zero_grad()
dist.destroy_process_group()
