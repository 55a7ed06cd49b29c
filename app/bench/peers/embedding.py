"""Measures DTensor's embedding and its gradient, with a table sharded by rows over four ranks that
LocalTensorMode simulates.

request  {"what": "lookup" or "gradient", "rows": 1000000, "width": 64, "ids": 4096}
answer   {"wall": 812.5, "processor": 810.9}
request  {"what": "memory", ...}: runs some lookups; the peak memory of this process
answer   {"MiB": 1187.5}
"""
import gc

from lines import connect, mean_of, serve, torch

import torch.distributed.tensor as dtensor
from torch.distributed._local_tensor import LocalTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

RANKS = 4


class Lookups:
    """A table and ids; kept until a request has other sizes."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.shape = None
        self.count = None

    def measure(self, request):
        self.prepare([request["rows"], request["width"]], request["ids"])
        if request["what"] == "memory":
            for _ in range(4):
                self.lookup()
            return {"MiB": peak()}
        action = self.lookup if request["what"] == "lookup" else self.gradient
        action()  # brings data back into the caches of the processor
        return mean_of(action)[1]

    def prepare(self, shape, count):
        if shape != self.shape:
            self.shape, self.count = shape, None
            self.table = self.leaf = self.reduced = None
            gc.collect()
            self.table = dtensor.ones(*shape, device_mesh=self.mesh, placements=[Shard(0)])
        if count != self.count:
            ids = torch.randint(shape[0], (count,), generator=torch.Generator().manual_seed(1))
            self.count, self.ids = count, self.replicated(ids)
            self.leaf = self.reduced = None

    def replicated(self, whole):
        return distribute_tensor(whole, self.mesh, [Replicate()])

    def lookup(self):
        return self.reduce(self.table)

    def reduce(self, table):
        pending = torch.nn.functional.embedding(self.ids, table)
        return pending.redistribute(self.mesh, [Replicate()])

    def gradient(self):
        if self.reduced is None:
            with torch.enable_grad():
                self.leaf = self.table.detach().requires_grad_()
                self.reduced = self.reduce(self.leaf)
            self.upstream = self.replicated(torch.ones(self.count, self.shape[1]))
        torch.autograd.grad(self.reduced, self.leaf, self.upstream, retain_graph=True)


def peak():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


connect(RANKS)
with LocalTensorMode(RANKS):
    serve(Lookups(init_device_mesh("cpu", (RANKS,))).measure)
