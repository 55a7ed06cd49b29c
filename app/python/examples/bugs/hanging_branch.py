"""A bug: only the first rank prints the norm of the weights, and full_tensor() is a collective.

The first rank waits in an all_gather that the other ranks never call, because they wait in the all_reduce
of the next step. All hang until the process group's timeout of half an hour. The error then names neither
collective. Open the folder while they hang, or after Ctrl+C: Problems shows `collective-mismatch` with both
calls, at the line of full_tensor(). The fix: call full_tensor() on all ranks, and print on one.

    torchrun --nproc-per-node 2 -m shardlens record hanging_branch.py
"""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def main():
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    torch.manual_seed(0)
    x = distribute_tensor(torch.randn(8, 4), mesh, [Shard(1)])
    w = distribute_tensor(torch.randn(4, 2), mesh, [Shard(0)]).requires_grad_()
    sgd = torch.optim.SGD([w], lr=0.1)
    for step in range(3):
        loss = (x @ w).redistribute(mesh, [Replicate()]).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if dist.get_rank() == 0:
            print(f"step {step + 1}: weights of norm {w.full_tensor().norm():.4f}", flush=True)  # the bug
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
