"""DistributedDataParallel over all ranks, with two batches of gradients a step. With --view, gradients are views of its
buckets. With --ignore, it does not reduce the gradient of the last parameter. With --unreduced, no rank reduces the
gradients of the last step."""
import contextlib
import sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 3
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.LayerNorm(10), nn.Linear(10, 3))
if "--ignore" in sys.argv:
    torch.manual_seed(7)
    nn.init.normal_(model[3].bias)
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(model, ["3.bias"])
wrapped = DistributedDataParallel(model, gradient_as_bucket_view="--view" in sys.argv)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(50 + rank)
for step in range(STEPS):
    for part in range(2):
        is_reduced = part == 1 and not ("--unreduced" in sys.argv and step == STEPS - 1)
        with contextlib.nullcontext() if is_reduced else wrapped.no_sync():
            wrapped(torch.randn(4, 6)).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
