"""Measures DTensor's dispatch on one of many ranks, with a process group that sends nothing.

request  {"mesh": [4], "call": "add", "cached": true}
answer   {"wall": 9.1, "processor": 9.0}
"""
import math

from lines import Replicate, Shard, connect, mean_of, serve, torch

from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import _clear_sharding_prop_cache
from torch.distributed.tensor._redistribute import clear_redistribute_planner_cache

import torch.nn.functional as functional

ROWS = 64


class Calls:
    def __init__(self):
        self.mesh = None

    def measure(self, request):
        if self.mesh is None or list(self.mesh.shape) != request["mesh"]:
            connect(math.prod(request["mesh"]))
            self.mesh = init_device_mesh("cpu", tuple(request["mesh"]))
            self.calls = self.make()
        call = self.calls[request["call"]]
        call()
        forget = (lambda: None) if request["cached"] else clear
        _, taken = mean_of(call, before=forget)
        return taken

    def make(self):
        def local(*shape):
            return torch.ones(*shape)

        cut = [Replicate()] * (self.mesh.ndim - 1) + [Shard(0)]
        whole = [Replicate()] * self.mesh.ndim
        a, b = (self.wrap(local(8, 8), cut) for _ in range(2))
        table = self.wrap(local(ROWS, 64), cut)
        ids = self.wrap(torch.arange(64), whole)

        def look_up():
            return functional.embedding(ids, table)

        def reduce():
            return look_up().redistribute(self.mesh, whole)

        return {"add": lambda: a + b, "embedding": look_up, "reduced": reduce}

    def wrap(self, tensor, placements):
        return DTensor.from_local(tensor, self.mesh, placements, run_check=False)


def clear():
    _clear_sharding_prop_cache()
    clear_redistribute_planner_cache()


serve(Calls().measure)
