"""The peer's end of the bench: it is asked a line of JSON and answers a line of JSON."""
import gc
import json
import os
import re
import sys
import time

os.environ["CUDA_VISIBLE_DEVICES"] = ""
_answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what torch prints is no answer


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
    """Answers each question with what measure() says of it, or why DTensor refuses it."""
    torch.set_num_threads(int(sys.argv[1]))
    torch.set_grad_enabled(False)
    _answer({"torch": torch.__version__})
    for line in sys.stdin:
        try:
            answer = measure(json.loads(line))
        except Exception as refusal:
            answer = {"refused": f"{type(refusal).__name__}: {refusal}"}
        _answer(answer)


def timed(action):
    """The result, and how long it took in microseconds by the wall and by this process's work."""
    gc.disable()
    try:
        wall, processor = time.perf_counter_ns(), time.process_time_ns()
        result = action()
        processor, wall = time.process_time_ns() - processor, time.perf_counter_ns() - wall
    finally:
        gc.enable()
    return result, {"wall": wall / 1e3, "processor": processor / 1e3}


def connect(ranks):
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())


def placement(text):
    """R, S(0), SS(0, 2) or P(sum), as the bench writes them."""
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
