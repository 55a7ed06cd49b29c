"""One of 4 ranks of a transformer of plain tensors with hand-written collectives, as in Megatron-LM."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

from language_model import HEADS, WORDS, LanguageModel, attention


class Copy(torch.autograd.Function):
    """The identity; its gradient is summed over the ranks."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.clone()
        dist.all_reduce(gradient)
        return gradient


class Sum(torch.autograd.Function):
    """The sum over the ranks; its gradient is the identity."""

    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Column(nn.Linear):
    def forward(self, x):
        return super().forward(Copy.apply(x))


class Row(nn.Linear):
    def forward(self, x):
        return Sum.apply(super().forward(x))


class Block(nn.Module):
    def __init__(self, width, ranks):
        super().__init__()
        self.heads = HEADS // ranks
        self.before_attention, self.before_feedforward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = Column(width, 3 * width // ranks), Row(width // ranks, width, bias=False)
        self.up, self.down = Column(width, 4 * width // ranks), Row(4 * width // ranks, width, bias=False)

    def forward(self, x):
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                             for part in self.qkv(self.before_attention(x)).chunk(3, dim=-1))
        x = x + self.out(attention(query, key, value))
        return x + self.down(functional.gelu(self.up(self.before_feedforward(x))))


class PlainTransformer(LanguageModel):
    def __init__(self, width, length, batch, blocks):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(WORDS, width), *(Block(width, self.ranks) for _ in range(blocks)),
                              nn.LayerNorm(width), Column(width, WORDS // self.ranks))
        super().__init__(model, torch.randint(0, WORDS // self.ranks, (batch, length)))
