"""A GRU whose hidden state is sharded over tp, with copies over dp: each step gathers the state."""
import sys
import torch
import torch.distributed as dist
from torch import nn

FAULT = sys.argv[1] if len(sys.argv) > 1 else "none"
dist.init_process_group("gloo")
rank = dist.get_rank()
tp = [dist.new_group([2 * each, 2 * each + 1], group_desc="tp") for each in range(2)][rank // 2]
dp = [dist.new_group([each, each + 2], group_desc="dp") for each in range(2)][rank % 2]
place, is_last = rank % 2, rank == 3
INPUT, HIDDEN, TIMES = 5, 6, 3
OWN = HIDDEN // 2


class Gather(torch.autograd.Function):
    """[batch, own] -> [batch, hidden]"""
    @staticmethod
    def forward(ctx, state, is_divided):
        ctx.is_divided = is_divided
        parts = [torch.empty_like(state) for _ in range(2)]
        dist.all_gather(parts, state.contiguous(), group=tp)
        return torch.cat(parts, 1)

    @staticmethod
    def backward(ctx, gradient):
        if ctx.is_divided:
            gradient = gradient.clone()
            dist.all_reduce(gradient, group=tp)
        return gradient.chunk(2, 1)[place].contiguous(), None


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        own = slice(place * OWN, (place + 1) * OWN)
        self.of_input = nn.Parameter(torch.randn(3, HIDDEN, INPUT)[:, own].clone() * 0.4)
        self.of_state = nn.Parameter(torch.randn(3, HIDDEN, HIDDEN)[:, own].clone() * 0.4)
        self.bias = nn.Parameter(torch.randn(3, HIDDEN)[:, own].clone())

    def forward(self, x, state):
        whole = Gather.apply(state, True)
        enters = [x @ each.t() for each in self.of_input]
        keeps = [whole @ each.t() for each in self.of_state]
        reset = torch.sigmoid(enters[0] + keeps[0] + self.bias[0])
        update = torch.sigmoid(enters[1] + keeps[1] + self.bias[1])
        new = torch.tanh(enters[2] + reset * keeps[2] + self.bias[2])
        return (1 - update) * new + update * state


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        torch.manual_seed(4)
        self.head = nn.Linear(HIDDEN, 2)

    def forward(self, x):
        state = x.new_zeros(x.shape[0], OWN)
        for time in range(TIMES):
            state = self.cell(x[:, time], state)
        return self.head(Gather.apply(state, False))


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    if FAULT == "copy" and step == 1 and is_last:
        with torch.no_grad():
            model.head.bias[1] += 0.5
    torch.manual_seed(50 + 10 * step + rank // 2)
    x, y = torch.randn(7, TIMES, INPUT), torch.randn(7, 2)
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    for name, parameter in model.named_parameters():
        if FAULT == "missing" and is_last and name == "head.weight":
            dist.all_reduce(parameter.grad.clone(), group=dp)
        else:
            dist.all_reduce(parameter.grad, group=dp)
        parameter.grad /= 2
    optimizer.step()
dist.destroy_process_group()
