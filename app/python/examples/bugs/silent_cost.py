"""A bug that costs and does not fail: a table of scales is cut by columns, all that reads it by rows.

DTensor moves it to where it is wanted, anew in each step, and says nothing: the losses are right. Problems
says `cheaper-placement`, with the bytes that are sent for it and the placement that sends none, and
`implicit-redistribution`, at the line that reads it. Right would be to place it as [Shard(0)].

    torchrun --nproc-per-node 2 -m shardlens record silent_cost.py
"""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor


def main():
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",))
    torch.manual_seed(0)
    x = distribute_tensor(torch.randn(64, 32), mesh, [Shard(0)])
    scales = distribute_tensor(torch.rand(64, 32), mesh, [Shard(1)])  # the bug
    for _ in range(3):
        x = torch.tanh(x * scales)
    total = x.sum().full_tensor()
    if dist.get_rank() == 0:
        print(f"total {total.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
