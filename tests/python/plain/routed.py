"""Experts on the ranks of ep, copies over dp: tokens go to the ranks of their experts by an uneven all_to_all."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
ep = [dist.new_group([2 * each, 2 * each + 1], group_desc="ep") for each in range(2)][rank // 2]
dp = [dist.new_group([each, each + 2], group_desc="dp") for each in range(2)][rank % 2]
WIDTH, LOCAL = 6, 2


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, sent, received):
        ctx.sizes = sent, received
        result = rows.new_empty(sum(received), WIDTH)
        dist.all_to_all_single(result, rows.contiguous(), received, sent, group=ep)
        return result

    @staticmethod
    def backward(ctx, gradient):
        sent, received = ctx.sizes
        result = gradient.new_empty(sum(sent), WIDTH)
        dist.all_to_all_single(result, gradient.contiguous(), sent, received, group=ep)
        return result, None, None


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(50 + rank % 2)
        self.up = nn.Parameter(torch.randn(LOCAL, WIDTH, 8))
        self.down = nn.Parameter(torch.randn(LOCAL, 8, WIDTH))

    def forward(self, tokens, experts):
        result = torch.zeros_like(tokens)
        for each in range(LOCAL):
            rows = (experts == each).nonzero().squeeze(1)
            result = result.index_copy(0, rows, F.gelu(tokens[rows] @ self.up[each]) @ self.down[each])
        return result


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(51)
        self.norm, self.router, self.experts = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * LOCAL), Experts()

    def forward(self, x):
        weight, choice = self.router(self.norm(x)).softmax(-1).max(-1)
        order, counts = choice.argsort(stable=True), torch.bincount(choice, minlength=2 * LOCAL)
        theirs = torch.empty_like(counts)
        dist.all_to_all_single(theirs, counts, group=ep)
        sent, received = (each.view(2, LOCAL).sum(1).tolist() for each in (counts, theirs))
        experts = torch.arange(LOCAL).repeat(2).repeat_interleave(theirs)
        back = Exchange.apply(self.experts(Exchange.apply(x[order], sent, received), experts), received, sent)
        return x + torch.zeros_like(x).index_copy(0, order, back) * weight.unsqueeze(-1)


torch.manual_seed(52)
model = nn.Sequential()
model.block = Block()
torch.manual_seed(53)
model.head = nn.Linear(WIDTH, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(2):
    torch.manual_seed(70 + 10 * step + rank)
    optimizer.zero_grad()
    F.mse_loss(model(torch.randn(9, WIDTH)), torch.randn(9, 3)).backward()
    for name, parameter in model.named_parameters():
        dist.all_reduce(parameter.grad, group=dp)
        if "experts" not in name:
            dist.all_reduce(parameter.grad, group=ep)
        parameter.grad /= 4
    optimizer.step()
dist.destroy_process_group()
