"""A vocabulary of 4 + 3 words over tp, for the embedding and for the cross entropy, and copies over dp."""
import sys
import torch
import torch.distributed as dist
from torch import nn

FAULT = sys.argv[1] if len(sys.argv) > 1 else "none"
dist.init_process_group("gloo")
rank = dist.get_rank()
tp = [dist.new_group([2 * each, 2 * each + 1], group_desc="tp") for each in range(2)][rank // 2]
dp = [dist.new_group([each, each + 2], group_desc="dp") for each in range(2)][rank % 2]
WORDS, WIDTH = 7, 6
FIRST, LAST = ((0, 4), (4, 7))[rank % 2]
is_last = rank == 3


def summed(x, op=dist.ReduceOp.SUM):
    x = x.clone()
    dist.all_reduce(x, op, group=tp)
    return x


class Leave(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return summed(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return summed(gradient)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, words):
        shifted = scores - summed(scores.max(-1).values, dist.ReduceOp.MAX).unsqueeze(-1)
        total = summed(shifted.exp().sum(-1))
        is_own, own = (words >= FIRST) & (words < LAST), (words - FIRST).clamp(0, LAST - FIRST - 1)
        right = summed(shifted.gather(-1, own.unsqueeze(-1)).squeeze(-1).masked_fill(~is_own, 0.0))
        ctx.save_for_backward(shifted.exp() / total.unsqueeze(-1), is_own, own)
        return (total.log() - right).mean()

    @staticmethod
    def backward(ctx, gradient):
        shares, is_own, own = ctx.saved_tensors
        shares = shares.clone()
        shares[torch.arange(len(own)), own] -= is_own.to(shares.dtype)
        return shares * (gradient / len(own)), None


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(21)
        self.weight = nn.Parameter(torch.randn(WORDS, WIDTH)[FIRST:LAST].clone())

    def forward(self, words):
        is_other = (words < FIRST) | (words >= LAST)
        rows = nn.functional.embedding((words - FIRST).masked_fill(is_other, 0), self.weight)
        return Leave.apply(rows.masked_fill(is_other.unsqueeze(-1), 0.0))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(22)
        self.weight = nn.Parameter(torch.randn(WORDS, WIDTH)[FIRST:LAST].clone())

    def forward(self, x):
        return Enter.apply(x) @ self.weight.t()


embedding, head = Embedding(), Head()
torch.manual_seed(23)
model = nn.Sequential(embedding, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.Tanh(), head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    if FAULT == "copy" and step == 1 and is_last:
        with torch.no_grad():
            model[2].bias[2] += 0.5
    torch.manual_seed(300 + 10 * step + rank // 2)
    words, following = torch.randint(WORDS, (9,)), torch.randint(WORDS, (9,))
    optimizer.zero_grad()
    CrossEntropy.apply(model(words), following).backward()
    for name, parameter in model.named_parameters():
        reduced = parameter.grad.clone() if FAULT == "missing" and is_last and name == "2.weight" else parameter.grad
        dist.all_reduce(reduced, group=dp)
        parameter.grad /= 2
    optimizer.step()
dist.destroy_process_group()
