"""A language model parallelized as torchtitan does it: tensor and sequence parallelism in pairs of ranks with a sharded
vocabulary and loss, FSDP2 over the pairs, and checkpointed activations."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, init_device_mesh
from torch.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel, SequenceParallel, loss_parallel,
                                               parallelize_module)

from models import Block, run

BLOCKS, HEADS, BATCH, LENGTH, WORDS, TP = 2, 4, 2, 4, 32, 2
FROM_SEQUENCE, TO_SEQUENCE = ColwiseParallel(input_layouts=Shard(1)), RowwiseParallel(output_layouts=Shard(1))
NORM = SequenceParallel(use_local_output=True)
PLAN = {"norm_attention": NORM, "query": FROM_SEQUENCE, "key": FROM_SEQUENCE, "value": FROM_SEQUENCE,
        "out": TO_SEQUENCE, "norm_feedforward": NORM, "up": FROM_SEQUENCE, "down": TO_SEQUENCE}


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width)
        self.blocks = nn.ModuleList(Block(width, HEADS) for _ in range(BLOCKS))
        self.norm, self.output = nn.LayerNorm(width), nn.Linear(width, WORDS, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x))


def train(steps, width):
    mesh = init_device_mesh("cpu", (dist.get_world_size() // TP, TP), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    model = Model(width)
    parallelize_module(model, mesh["tp"], {
        "embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)), "norm": NORM,
        "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False)})
    for place, block in enumerate(model.blocks):
        parallelize_module(block, mesh["tp"], PLAN)
        model.blocks[place] = fully_shard(checkpoint_wrapper(block), mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    source = torch.Generator().manual_seed(mesh["dp"].get_local_rank())
    for _ in range(steps):
        ids = torch.randint(WORDS, (BATCH, LENGTH), generator=source)
        with loss_parallel():
            loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
