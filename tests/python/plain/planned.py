"""A model that is sharded by a tp_plan over tp of dp x tp, as transformers does: parameters are plain tensors. The ranks
of tp do not divide the hidden size evenly. With --wrong, a replicated parameter has another last element on the last
rank. With --same-slice, the hidden size is even, and the last rank has the slice of the rank before; with --swapped also
the other way round. With --unsharded the plan is not in use. --save=FOLDER writes a checkpoint of the whole model."""
import sys
import torch
import torch.distributed as dist
import torch.distributed.checkpoint
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
tp, dp = mesh.get_group("tp"), mesh.get_group("dp")
place = rank % 2
HIDDEN = 6 if {"--same-slice", "--swapped"} & set(sys.argv) else 5


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x, group=tp)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Config:
    base_model_tp_plan = {"layers.*.up": "colwise", "layers.*.down": "rowwise", "norm": "replicate", "table": "colwise"}


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(4, HIDDEN), nn.Linear(HIDDEN, 4, bias=False)

    def forward(self, x):
        return Reduce.apply(self.down(torch.relu(self.up(x))))


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.norm = nn.ModuleList([Layer(), Layer()]), nn.LayerNorm(4)
        self.table = nn.Embedding(3, 4)  # which is not sharded

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return self.norm(x)


class Model(nn.Module):
    config, _tp_plan, _tp_size, _device_mesh = Config(), {}, 2, mesh

    def __init__(self):
        super().__init__()
        self.model = Base()

    def forward(self, x):
        return self.model(x)


torch.manual_seed(3)
model = Model()
nn.init.normal_(model.model.norm.weight)
for argument in sys.argv:
    if rank == 0 and argument.startswith("--save="):
        whole = {f"saved.{name}": parameter.detach().clone() for name, parameter in model.named_parameters()}
        dist.checkpoint.save(whole, checkpoint_id=argument.removeprefix("--save="), no_dist=True)
for index, layer in enumerate(model.model.layers):
    if "--unsharded" in sys.argv:
        break
    is_wrong = index == 1 and (rank == 3 and "--same-slice" in sys.argv or rank >= 2 and "--swapped" in sys.argv)
    part = 1 - place if is_wrong else place
    layer.up.weight = nn.Parameter(layer.up.weight.chunk(2)[part].detach().clone())
    layer.up.bias = nn.Parameter(layer.up.bias.chunk(2)[place].detach().clone())
    layer.down.weight = nn.Parameter(layer.down.weight.chunk(2, 1)[place].detach().clone())
if "--unsharded" in sys.argv:
    model._tp_size = None
    Reduce.apply = lambda x: x
if "--wrong" in sys.argv and rank == 3:
    model.model.norm.weight.data[3] += 1
torch.manual_seed(rank // 2)
with torch.no_grad():
    model(torch.randn(3, 4))
    dist.all_reduce(torch.randn(2), group=tp)
    dist.all_reduce(torch.randn(2), group=dp)
dist.destroy_process_group()
