"""Context parallelism: the sequence is sharded over all ranks. In ring attention the keys and values travel from rank
to rank, and the gradients travel back."""
import torch
import torch.distributed as dist

from models import Block, batches, run

HEADS, BATCH, LENGTH = 2, 1, 4  # the length of each rank's part


class Rotate(torch.autograd.Function):
    """Sends a tensor to the next rank and returns that of the previous one."""

    @staticmethod
    def forward(context, tensor, by=1):
        context.by = by
        rank, ranks = dist.get_rank(), dist.get_world_size()
        received = torch.empty_like(tensor)
        for work in dist.batch_isend_irecv([
                dist.P2POp(dist.isend, tensor.contiguous(), (rank + by) % ranks),  # THE RING
                dist.P2POp(dist.irecv, received, (rank - by) % ranks)]):
            work.wait()
        return received

    @staticmethod
    def backward(context, gradient):
        return Rotate.forward(context, gradient, -context.by), None


def ring_attention(query, key, value):
    """Causal attention of the whole sequence, of which the arguments are this rank's part."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    length = query.shape[-2]
    places = torch.arange(length)
    pair, weighted, sums = torch.stack([key, value]), 0, 0
    for turn in range(ranks):
        if turn > 0:
            pair = Rotate.apply(pair)
        scores = query @ pair[0].transpose(-2, -1) / query.shape[-1] ** 0.5
        later = places + (rank - turn) % ranks * length > (places + rank * length).unsqueeze(-1)
        weights = scores.exp().masked_fill(later, 0)
        weighted, sums = weighted + weights @ pair[1], sums + weights.sum(-1, keepdim=True)
    return weighted / sums


def train(steps, width):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = Block(width, HEADS, ring_attention)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in batches(steps, BATCH, LENGTH * ranks, width):
        loss = model(batch.chunk(ranks, 1)[rank]).pow(2).mean()
        loss.backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)  # THE GRADIENTS
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
