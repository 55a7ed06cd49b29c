"""Attention with its sequence sharded outside of it and its heads inside, by lists of all_to_all, and the collectives
of two ranks and of one root."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
SEQ, HIDDEN, HEADS = 8, 16, 4


class Exchange(torch.autograd.Function):
    """Splits a tensor along `split` and joins what is received along `join`."""

    @staticmethod
    def forward(ctx, x, split, join):
        ctx.dims = split, join
        sent = [part.contiguous() for part in x.chunk(world, split)]
        received = [torch.empty_like(part) for part in sent]
        dist.all_to_all(received, sent)
        return torch.cat(received, join)

    @staticmethod
    def backward(ctx, g):
        return Exchange.apply(g, *reversed(ctx.dims)), None, None


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.qkv, self.out = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)

    def forward(self, x):  # [sequence, hidden]: a shard of the sequence
        q, k, v = (Exchange.apply(part.view(len(x), HEADS, -1), 1, 0).transpose(0, 1)
                   for part in self.qkv(x).chunk(3, -1))
        y = torch.bmm(F.softmax(torch.bmm(q, k.transpose(1, 2)), -1), v)
        return self.out(Exchange.apply(y.transpose(0, 1), 0, 1).reshape(len(x), HIDDEN))


model = Attention()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(100 + rank)
for step in range(2):
    y = model(torch.randn(SEQ // world, HIDDEN))
    y.tanh().pow(2).mean().backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    torch._foreach_mul_([parameter.grad for parameter in model.parameters()], 1 / world)
    optimizer.step()
    optimizer.zero_grad()
parts = [torch.empty(2, 3) for _ in range(world)] if rank == 0 else None
dist.gather(torch.randn(2, 3), parts)
dist.scatter(torch.empty(2, 3), parts)
if rank == 0:
    dist.send(torch.randn(3), 1)
elif rank == 1:
    dist.recv(torch.empty(3), 0)
dist.barrier()
dist.destroy_process_group()
