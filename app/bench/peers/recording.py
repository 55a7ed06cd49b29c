"""Measures how much DTensor's debugging modes slow down two programs.

"adds" is additions on one of four ranks, with a process group that sends nothing. "transformer"
trains a tensor-parallel transformer layer on four ranks that LocalTensorMode simulates.

request  {"program": "adds", "mode": "DebugMode"}
         {"program": "transformer", "length": 256, "width": 256, "heads": 8, "mode": "no mode"}
answer   {"wall": 812.5, "processor": 810.9}
"""
from contextlib import nullcontext

from lines import Replicate, Shard, connect, mean_of, serve, torch

from torch.distributed._local_tensor import LocalTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.nn.functional import gelu, layer_norm, linear
from torch.utils._debug_mode import DebugMode

RANKS = 4
MODES = {"no mode": nullcontext, "CommDebugMode": CommDebugMode, "DebugMode": DebugMode}


class Adds:
    ranks = nullcontext()

    def __init__(self, request):
        mesh = init_device_mesh("cpu", (RANKS,))
        self.a, self.b = (distribute_tensor(torch.ones(8 * RANKS, 8), mesh, [Shard(0)])
                          for _ in range(2))

    def call(self):
        return self.a + self.b


class Transformer:
    """As TransformerCase in transformer_case.cpp."""
    ranks = LocalTensorMode(RANKS)

    def __init__(self, request):
        self.length, self.width, self.heads = (request[of] for of in ("length", "width", "heads"))
        self.mesh = init_device_mesh("cpu", (RANKS,))
        self.weights = []
        width, hidden = self.width, 4 * self.width
        self.norms = [[self.weight([width], Replicate()) for _ in range(2)] for _ in range(2)]
        self.inward = [self.weight([width, width], Shard(0)) for _ in range(3)]
        self.outward = self.weight([width, width], Shard(1))
        self.up = [self.weight([hidden, width], Shard(0)), self.weight([hidden], Shard(0))]
        self.down = self.weight([width, hidden], Shard(1))
        self.x = self.distributed(torch.randn(self.length, width), Replicate())

    def distributed(self, whole, where):
        return distribute_tensor(whole, self.mesh, [where])

    def weight(self, shape, where):
        weight = self.distributed(torch.randn(shape) * 0.02, where).requires_grad_()
        self.weights.append(weight)
        return weight

    def reduced(self, partials):
        return partials.redistribute(self.mesh, [Replicate()])

    def attended(self, h):
        query, key, value = (linear(h, weight).view(self.length, self.heads, -1).transpose(0, 1)
                             for weight in self.inward)
        scores = torch.bmm(query, key.transpose(1, 2)) * (self.heads / self.width) ** 0.5
        joined = torch.bmm(torch.softmax(scores, -1), value).transpose(0, 1)
        return linear(joined.reshape(self.length, self.width), self.outward)

    def call(self):
        with torch.enable_grad():
            x = self.x
            x = x + self.reduced(self.attended(layer_norm(x, [self.width], *self.norms[0])))
            hidden = gelu(linear(layer_norm(x, [self.width], *self.norms[1]), *self.up))
            x = x + self.reduced(linear(hidden, self.down))
            (x * x).mean().backward()
        for weight in self.weights:
            weight.sub_(weight.grad, alpha=0.01)
            weight.grad = None


PROGRAMS = {"adds": Adds, "transformer": Transformer}
made = {}


def measure(request):
    name = request["program"]
    with PROGRAMS[name].ranks:
        if name not in made:
            made[name] = PROGRAMS[name](request)
        with MODES[request["mode"]]():
            made[name].call()  # brings data back into the caches of the processor
            return mean_of(made[name].call)[1]


connect(RANKS)
serve(measure)
