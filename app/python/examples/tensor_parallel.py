"""A feed-forward layer and attention under PyTorch's tensor-parallel plan, with sequence parallelism.

The norms work on shards of the sequence, the layers between them on shards of the features. Attention
runs on each rank's own heads, as a plain tensor of that rank. The program does not use Shardlens:

    python -m shardlens run --ranks 2 --record tensor_parallel.shardlens tensor_parallel.py
"""
import copy

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel,
                                               SequenceParallel, parallelize_module)
from torch.nn import functional

WIDTH, HEADS = 16, 4


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        # The number of heads follows from the features: a rank has only its own heads.
        heads = [project(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2)
                 for project in (self.query, self.key, self.value)]
        attended = functional.scaled_dot_product_attention(*heads, is_causal=True)
        return self.out(attended.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.feedforward_norm, self.feedforward = nn.LayerNorm(WIDTH), FeedForward()

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feedforward(self.feedforward_norm(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.block = nn.Embedding(32, WIDTH), Block()
        self.norm, self.logits = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 32)

    def forward(self, ids):
        return self.logits(self.norm(self.block(self.words(ids))))


PLAN = {
    "words": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1),
                             use_local_output=False),
    "block.attention_norm": SequenceParallel(),
    "block.attention": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
    "block.attention.query": ColwiseParallel(),
    "block.attention.key": ColwiseParallel(),
    "block.attention.value": ColwiseParallel(),
    "block.attention.out": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    "block.feedforward_norm": SequenceParallel(),
    "block.feedforward": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
    "block.feedforward.gate": ColwiseParallel(),
    "block.feedforward.up": ColwiseParallel(),
    "block.feedforward.down": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    "norm": SequenceParallel(),
    "logits": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}


def train(model, steps):
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for step in range(steps):
        torch.manual_seed(step)
        ids = torch.randint(32, (4, 9))
        logits = model(ids[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return losses


def main():
    torch.distributed.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (torch.distributed.get_world_size(),), mesh_dim_names=("tp",))
    torch.manual_seed(0)
    plain = Model()
    model = parallelize_module(copy.deepcopy(plain), mesh, PLAN)
    for step, (loss, expected) in enumerate(zip(train(model, 5), train(plain, 5)), 1):
        print(f"step {step}: loss {loss:.6f} on {mesh.size()} ranks, {expected:.6f} on one")


if __name__ == "__main__":
    main()
