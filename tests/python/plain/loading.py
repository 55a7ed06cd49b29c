"""A tensor parallel job on dp x tp that loads its slices from a checkpoint by torch.distributed.checkpoint. Arguments:
the checkpoint's folder, and a bug."""
import sys
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn.functional as F
from torch import nn
from torch.distributed.checkpoint.metadata import ChunkStorageMetadata
from torch.distributed.checkpoint.planner import LoadPlan
from torch.distributed.checkpoint.planner_helpers import create_read_items_for_chunk_list

dist.init_process_group("gloo")
rank = dist.get_rank()
tp_groups = [dist.new_group(ranks, group_desc="tp") for ranks in ([0, 1], [2, 3])]
dp_groups = [dist.new_group(ranks, group_desc="dp") for ranks in ([0, 2], [1, 3])]
tp, dp = tp_groups[rank // 2], dp_groups[rank % 2]
path, bug = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
HIDDEN, INNER = 4, 7  # 4 of the second one on the first rank of tp, 3 on the last


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        own = (INNER + 1 - rank % 2) // 2
        self.norm = nn.LayerNorm(HIDDEN)
        self.up, self.down = nn.Parameter(torch.empty(own, HIDDEN)), nn.Parameter(torch.empty(HIDDEN, own))

    def forward(self, x):
        y = F.linear(F.relu(F.linear(self.norm(x), self.up)), self.down)
        dist.all_reduce(y, group=tp)
        return x + y


class Slices(dcp.DefaultLoadPlanner):
    """Requests the rows of `up` and the columns of `down` of this rank of tp."""

    def create_local_plan(self):
        items = []
        for name, tensor in self.state_dict.items():
            offsets = [0] * tensor.ndim
            if name in ("up", "down"):
                dim = 0 if name == "up" else 1
                offsets[dim] = (rank % 2) * ((INNER + 1) // 2)
                if rank == 3 and bug == name:
                    offsets[dim] = 0
            chunk = ChunkStorageMetadata(torch.Size(offsets), tensor.size())
            items += create_read_items_for_chunk_list(name, self.metadata.state_dict_metadata[name], [chunk])
        return LoadPlan(items)

    def lookup_tensor(self, index):
        return self.state_dict[index.fqn]


class SlicesByKeyword(Slices):
    """Passes the plan by keyword."""

    def finish_plan(self, new_plan):
        return super().finish_plan(new_plan=new_plan)


torch.manual_seed(0)
whole = {"norm.weight": torch.ones(HIDDEN), "norm.bias": torch.randn(HIDDEN), "up": torch.randn(INNER, HIDDEN),
         "down": torch.randn(HIDDEN, INNER)}
dcp.save(whole, checkpoint_id=path)
model = Model()
state = model.state_dict()
dcp.load(state, checkpoint_id=path, planner=SlicesByKeyword() if rank == 1 else Slices())  # THE LOAD
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
source = torch.Generator().manual_seed(rank // 2)
with torch.no_grad():
    model(torch.randn(3, HIDDEN, generator=source))
dist.destroy_process_group()
