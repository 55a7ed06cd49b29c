"""A bug: a partial sum over `tp` is read before it is reduced, so each rank trains on another loss.

The layers are sharded correctly, by columns and then by rows, and the result is P(sum): each rank has a
partial value. to_local() returns that, and nothing fails. Problems shows `partial-read`, at the line of the
loss; Shards shows the partial values of the ranks, and Events has no all_reduce. The fix:

    y = y.redistribute(mesh, [Replicate()]).to_local()

    torchrun --nproc-per-node 2 -m shardlens record --values all missing_reduction.py
"""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def main():
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    torch.manual_seed(0)
    x = distribute_tensor(torch.randn(8, 4), mesh, [Replicate()])
    up = distribute_tensor(torch.randn(4, 16), mesh, [Shard(1)])
    down = distribute_tensor(torch.randn(16, 4), mesh, [Shard(0)])
    y = torch.relu(x @ up) @ down
    loss = y.to_local().pow(2).mean()  # the bug
    print(f"rank {dist.get_rank()}: loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
