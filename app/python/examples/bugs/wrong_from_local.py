"""A bug: each rank reads its own part of a batch, and from_local() declares it as the whole.

A replicated tensor must be equal on all ranks. DTensor does not check that: each rank continues with its own
rows, and the rows of the other ranks are ignored. Problems shows `copies-differ`, at the line of from_local(),
with the first element that differs; Shards draws all ranks in the same colours, those of the same rows, with
different numbers in them. The fix: [Shard(0)].

    torchrun --nproc-per-node 2 -m shardlens record --values all wrong_from_local.py
"""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, distribute_tensor


def rows_of(rank):
    return torch.arange(12.).view(4, 3) + 12 * rank


def main():
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",))
    x = DTensor.from_local(rows_of(dist.get_rank()), mesh, [Replicate()])  # the bug
    w = distribute_tensor(torch.ones(3, 2), mesh, [Replicate()])
    mean = (x @ w).mean()
    print(f"rank {dist.get_rank()}: mean {mean.item():.1f} of {len(x)} rows")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
