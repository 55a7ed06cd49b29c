"""The peer's side of the bench: reads requests from standard input and writes answers to standard
output, each a line of JSON.

Importing it imports torch. If that fails, it answers {"missing": reason} and exits.
"""
import gc
import json
import os
import re
import sys
import time

ENOUGH = 5_000_000  # nanoseconds

os.environ["CUDA_VISIBLE_DEVICES"] = ""
_answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # torch may print to stdout


def _answer(value):
    print(json.dumps(value), file=_answers, flush=True)


try:
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import Partial, Replicate, Shard
    from torch.distributed.tensor.placement_types import _StridedShard
    from torch.testing._internal.distributed.fake_pg import FakeStore
except Exception as reason:  # torch without its Python part fails in many ways
    _answer({"missing": f"{type(reason).__name__}: {reason}"})
    sys.exit()


def serve(measure):
    """Sends the greeting, then answers each request with the result of measure(request), or with
    {"refused": message} if it raises. Returns at the end of the input."""
    torch.set_num_threads(int(sys.argv[1]))
    torch.set_grad_enabled(False)
    _answer({"torch": torch.__version__})
    for line in sys.stdin:
        try:
            answer = measure(json.loads(line))
        except Exception as refusal:
            answer = {"refused": f"{type(refusal).__name__}: {refusal}"}
        _answer(answer)


def mean_of(action, before=lambda: None):
    """Returns the result of a call, and its mean wall and processor time in microseconds. Repeats
    the call until five milliseconds have been measured. Calls before() ahead of each call,
    unmeasured."""
    calls, wall, processor = 0, 0, 0
    gc.disable()
    try:
        while wall < ENOUGH:
            before()
            wall_start, processor_start = time.perf_counter_ns(), time.process_time_ns()
            result = action()
            processor += time.process_time_ns() - processor_start
            wall += time.perf_counter_ns() - wall_start
            calls += 1
    finally:
        gc.enable()
    return result, {"wall": wall / calls / 1e3, "processor": processor / calls / 1e3}


# Makes this process rank 0 of a process group that sends nothing; replaces an earlier group.
def connect(ranks):
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())


def placement(text):
    """Parses R, S(0), SS(0, 2) or P(sum), the bench's notation."""
    kind, *values = re.findall(r"\w+", text)
    if kind == "R":
        return Replicate()
    if kind == "S":
        return Shard(int(values[0]))
    if kind == "SS":
        return _StridedShard(int(values[0]), split_factor=int(values[1]))
    if kind == "P":
        return Partial(values[0])
    raise ValueError(f"placement: got {text}")
