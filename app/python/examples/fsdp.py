"""A small transformer under FSDP2 on `dp` and tensor parallelism on `tp`, by torch's own engine.

FSDP2 gathers each block's weights before the block runs, and reduce-scatters its gradients after
it. Its collectives are in the recording beside DTensor's:

    torchrun --nproc-per-node 4 -m shardlens record -o recording fsdp.py
"""
import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional

WIDTH, BATCH = 16, 8


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(functional.gelu(self.up(self.norm(x))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    steps = parser.parse_args().steps
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (2, dist.get_world_size() // 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    model = nn.Sequential(Block(), Block())
    for block in model:
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    torch.manual_seed(mesh["dp"].get_local_rank())  # each rank of `dp` has another batch
    x = torch.randn(BATCH, WIDTH)
    for step in range(steps):
        loss = functional.mse_loss(model(x), x.flip(-1))
        adam.zero_grad()
        loss.backward()
        adam.step()
        if dist.get_rank() == 0:
            print(f"step {step + 1}: loss {loss.item():.6f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
