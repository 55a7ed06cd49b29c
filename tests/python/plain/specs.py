"""Plain tensors between DTensors on dp x tp, with rows that the ranks of tp do not divide evenly. With --wrong, a tensor
that its DTensor states to be replicated has another last element on the last rank."""
import sys
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))


class Enter(nn.Module):
    def forward(self, tensor):
        return tensor.to_local()


class Up(nn.Module):
    def forward(self, x, weight):
        return x @ weight.t()


class Down(nn.Module):
    def forward(self, x, weight):
        return x @ weight.t()


class Shift(nn.Module):
    def forward(self, x, bias):
        return x + bias


torch.manual_seed(3)
inputs, up, down, bias = torch.randn(6, 4), torch.randn(5, 4), torch.randn(4, 5), torch.randn(4)
if "--wrong" in sys.argv and dist.get_rank() == 3:
    bias[3] += 1
x = Enter()(distribute_tensor(inputs, mesh, [Shard(0), Replicate()]))
up = distribute_tensor(up, mesh, [Replicate(), Shard(0)]).requires_grad_()
down = distribute_tensor(down, mesh, [Replicate(), Shard(-1)]).requires_grad_()
partial = Down()(Up()(x, up.to_local(grad_placements=[Partial(), Shard(0)])),
                 down.to_local(grad_placements=[Partial(), Shard(1)]))
whole = DTensor.from_local(partial, mesh, [Shard(0), Partial()]).redistribute(mesh, [Shard(0), Replicate()])
DTensor.from_local(bias, mesh, [Replicate(), Replicate()], run_check=False)
Shift()(whole.to_local(), bias).pow(2).mean().backward()
dist.destroy_process_group()
