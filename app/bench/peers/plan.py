"""DTensor's graph planner, which remembers nothing of the plans before.

asked     {"mesh": [4, 2], "shape": [64, 64, 64], "from": ["R", "S(0)"], "to": ["P(sum)", "R"]}
answered  {"wall": 812.5, "processor": 810.9, "plan": ["1: S(0) -> R", ...], "greedy": false}

"greedy" says that the graph planner gave up and left the pair to the greedy one.
"""
import math

from lines import connect, placement, serve, timed, torch

import torch.distributed.tensor._redistribute as redistribute
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta

ENOUGH = 1000  # microseconds of calls make a sample


class LeftToGreedy:
    """Counts how often the greedy planner is asked."""

    def __init__(self):
        self.count = 0
        planner = redistribute.DTensorRedistributePlanner
        plan = planner.generate_greedy_transform_infos

        def counted(*args, **kwargs):
            self.count += 1
            return plan(*args, **kwargs)

        planner.generate_greedy_transform_infos = counted


class Plans:
    def __init__(self):
        self.mesh = None
        self.greedy = LeftToGreedy()

    def measure(self, asked):
        if self.mesh is None or list(self.mesh.shape) != asked["mesh"]:
            connect(math.prod(asked["mesh"]))
            self.mesh = init_device_mesh("cpu", tuple(asked["mesh"]))
        source, target = (self.spec(asked["shape"], asked[side]) for side in ("from", "to"))
        self.greedy.count = 0
        calls, total = 0, {"wall": 0.0, "processor": 0.0}
        while total["wall"] < ENOUGH:
            redistribute.clear_redistribute_planner_cache()
            steps, taken = timed(lambda: self.plan(source, target))
            total = {clock: total[clock] + taken[clock] for clock in total}
            calls += 1
        mean = {clock: total[clock] / calls for clock in total}
        return {**mean, "plan": [said(step) for step in steps], "greedy": self.greedy.count > 0}

    def spec(self, shape, placements):
        whole = torch.empty(shape, device="meta")
        meta = TensorMeta(whole.shape, whole.stride(), torch.float32)
        spec = DTensorSpec(self.mesh, tuple(map(placement, placements)), tensor_meta=meta)
        hash(spec)  # reckoned once, not in a plan
        return spec

    def plan(self, source, target):
        with redistribute.use_min_cost_redistribution_plan(True):
            return redistribute._gen_transform_infos_non_cached(source, target)


def said(step):
    before, after = step.src_dst_placements
    return f"{step.mesh_dim}: {before} -> {after}"


serve(Plans().measure)
