"""Measures blocks of networks, forward and backward, on four ranks that LocalTensorMode simulates.

request  {"block": "convolution"}
answer   {"wall": 8125.5, "processor": 8109.3}
"""
from lines import Replicate, Shard, connect, mean_of, serve, torch

from torch.distributed._local_tensor import LocalTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import distribute_tensor
from torch.nn.functional import conv2d, linear

RANKS = 4


class Block:
    """A block of a network, with the same layers as the class Block in compare_blocks.cpp."""

    def __init__(self):
        self.mesh = init_device_mesh("cpu", (RANKS,))
        self.weights = []

    def random(self, shape, placement):
        return distribute_tensor(torch.randn(shape) * 0.1, self.mesh, [placement])

    def weight(self, shape, placement):
        self.weights.append(self.random(shape, placement).requires_grad_())
        return self.weights[-1]

    def call(self):
        with torch.enable_grad():
            y = self.x + self.forward()
            (y * y).sum().backward()
        for weight in self.weights:
            weight.grad = None


class Convolution(Block):
    def __init__(self):
        super().__init__()
        self.x = self.random([4, 16, 8, 8], Shard(0))
        self.layers = [(self.weight([16, 16, 3, 3], Replicate()), self.weight([16], Replicate()))
                       for _ in range(2)]

    def forward(self):
        inward, outward = self.layers
        return conv2d(torch.relu(conv2d(self.x, *inward, padding=1)), *outward, padding=1)


class Attention(Block):
    LENGTH, WIDTH, HEADS = 64, 64, 8

    def __init__(self):
        super().__init__()
        self.x = self.random([self.LENGTH, self.WIDTH], Replicate())
        self.inward = [self.weight([self.WIDTH, self.WIDTH], Shard(0)) for _ in range(3)]
        self.outward = self.weight([self.WIDTH, self.WIDTH], Shard(1))

    def forward(self):
        query, key, value = (linear(self.x, weight).view(self.LENGTH, self.HEADS, -1).transpose(0, 1)
                             for weight in self.inward)
        scores = torch.bmm(query, key.transpose(1, 2)) * (self.HEADS / self.WIDTH) ** 0.5
        joined = torch.bmm(torch.softmax(scores, -1), value).transpose(0, 1)
        partial = linear(joined.reshape(self.LENGTH, self.WIDTH), self.outward)
        return partial.redistribute(self.mesh, [Replicate()])


BLOCKS = {"convolution": Convolution, "attention": Attention}
blocks = {}


def measure(request):
    name = request["block"]
    with LocalTensorMode(RANKS):
        if name not in blocks:
            blocks[name] = BLOCKS[name]()
        blocks[name].call()  # brings data back into the caches of the processor
        return mean_of(blocks[name].call)[1]


connect(RANKS)
serve(measure)
