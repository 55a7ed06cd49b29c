#!/usr/bin/env python3
"""Runs a scenario on PyTorch's DTensor and on Shardlens, and prints where the results differ.

    verify.py PROGRAM SCENARIO [--json]

PROGRAM is shardlens, which starts this script for `shardlens verify`. All ranks of DTensor are
simulated in this process, so no launcher is needed. Its local tensors are compared with those in
the answer of `PROGRAM run --json`. Exit codes: 0 equal, 1 different, 2 not comparable.
"""
import argparse
import collections
import json
import logging
import math
import re
import subprocess
import sys

def unusable(message):
    """Prints an error as the other commands do, and returns exit code 2."""
    said = json.dumps({"error": {"message": message}}) if "--json" in sys.argv else f"shardlens: {message}"
    print(said, file=sys.stderr)
    return 2


NEEDED = "expected a Python with the full PyTorch 2.15: set SHARDLENS_TORCH to its path"
try:
    import torch
    import torch.distributed as dist
    from torch.distributed._local_tensor import LocalTensor, LocalTensorMode
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.debug import CommDebugMode
    from torch.distributed.tensor.parallel import loss_parallel
    from torch.distributed.tensor.placement_types import _MaskPartial, _StridedShard
except (ImportError, OSError) as missing:
    sys.exit(unusable(f"verify: {sys.executable}: {missing}; {NEEDED}"))

RELATIVE, ABSOLUTE = 1e-4, 1e-5  # ranks may add in another order
NUMBERED = re.compile(r"(S|SS)\((-?\d+)(?:, ?(\d+))?\)")


class CannotRun(Exception):
    """Raised for something that DTensor has no counterpart of."""


def placement_of(text):
    if text == "R":
        return Replicate()
    if cut := NUMBERED.fullmatch(text):
        dim = int(cut[2])
        return Shard(dim) if cut[1] == "S" else _StridedShard(dim, split_factor=int(cut[3]))
    if terms := re.fullmatch(r"P(?:\((\w+)\))?", text):
        return Partial(terms[1] or "sum")
    raise CannotRun(f"the placement {text}")


def text_of(placement):
    if isinstance(placement, _MaskPartial):
        return f"MaskP({placement.reduce_op}, {list(placement.offset_shape)}, {placement.offset_dim})"
    if isinstance(placement, _StridedShard):
        return f"SS({placement.dim}, {placement.split_factor})"
    if isinstance(placement, Shard):
        return f"S({placement.dim})"
    if isinstance(placement, Replicate):
        return "R"
    norm = getattr(placement, "norm_type", None)
    if norm is not None:
        return f"NormP({norm:g})" if isinstance(norm, (int, float)) else f"NormP({norm})"
    return f"P({placement.reduce_op})"


SHORT = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}


def dtype_of(name):
    """Returns torch.float32 for "float32" and for "f32", and None if the name is no dtype."""
    if short := re.fullmatch(r"(bf|f|i|u|c)(\d+)", name):
        name = SHORT[short[1]] + short[2]
    named = getattr(torch, name, None)
    return named if isinstance(named, torch.dtype) else None


def number(given):
    """Converts numbers that JSON cannot express from text: "nan", "-inf", "1+2j"."""
    if isinstance(given, list):
        return [number(each) for each in given]
    if not isinstance(given, str):
        return given
    return complex(given) if given.endswith("j") else float(given)


def dense(spec):
    dtype = dtype_of(spec.get("dtype", "float32"))
    if "data" in spec:
        whole = torch.tensor(number(spec["data"]), dtype=dtype)
        return whole.reshape(spec.get("shape", whole.shape))
    shape, numbers = spec["shape"], torch.Generator().manual_seed(spec.get("seed", 0))
    fills = {
        "randn": lambda: torch.randn(shape, generator=numbers, dtype=dtype),
        "rand": lambda: torch.rand(shape, generator=numbers, dtype=dtype),
        "randint": lambda: torch.randint(spec.get("low", 0), spec["high"], shape,
                                         generator=numbers, dtype=dtype),
        "arange": lambda: torch.arange(math.prod(shape), dtype=dtype).reshape(shape),
        "full": lambda: torch.full(shape, number(spec["value"]), dtype=dtype),
    }
    return fills[spec["fill"]]()


class OnDTensor:
    """Runs the steps of a scenario on DTensor, in order."""

    def __init__(self, mesh, whole):
        self.mesh, self.whole, self.values = mesh, whole, {}

    def argument(self, given):
        if isinstance(given, list):
            return [self.argument(each) for each in given]
        if isinstance(given, str) and given.startswith("$"):
            return self.values[given[1:]]
        return dtype_of(given) if isinstance(given, str) and dtype_of(given) else given

    def run(self, name, step):
        """Runs a step and returns its results by name, without those that are None."""
        for key in ("mesh", "ranks", "shard_order", "forward_dtype", "backward_dtype"):
            if key in step:
                raise CannotRun(f'"{key}" in step {name}')
        args = [self.argument(each) for each in step.get("args", [])]
        kwargs = {key: self.argument(each) for key, each in step.get("kwargs", {}).items()}
        placements = [placement_of(each) for each in step.get("placements", [])]
        made = self.call(step, name, args, kwargs, placements)
        several = isinstance(made, (tuple, list))
        results = {f"{name}.{at}": each for at, each in enumerate(made)} if several else {name: made}
        self.values.update(results)
        return {key: each for key, each in results.items() if each is not None}

    def call(self, step, name, args, kwargs, placements):
        call = step["call"]
        if call in ("tensor", "from_locals"):
            made = self.input(step, name, placements)
            return made.requires_grad_(True) if step.get("requires_grad") else made
        if call == "redistribute":
            return args[0].redistribute(placements=placements)
        if call == "backward":
            return args[0].backward(*args[1:])
        if call in ("grad", "detach"):
            return args[0].grad if call == "grad" else args[0].detach()
        if call in ("cross_entropy", "cross_entropy_backward"):
            with loss_parallel():
                loss = torch.nn.functional.cross_entropy(*args, **kwargs)
                if call == "cross_entropy":
                    return loss
                loss.backward()
            return args[0].grad
        if not call.startswith("aten."):
            raise CannotRun(call)
        packet, _, overload = call.removeprefix("aten.").partition(".")
        return getattr(getattr(torch.ops.aten, packet), overload or "default")(*args, **kwargs)

    def input(self, step, name, placements):
        if step["call"] == "tensor":
            return distribute_tensor(self.whole[name], self.mesh, placements, src_data_rank=None)
        shape = torch.Size(step["shape"]) if "shape" in step else None
        stride = None if shape is None else torch.empty(shape, device="meta").stride()
        locals_ = LocalTensor(dict(enumerate(self.whole[name])))
        return DTensor.from_local(locals_, self.mesh, placements, run_check=False, shape=shape,
                                  stride=stride)


def differences(name, expected, got):
    """Yields at most one difference of a result, as texts (got, expected)."""
    if not isinstance(expected, DTensor):
        return
    if got is None:
        yield "no such result", f"one of shape {list(expected.shape)}"
        return
    facts = {"shape": list(expected.shape), "dtype": str(expected.dtype).removeprefix("torch."),
             "placements": [text_of(each) for each in expected.placements]}
    for key, fact in facts.items():
        if got[key] != fact:
            yield f"{key} {json.dumps(got[key])}", json.dumps(fact)
            return
    if any(isinstance(each, _MaskPartial) for each in expected.placements):
        return  # its masked rows are undefined until it is reduced
    local = expected._local_tensor
    for theirs in got["locals"]:
        rank = theirs["rank"]
        mine = local._local_tensors[rank] if isinstance(local, LocalTensor) else local
        if list(mine.shape) != theirs["shape"]:
            yield f"shape {theirs['shape']} on rank {rank}", str(list(mine.shape))
            return
        for at, (one, other) in enumerate(zip(mine.detach().reshape(-1).tolist(), theirs["data"])):
            if not is_close(one, number(other)):
                yield f"{other} on rank {rank} at element {at}", f"{one:.8g}"
                return


def is_close(expected, got):
    if isinstance(expected, complex):
        return is_close(expected.real, got.real) and is_close(expected.imag, got.imag)
    expected = float(expected)
    if math.isnan(expected) or math.isinf(expected):
        return expected == got or (math.isnan(expected) and math.isnan(got))
    return abs(expected - got) <= ABSOLUTE + RELATIVE * abs(expected)


def sent_by_dtensor(comm):
    """Returns how often a step called each collective, by c10d's names: {"all_reduce": 2}."""
    kinds = collections.Counter()
    for operator, count in comm.get_comm_counts().items():
        kind = str(operator).rpartition(".")[2].removesuffix("_into_tensor").removesuffix("_tensor")
        kinds["all_to_all" if kind == "shard_dim_alltoall" else kind] += count
    return kinds


def sent_by_shardlens(answer, name):
    kinds = collections.Counter()
    for each in answer["collectives"]:
        if each["step"] == name:
            kinds[each["kind"]] += each["count"]
    return kinds


def counted(kinds):
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"


class Comparison:
    """The equal results, the differences, and whether the comparison must stop (is_over)."""

    def __init__(self):
        self.same, self.differences, self.is_over = [], [], False

    def differ(self, result, got, expected, is_over=True):
        self.differences.append({"result": result, "got": got, "expected": expected})
        self.is_over = is_over

    def add(self, name, expected, got):
        for ours, theirs in differences(name, expected, got):
            # Other placements give other local parts of an equal tensor: later steps show whether.
            self.differ(name, ours, theirs, is_over=not ours.startswith("placements "))
            return
        self.same.append(name)

    def add_collectives(self, step, expected, got):
        """Compares collectives if nothing differed so far: other placements send other parts."""
        if not self.differences and got != expected:
            self.differ(step, f"collectives {counted(got)}", counted(expected), is_over=False)


def compare(scenario, answer):
    """Compares step by step, up to the first different value or step that only one side refuses."""
    shape = scenario["mesh"]["shape"]
    names = scenario["mesh"].get("names") or [f"d{dim}" for dim in range(len(shape))]
    steps = [(step.get("id", f"step{at}"), step) for at, step in enumerate(scenario["steps"])]
    whole = {}  # made before the ranks are, because each rank would draw separate numbers
    for name, step in steps:
        if step["call"] == "tensor":
            whole[name] = dense(step)
        elif step["call"] == "from_locals":
            whole[name] = [dense(each) for each in step["locals"]]
    refused = (answer["error"] or {}).get("step")
    found = Comparison()
    dist.init_process_group("fake", rank=0, world_size=math.prod(shape))
    with LocalTensorMode(math.prod(shape)):
        program = OnDTensor(init_device_mesh("cpu", tuple(shape), mesh_dim_names=tuple(names)), whole)
        for name, step in steps:
            try:
                with CommDebugMode() as comm:
                    results = program.run(name, step)
            except CannotRun:
                raise
            except Exception as error:  # pylint: disable=broad-except; DTensor refuses with any
                said = str(error).splitlines()[0] if str(error) else type(error).__name__
                if refused != name:
                    found.differ(name, "not refused", f"refused: {said}")
                return found
            if refused == name:
                found.differ(name, f"refused: {answer['error']['message']}", "not refused")
                return found
            for key, expected in results.items():
                found.add(key, expected, answer["results"].get(key))
                if found.is_over:
                    return found
            if step["call"] not in ("tensor", "from_locals"):
                found.add_collectives(name, sent_by_dtensor(comm), sent_by_shardlens(answer, name))
    return found


def without_comments(text):
    return re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text,
                  flags=re.DOTALL)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("scenario")
    options.add_argument("--json", action="store_true")
    options = options.parse_args()
    run = subprocess.run([options.program, "run", "--json", options.scenario], text=True,
                         capture_output=True, check=False)
    if run.returncode not in (0, 1):
        return unusable(f"verify: {options.program} ended with {run.returncode}" if run.returncode != 2
                        else json.loads(run.stderr)["error"]["message"])
    with open(options.scenario, encoding="utf-8") as file:
        scenario = json.loads(without_comments(file.read()))
    logging.getLogger("torch").setLevel(logging.ERROR)
    try:
        found = compare(scenario, json.loads(run.stdout))
    except CannotRun as why:
        return unusable(f"verify: got {why}, expected a feature of DTensor")
    except Exception as bug:  # pylint: disable=broad-except; 1 is for what differs
        return unusable(f"verify: a bug of Shardlens, please report it: {type(bug).__name__}: {bug}")
    if options.json:
        print(json.dumps({"shardlens": 1, "ok": not found.differences, "same": found.same,
                          "differences": found.differences}))
        return 1 if found.differences else 0
    for difference in found.differences:
        print("{result}: got {got}, DTensor has {expected}".format(**difference))
    if found.differences and scenario.get("emulate"):
        print(f"the scenario emulates the defects of {scenario['emulate']}; this DTensor simulates its ranks "
              "in one process, in which mask buffers are not shared as in processes")
    rest = "; not compared from there" if found.is_over else ""
    print(f"{len(found.same)} results equal those of PyTorch {torch.__version__}, "
          f"{len(found.differences)} differ{rest}")
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main())
