"""One of 4 ranks of a transformer of plain tensors with hand-written collectives, as in Megatron-LM."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

HEADS, WORDS = 8, 4096


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
        weights = (query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5).softmax(-1)
        x = x + self.out((weights @ value).transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.before_feedforward(x))))


class PlainTransformer:
    ranks, width, batch = 4, 512, 4

    def __init__(self, width, length, batch, blocks):
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Embedding(WORDS, width), *(Block(width, self.ranks) for _ in range(blocks)),
                                   nn.LayerNorm(width), Column(width, WORDS // self.ranks))
        self.adam = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.ids = torch.randint(0, WORDS // self.ranks, (batch, length))

    def step(self):
        logits = self.model(self.ids)
        loss = functional.cross_entropy(logits.flatten(0, 1), self.ids.flatten())
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
