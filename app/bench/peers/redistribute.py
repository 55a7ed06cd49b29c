"""Measures DTensor's redistribute() on four ranks that LocalTensorMode simulates.

request  {"side": 256, "from": "S(0)", "to": "R"}: a square tensor of float32
answer   {"wall": 812.5, "processor": 810.9}
"""
from lines import connect, mean_of, placement, serve, torch

from torch.distributed._local_tensor import LocalTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, distribute_tensor

RANKS = 4


class Tensors:
    """Tensors by placement; kept until a request has another size."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.side = None
        self.made = {}

    def get(self, side, text):
        if side != self.side:
            self.side, self.made = side, {}
        if text not in self.made:
            self.made[text] = self.make(torch.ones(side, side), placement(text))
        return self.made[text]

    def make(self, whole, where):
        if isinstance(where, Partial):
            partials = distribute_tensor(whole, self.mesh, [Replicate()]).to_local()
            return DTensor.from_local(partials, self.mesh, [where], run_check=False)
        return distribute_tensor(whole, self.mesh, [where])


connect(RANKS)
with LocalTensorMode(RANKS):
    mesh = init_device_mesh("cpu", (RANKS,))
    tensors = Tensors(mesh)

    def measure(request):
        source, target = tensors.get(request["side"], request["from"]), [placement(request["to"])]

        def move():
            source.redistribute(mesh, target)

        move()  # brings data back into the caches of the processor
        _, taken = mean_of(move)
        return taken

    serve(measure)
