"""Measures DTensor on processes connected by Gloo. This process is one rank; all get the same
requests.

request  {"what": "lookup", "rows": 1000000, "width": 64, "ids": 4096, "to": "S(0)", "calls": 5}
         {"what": "move", "side": 4096, "from": "S(0)", "to": "S(1)", "calls": 3}
answer   {"wall": 812.5, "processor": 810.9, "sent": 1048576.0}: means per call in this process;
         "sent" counts the bytes of all processes of this machine
"""
import gc
import time

from lines import dist, placement, serve, torch

from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor


def whole(tensor):
    """Returns the local tensor, after the collective that fills it."""
    local = tensor.to_local()
    return local.wait() if hasattr(local, "wait") else local


class Cases:
    """The tensors of a request; kept until another request comes."""

    def __init__(self, mesh):
        self.mesh, self.ranks = mesh, mesh.size()
        self.key = self.call = None

    def get(self, request):
        if request != self.key:
            self.key, self.call = request, None
            gc.collect()
            self.call = self.lookup(request) if request["what"] == "lookup" else self.move(request)
            self.call()
        return self.call

    def lookup(self, request):
        rows, width, target = request["rows"], request["width"], [placement(request["to"])]
        own = torch.ones(rows // self.ranks, width)
        table = DTensor.from_local(own, self.mesh, [Shard(0)], run_check=False)
        generator = torch.Generator().manual_seed(1)
        ids = torch.randint(rows, (request["ids"],), generator=generator)
        ids = DTensor.from_local(ids, self.mesh, [Replicate()], run_check=False)

        def call():
            pending = torch.nn.functional.embedding(ids, table)
            return whole(pending.redistribute(self.mesh, target))

        return call

    def move(self, request):
        tensor = torch.ones(request["side"], request["side"])
        tensor = distribute_tensor(tensor, self.mesh, [placement(request["from"])])
        target = [placement(request["to"])]
        return lambda: whole(tensor.redistribute(self.mesh, target))


# Returns the bytes that all processes of this machine have sent over the loopback device.
def sent():
    with open("/sys/class/net/lo/statistics/tx_bytes", encoding="ascii") as count:
        return int(count.read())


def measure(call, calls):
    """Returns the means per call. A barrier before each call lets all processes begin together."""
    wall = processor = 0
    before = sent()
    for _ in range(calls):
        dist.barrier()
        wall_start, processor_start = time.perf_counter_ns(), time.process_time_ns()
        call()
        processor += time.process_time_ns() - processor_start
        wall += time.perf_counter_ns() - wall_start
    dist.barrier()
    moved = sent() - before
    return {"wall": wall / calls / 1e3, "processor": processor / calls / 1e3, "sent": moved / calls}


dist.init_process_group("gloo")
cases = Cases(init_device_mesh("cpu", (dist.get_world_size(),)))
serve(lambda request: measure(cases.get(request), request["calls"]))
