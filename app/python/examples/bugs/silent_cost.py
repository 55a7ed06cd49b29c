"""A bug that costs but does not fail: a table is sharded by columns, the tensors that use it by rows.

DTensor redistributes the table in each step, without a message, and the result is right. Problems shows
`cheaper-placement`, with the bytes sent for it and the placement that sends none, and
`implicit-redistribution`, at the line that reads the table. The fix: the placement [Shard(0)].

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
