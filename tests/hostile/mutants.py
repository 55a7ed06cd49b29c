"""Generates invalid scenarios: gallery scenarios with random changes to their steps, by seed."""
import copy
import json
import pathlib
import random

GALLERY = pathlib.Path(__file__).parents[2] / "resources" / "gallery"
STRANGE = [None, True, False, 0, 1, -1, 2, 7, 0.5, -0.0, 2**31, -2**31, 2**53, 2**63 - 1, -2**63,
           2**63, 2**64, 1e300, "", "$", "$w", "$w.0", "$y", "R", "S(0)", "S(1)", "S(-1)", "S(9)",
           "S(99999999999999999999)", "SS(0, 2)", "SS(0, 0)", "SS(0, -1)", "SS(0, 2147483647)",
           "P(sum)", "P(max)", "P(product)", "P(bxor)", "P(premul_sum, 0.5)", "NormP(2)",
           "NormP(nan)", "MaskP(sum, [10, 3], 0)", "MaskP(sum, [], 7)", "nan", "inf", "-inf",
           "float16", "int8", "bool", "complex64", "randn", "full", "mean", "none", "aten.sum",
           "\u0000", "\ud83d\ude00", "x" * 100000, [], {}, [[]], [[], []], [[1], [2, 3]], [0],
           [0, 0], [1, 1], [1] * 70, [2] * 40, [2**32, 2**32], [2**62, 4], [-1], [1e300], ["R"],
           ["R", "R"], ["S(0)", "S(0)"], {"shape": [2]}, {"shape": [2], "ranks": [0, 2**31 - 1]},
           {"shape": [0]}, {"shape": [-1]}, {"shape": [2**24]}, {"0": [0]}, {"0": [1, 0]},
           {"-1": [0, 0]}, {"data": [1, 2]}, {"fill": "full", "shape": [3], "value": [1, 2]}]
KEYS = ["args", "kwargs", "data", "fill", "shape", "seed", "dtype", "placements", "requires_grad",
        "source", "mesh", "ranks", "shard_order", "locals", "value", "high", "low",
        "forward_dtype", "backward_dtype"]
CALLS = ["tensor", "from_locals", "redistribute", "cross_entropy", "cross_entropy_backward",
         "backward", "grad", "detach", "sharded_embedding", "sharded_embedding_bag", "aten.sum",
         "aten.view", "aten.embedding", "aten.add.Tensor", "aten.cat", "aten.", "aten..", "",
         "aten.nope", "aten.resize_", "aten.set_", "aten.empty.memory_format", "aten.eye",
         "aten.item", "aten.linear", "aten.matmul", "aten.einsum", "aten.set_data"]


def nested(depth):
    deep = 1
    for _ in range(depth):
        deep = [deep]
    return deep


KEPT = ("id", "call", "note", "module")  # not replaced: a file whose id, call or module is no string is refused whole


def places(node):
    """Yields (container, key or index) for each value in a step that may be replaced."""
    if isinstance(node, dict):
        yield from ((node, key) for key in node if key not in KEPT)
        inside = [value for key, value in node.items() if key != "note"]
    elif isinstance(node, list):
        yield from ((node, at) for at in range(len(node)))
        inside = node
    else:
        return
    for each in inside:
        yield from places(each)


class Mutator:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.grown = [json.loads(path.read_text(encoding="utf-8"))
                      for path in sorted(GALLERY.glob("*.json"))]

    def scenario(self):
        draw = self.draw
        mutant = copy.deepcopy(draw.choice(self.grown))
        for key in ("title", "notes"):
            mutant.pop(key, None)
        for _ in range(draw.choice([1, 1, 2, 3])):
            self.change(draw.choice(mutant["steps"]))
        return mutant

    def change(self, step):
        draw = self.draw
        kind = draw.random()
        found = list(places(step))
        if kind < 0.15:
            step["call"] = draw.choice(CALLS)
        elif kind < 0.35 or not found:
            step[draw.choice(KEYS)] = self.strange()
        else:
            inside, key = draw.choice(found)
            if kind < 0.45:
                del inside[key]
            elif kind < 0.55 and isinstance(inside, list):
                inside.insert(key, self.strange())
            else:
                inside[key] = self.strange()

    def strange(self):
        return nested(50) if self.draw.random() < 0.02 else copy.deepcopy(self.draw.choice(STRANGE))
