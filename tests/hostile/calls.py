"""Generates calls of operators with random, mostly invalid arguments: one scenario per call."""
import json
import random
import re
import subprocess

SHAPES = [[], [1], [4], [0], [2, 3], [4, 4], [0, 3], [1, 7], [2, 3, 4], [1, 1, 1], [2, 2, 3, 4],
          [1, 2, 4, 4], [2, 1, 2, 2, 2]]
DTYPES = ["float32"] * 6 + ["float64", "float16", "bfloat16", "int64", "int64", "int32", "uint8",
                            "bool", "complex64"]
FARTHEST = [2**63 - 1, -2**63, 2**31, -2**31 - 1, 2**32, -2**32 - 1]
NUMBERS = [0.0, -0.0, 1.0, 0.5, -1.0, 2.0, 1e-8, 1e30, "inf", "-inf", "nan"]
TEXTS = ["none", "mean", "sum", "prod", "amax", "amin", "floor", "trunc", "tanh", "left", "", "é"]
MESHES = [[1], [2], [3], [2, 2]]


class Argument:
    """A parsed argument of a schema, such as `int[]? dim=None`: type, list or not, optional or not."""

    PATTERN = re.compile(r"(?P<of>\w+)(\([^)]*\))?(?P<inner>\?)?(?P<list>\[\d*\])?(?P<optional>\?)?"
                         r" (?P<name>\w+)(?P<default>=.*)?")

    def __init__(self, text):
        match = self.PATTERN.fullmatch(text)
        if not match:
            raise ValueError(f"no argument of a schema: {text}")
        self.of, self.name = match["of"].replace("SymInt", "int"), match["name"]
        self.is_list = bool(match["list"])
        self.may_lack = bool(match["optional"] or (match["inner"] and not self.is_list))
        self.has_holes = bool(match["inner"] and self.is_list)
        self.has_default = bool(match["default"])


def arguments(schema):
    """Parses the arguments of a schema in the form of `shardlens ops --json`."""
    inside = schema[schema.index("(") + 1:schema.rindex(") -> ")]
    texts = re.split(r", (?![^(\[]*[)\]])", inside) if inside else []
    return [Argument(text) for text in texts if text != "*"]


class Caller:
    """Draws random calls. The sequence of calls depends only on the seed."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def scenario(self, operator):
        draw = self.draw
        mesh = draw.choice(MESHES)
        self.names, steps = [f"t{i}" for i in range(4)], []
        alike = draw.random()  # calls with equal shapes or dtypes are more often accepted
        shape, dtype = draw.choice(SHAPES), draw.choice(DTYPES)
        for name in self.names:
            steps.append(self.tensor(name, mesh, shape if alike < 0.5 else draw.choice(SHAPES),
                                     dtype if alike < 0.75 else draw.choice(DTYPES)))
        self.shape, self.length = shape, draw.choice([1, 2, 3])
        values = {argument.name: self.value(argument) for argument in arguments(operator["schema"])
                  if not (argument.has_default and draw.random() < 0.4)}
        call = {"id": "y", "call": operator["name"], "kwargs": values}
        return {"shardlens": 1, "mesh": {"shape": mesh}, "steps": [*steps, call]}

    def tensor(self, name, mesh, shape, dtype):
        draw = self.draw
        kinds = ["R", "R"] + [f"S({dim})" for dim in range(len(shape))] * 2
        kinds += ["P(sum)"] if dtype != "bool" else []
        step = {"id": name, "call": "tensor", "shape": shape, "dtype": dtype,
                "placements": [draw.choice(kinds) for _ in mesh]}
        if dtype.startswith(("float", "bfloat", "complex")) and draw.random() < 0.5:
            return {**step, "fill": "randn", "seed": draw.randrange(9)}
        return {**step, "fill": "full", "value": draw.choice([0, 1])}

    def value(self, argument):
        draw = self.draw
        if argument.may_lack and draw.random() < 0.3:
            return None
        if not argument.is_list:
            return self.single(argument)
        if argument.of == "int" and draw.random() < 0.3:
            return self.shape
        length = self.length
        if draw.random() < 0.2:
            length = draw.choice([0, 0, 1, 2, 3, 5])
        holes = 0.2 if argument.has_holes else 0
        return [None if draw.random() < holes else self.single(argument) for _ in range(length)]

    def single(self, argument):
        draw = self.draw
        if argument.of == "Tensor":
            return "$" + draw.choice(self.names)
        if argument.of == "int":
            if draw.random() < 0.05:
                return draw.choice(FARTHEST)
            return draw.randrange(-3, 9) if draw.random() < 0.4 else draw.randrange(-1, 3)
        if argument.of in ("float", "Scalar"):
            if argument.of == "Scalar" and draw.random() < 0.4:
                return draw.choice([0, 1, -1, 7, True, False, *FARTHEST])
            return draw.choice(NUMBERS)
        if argument.of == "bool":
            return draw.random() < 0.5
        if argument.of == "str":
            return draw.choice(TEXTS)
        if argument.of == "ScalarType":
            return draw.choice(DTYPES)
        return None  # Layout, Device, MemoryFormat, Generator: not expressible in a scenario


def operators(program):
    listed = subprocess.run([program, "ops", "--json"], capture_output=True, text=True, check=True)
    return json.loads(listed.stdout)["operators"]
