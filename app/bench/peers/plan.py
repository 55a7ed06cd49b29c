"""Measures DTensor's graph planner, with its caches cleared before each plan.

request  {"mesh": [4, 2], "shape": [64, 64, 64], "from": ["R", "S(0)"], "to": ["P(sum)", "R"]}
answer   {"wall": 812.5, "processor": 810.9, "plan": ["1: S(0) -> R", ...]}
"""
import math

from lines import connect, mean_of, placement, serve, torch

import torch.distributed.tensor._redistribute as redistribute
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta


class Plans:
    def __init__(self):
        self.mesh = None

    def measure(self, request):
        if self.mesh is None or list(self.mesh.shape) != request["mesh"]:
            connect(math.prod(request["mesh"]))
            self.mesh = init_device_mesh("cpu", tuple(request["mesh"]))
        source, target = (self.spec(request["shape"], request[side]) for side in ("from", "to"))
        steps, taken = mean_of(lambda: plan(source, target),
                               before=redistribute.clear_redistribute_planner_cache)
        return {**taken, "plan": [said(step) for step in steps]}

    def spec(self, shape, texts):
        """Returns a spec for the graph planner. DTensor reads strided shards as an order of shards.
        If they are none, the graph planner would fall back to the greedy one, so that reading is
        disabled."""
        whole = torch.empty(shape, device="meta")
        meta = TensorMeta(whole.shape, whole.stride(), torch.float32)
        placements = tuple(map(placement, texts))
        order = DTensorSpec._maybe_convert_StridedShard_to_shard_order(placements, self.mesh)
        spec = DTensorSpec(self.mesh, placements, tensor_meta=meta,
                           use_strided_shard_as_shard_order=False if order is None else None)
        hash(spec)  # computed here, so that planning does not include it
        return spec


def plan(source, target):
    with redistribute.use_min_cost_redistribution_plan(True):
        return redistribute._gen_transform_infos_non_cached(source, target)


def said(step):
    before, after = step.src_dst_placements
    return f"{step.mesh_dim}: {before} -> {after}"


serve(Plans().measure)
