"""A transformer of two blocks on a mesh of 2x2 ranks: batches over `dp`, weights over `tp`.

The embedding and the loss are vocabulary-parallel: each rank looks up its rows of the table, and computes
its classes of the logits. It is a plain DTensor program and does not use Shardlens:

    python -m shardlens run --ranks 4 --record transformer.shardlens transformer.py
"""
import argparse
import math

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import (DTensor, Replicate, Shard, distribute_module,
                                      distribute_tensor)
from torch.distributed.tensor.parallel import loss_parallel
from torch.nn import functional

WORDS, WIDTH, HEADS, LENGTH, BATCH = 32, 16, 4, 8, 4


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.before_feedforward = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        normed = self.before_attention(x)
        query, key, value = (
            project(normed).view(*x.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)
            for project in (self.query, self.key, self.value))
        weights = (query @ key.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)).softmax(-1)
        x = x + self.out((weights @ value).transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.before_feedforward(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(LENGTH, WIDTH) / 10)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)
        self.logits = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, ids):
        x = self.words(ids) + self.places
        for block in self.blocks:
            x = block(x)
        return self.logits(self.norm(x))


# For each layer the dimension of the weight, and of the bias, that is sharded over `tp`.
CUTS = {"words": (0, None), "query": (0, 0), "key": (0, 0), "value": (0, 0), "out": (1, None),
        "up": (0, 0), "down": (1, None), "logits": (0, None)}


def cut(name, module, mesh):
    weight, bias = CUTS.get(name.rpartition(".")[2], (None, None))
    for key, dim in (("weight", weight), ("bias", bias)):
        if dim is not None and getattr(module, key, None) is not None:
            placed = distribute_tensor(getattr(module, key).data, mesh, [Replicate(), Shard(dim)])
            module.register_parameter(key, nn.Parameter(placed))


def batches(steps):
    """Yields batches of sentences that count: each word is the previous word plus the first."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(steps):
        first = torch.randint(1, 5, (BATCH, 1), generator=generator)
        yield first * torch.arange(1, LENGTH + 2) % WORDS


def train(model, steps, place=lambda ids: ids):
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for ids in batches(steps):
        logits = model(place(ids[:, :-1].contiguous()))
        with loss_parallel():
            loss = functional.cross_entropy(logits.flatten(0, 1), place(ids[:, 1:].flatten()),
                                            reduction="sum") / (BATCH * LENGTH)
            adam.zero_grad()
            loss.backward()
        losses.append((loss.full_tensor() if isinstance(loss, DTensor) else loss).item())
        adam.step()
    return losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    steps = parser.parse_args().steps
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    model = distribute_module(Transformer(), mesh, cut)
    losses = train(model, steps, lambda ids: distribute_tensor(ids, mesh, [Shard(0), Replicate()]))
    torch.manual_seed(0)
    plain = train(Transformer(), steps)
    for step, (loss, expected) in enumerate(zip(losses, plain), 1):
        print(f"step {step:2}: loss {loss:.6f} on 2x2 ranks, {expected:.6f} on one")
    print(f"largest difference: {max(abs(a - b) for a, b in zip(losses, plain)):.1e}")


if __name__ == "__main__":
    main()
