"""Data parallelism over 4 ranks: each rank updates the parameters that it owns, and broadcasts them."""
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(5)
model = nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.GELU(), nn.Linear(7, 7), nn.Tanh(), nn.Linear(7, 3))
everything = list(model.named_parameters())
optimizer = torch.optim.Adam([each for index, (_, each) in enumerate(everything) if index % size == rank], lr=0.05)
for step in range(2):
    torch.manual_seed(40 + 10 * step + rank)
    x, y = torch.randn(4, 5), torch.randn(4, 3)
    for _, parameter in everything:
        parameter.grad = None
    (model(x) - y).pow(2).mean().backward()
    for _, parameter in everything:
        dist.all_reduce(parameter.grad)
        parameter.grad.div_(size)
    optimizer.step()
    for index, (_, parameter) in enumerate(everything):
        dist.broadcast(parameter.data, index % size)
dist.destroy_process_group()
