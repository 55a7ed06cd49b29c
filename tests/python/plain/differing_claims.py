"""Claims that differ between ranks of stage x tp: between the groups of tp, and with --wrong also on
the last rank."""
import sys
import shardlens
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("stage", "tp"))
tp = mesh.get_group("tp")
torch.manual_seed(rank)
x = torch.randn(3, 4)
stated = "S(0)" if rank < 2 else "S(1)"
if "--wrong" in sys.argv and rank == 3:
    stated = "S(0)"
shardlens.assert_placement(x, tp=stated)
nn.Identity()(x)
whole = [torch.empty_like(x) for _ in range(2)]
dist.all_gather(whole, x, group=tp)
dist.destroy_process_group()
