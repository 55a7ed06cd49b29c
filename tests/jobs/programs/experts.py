"""Expert parallelism: an expert on each rank. Tokens travel to their expert and back by all_to_all_single, of sizes
that differ for each pair of ranks."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed._functional_collectives import all_to_all_single_autograd

from models import batches, run

TOKENS = 8


class Experts(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.expert = nn.Linear(width, width)

    def forward(self, tokens, chosen):
        sent = torch.bincount(chosen, minlength=dist.get_world_size())
        received = torch.empty_like(sent)
        dist.all_to_all_single(received, sent)  # THE SIZES
        order = chosen.argsort(stable=True)
        there = all_to_all_single_autograd(tokens[order], received.tolist(), sent.tolist(), dist.group.WORLD)
        back = all_to_all_single_autograd(self.expert(there), sent.tolist(), received.tolist(), dist.group.WORLD)
        return tokens + torch.zeros_like(back).index_copy(0, order, back)


def train(steps, width):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    model = Experts(width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step, batch in enumerate(batches(steps, TOKENS, width, seed=rank)):
        chosen = (torch.arange(TOKENS) * (rank + 1) + step) % ranks
        loss = model(batch, chosen).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
