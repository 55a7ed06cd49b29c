"""Small models that the programs of this folder train, and what all programs share."""
import argparse
import hashlib
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """A transformer block of `heads` heads. `attend(query, key, value)` computes the attention."""

    def __init__(self, width, heads, attend=functional.scaled_dot_product_attention):
        super().__init__()
        self.width_of_head, self.attend = width // heads, attend
        self.norm_attention, self.norm_feedforward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        normed = self.norm_attention(x)
        heads = [project(normed).unflatten(-1, (-1, self.width_of_head)).transpose(1, 2)
                 for project in (self.query, self.key, self.value)]
        x = x + self.out(self.attend(*heads).transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norm_feedforward(x))))


class Feedforward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(functional.relu(self.up(x)))


def batches(steps, *shape, seed=0):
    """Returns a random batch for each step, the same for equal seeds."""
    source = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=source) for _ in range(steps)]


def run(train):
    """Runs `train(steps, width)` on a group of Gloo ranks and prints a digest of the tensors that it returns.
    The arguments are the numbers of steps and the width."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--width", type=int, default=16)
    given = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    sys.stdout.write(f"rank {dist.get_rank()}: {digest(train(given.steps, given.width))}\n")
    dist.barrier()
    dist.destroy_process_group()


def digest(tensors):
    """Returns a hash of the local values of tensors, bit by bit."""
    code = hashlib.sha256()
    for tensor in tensors:
        local = getattr(tensor, "_local_tensor", tensor).detach().contiguous()
        code.update(local.view(torch.uint8).numpy().tobytes() if local.dim() else local.numpy().tobytes())
    return code.hexdigest()
