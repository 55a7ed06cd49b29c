"""Parameters that all ranks, or neighbours, average after the optimizer's step; gradients are not reduced."""
import sys
import torch
import torch.distributed as dist
from torch import nn

HOW = sys.argv[1] if len(sys.argv) > 1 else "all"
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    torch.manual_seed(10 * step + rank)
    x, y = torch.randn(3, 4), torch.randn(3, 2)
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    dist.all_reduce(loss.detach().clone())
    for parameter in model.parameters():
        if HOW == "all":
            dist.all_reduce(parameter.data)
            parameter.data /= size
        else:
            received = torch.empty_like(parameter)
            work = dist.isend(parameter.data.clone(), (rank + 1) % size)
            dist.recv(received, (rank - 1) % size)
            work.wait()
            parameter.data.copy_((parameter.data + received) / 2)
dist.destroy_process_group()
