"""Attention over a sequence that is sharded on all ranks: keys and values travel around a ring by send and recv."""
import sys
import torch
import torch.distributed as dist
from torch import nn

FAULT = sys.argv[1] if len(sys.argv) > 1 else "none"
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
ring = dist.new_group(list(range(size)), group_desc="ring")
is_last = rank == size - 1
BATCH, OWN, WIDTH = 2, 3, 6


def passed_on(block, distance):
    block = block.contiguous()
    received = torch.empty(block.shape)
    work = dist.isend(block, (rank + distance) % size)
    dist.recv(received, (rank - distance) % size)
    work.wait()
    return received


class PassOn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, block):
        return passed_on(block, 1)

    @staticmethod
    def backward(ctx, gradient):
        return passed_on(gradient, -1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inlet, self.outlet = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        query, key, value = self.inlet(x).chunk(3, -1)
        scores, values = [], []
        for hop in range(size):
            if hop > 0:
                key, value = PassOn.apply(key), PassOn.apply(value)
            scores.append(query @ key.transpose(1, 2) / WIDTH ** 0.5)
            values.append(value)
        return self.outlet(torch.cat(scores, -1).softmax(-1) @ torch.cat(values, 1))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.norm, self.head = Attention(), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3)

    def forward(self, x):
        return self.head(self.norm(x + self.attention(x)))


torch.manual_seed(31)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(2):
    if FAULT == "copy" and step == 1 and is_last:
        with torch.no_grad():
            model.head.bias[1] += 0.5
    torch.manual_seed(400 + step)
    own = slice(rank * OWN, (rank + 1) * OWN)
    x, y = (torch.randn(BATCH, OWN * size, width)[:, own].clone() for width in (WIDTH, 3))
    optimizer.zero_grad()
    (model(x) - y).pow(2).sum().div(BATCH * OWN * size).backward()
    for name, parameter in model.named_parameters():
        reduced = parameter.grad.clone() if FAULT == "missing" and is_last and name == "head.weight" else parameter.grad
        dist.all_reduce(reduced, group=ring)
    optimizer.step()
dist.destroy_process_group()
