"""States types of spmd_types on dp x tp: of an input of which two dimensions could be sharded, of values without a global
meaning, and of an invariant parameter. With --wrong, the last rank has another last element of that."""
import sys
import spmd_types as spmd
import torch
import torch.distributed as dist
from spmd_types import assert_type
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
tp, dp = mesh.get_group("tp"), mesh.get_group("dp")


class Own(nn.Module):
    def forward(self, x):
        values = torch.randn(2, 3)
        spmd.assert_type(values, {dp: spmd.V, tp: spmd.V})
        return values


class Sum(nn.Module):
    def forward(self, x):
        addend = x.sum() * torch.ones(3)
        return assert_type(addend, {dp: spmd.P, tp: spmd.R})


torch.manual_seed(3)
model = nn.Sequential(nn.Linear(4, 4), nn.GELU())
assert_type(model[0].weight, {dp: spmd.R, tp: spmd.I})
if "--wrong" in sys.argv and rank == 3:
    model[0].weight.data[3, 3] += 1
torch.manual_seed(rank // 2)
x = torch.randn(3 if rank < 2 else 2, 4)
assert_type(x, {tp: spmd.R, dp: spmd.V}, spmd.PartitionSpec(dp, None))
y = model(x)
torch.manual_seed(rank)
Own()(x)
Sum()(y)
dist.destroy_process_group()
