#!/usr/bin/env python3
"""What recording slows a real DTensor job down, beside DTensor's own modes: one rank, whose
collectives send nothing, trains a transformer on 4 ranks or feedforward blocks on 2, or a transformer
of plain tensors on 4, recorded with plain=True. Steps that are watched and that are not take turns.

    PYTHONPATH=build/python .venv/bin/python app/bench/job_recording.py [--model feedforward|plain] [--turns 15]
        [--operators 1,every=10 --steps 10]
    PYTHONPATH=build/python .venv/bin/python app/bench/job_recording.py --memory 20 [--turns 5]

Prints milliseconds per step, and the ratio to a plain step: median and quartiles; by default of the
processor time of all threads, the writer's included. With --memory, prints the peak memory of
separate processes that run this number of steps, plain and recorded in turns. --operators is that of
`shardlens record`; a sample has steps 2 to --steps + 1 of a recording.
"""
import argparse
import contextlib
import functools
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import Replicate, Shard, init_device_mesh
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel, SequenceParallel,
                                               parallelize_module)
from torch.nn import functional
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._debug_mode import DebugMode

import shardlens
from language_model import HEADS, WORDS, LanguageModel, attention
from plain_transformer import PlainTransformer

# The largest allowed ratio of each model: events, statistics, hashes.
GOALS = {"transformer": (1.15, 1.3), "feedforward": (1.3, 1.5), "plain": (1.1, 1.5, 1.5)}
LEVELS = {"recorded, events alone": "none", "recorded, statistics": "stats", "recorded, hashes": "hashes"}
CLOCKS = {"processor": time.process_time, "wall": time.perf_counter, "thread": time.thread_time}


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before_attention, self.before_feedforward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        normed = self.before_attention(x)
        query, key, value = (project(normed).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                             for project in (self.query, self.key, self.value))
        x = x + self.out(attention(query, key, value))
        return x + self.down(functional.gelu(self.up(self.before_feedforward(x))))


class Transformer(LanguageModel):
    def __init__(self, width, length, batch, blocks):
        mesh = init_device_mesh("cpu", (self.ranks,), mesh_dim_names=("tp",))
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(WORDS, width), *(Block(width) for _ in range(blocks)),
                              nn.Linear(width, WORDS))
        cut = {"use_local_output": False}
        plan = {"0": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1), **cut),
                str(blocks + 1): ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate())}
        for block in range(1, blocks + 1):
            for name in ("before_attention", "before_feedforward"):
                plan[f"{block}.{name}"] = SequenceParallel()
            for name in ("query", "key", "value", "up"):
                plan[f"{block}.{name}"] = ColwiseParallel(input_layouts=Shard(1), **cut)
            for name in ("out", "down"):
                plan[f"{block}.{name}"] = RowwiseParallel(output_layouts=Shard(1), **cut)
        parallelize_module(model, mesh, plan)
        super().__init__(model, torch.randint(0, WORDS, (batch, length)))


class Feedforward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(functional.relu(self.up(x)))


class FeedforwardBlocks:
    ranks, width, batch = 2, 256, 64

    def __init__(self, width, length, batch, blocks):
        mesh = init_device_mesh("cpu", (self.ranks,), mesh_dim_names=("tp",))
        torch.manual_seed(0)
        self.model = nn.Sequential(*(Feedforward(width) for _ in range(blocks)))
        for block in self.model:
            parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
        self.adam = torch.optim.AdamW(self.model.parameters(), lr=1e-3, foreach=False)
        self.x = torch.randn(batch, width)

    def step(self):
        loss = self.model(self.x).pow(2).mean()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()


MODELS = {"transformer": Transformer, "feedforward": FeedforwardBlocks, "plain": PlainTransformer}


def sample(training, steps, clock, flush):
    """Returns the milliseconds of a step; `clock` returns seconds. flush() ends the work for the steps."""
    flush()
    began = clock()
    for _ in range(steps):
        training.step()
    flush()
    return (clock() - began) / steps * 1e3


# Prints the peak memory of a process per level, each measured `turns` times.
def measure_memory(turns):
    taken = {level: [] for level in ("plain", "none", "stats")}
    for _ in range(turns):
        for level, took in taken.items():
            output = subprocess.run([sys.executable, *sys.argv, "--level", level], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            took.append(float(output))
    for level, took in taken.items():
        print(f"{level:<24}{statistics.median(took):10.0f} MiB ({min(took):.0f} to {max(took):.0f})")


# Runs the steps, recorded with values at this level, and prints the peak memory in MiB.
def print_memory(training, level, steps):
    with tempfile.TemporaryDirectory() as folder:
        watching = contextlib.nullcontext() if level == "plain" else shardlens.record(folder, level)
        with watching:
            for _ in range(steps):
                training.step()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, default="transformer")
    for name, usual in (("width", None), ("length", 128), ("batch", None), ("blocks", 4), ("turns", 15)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--operators", default="")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="processor")
    parser.add_argument("--memory", type=int, metavar="STEPS")
    parser.add_argument("--level", help=argparse.SUPPRESS)  # in a process whose memory is measured
    options = parser.parse_args()
    if options.memory and not options.level:
        measure_memory(options.turns)
        return
    torch.set_num_threads(1)
    model = MODELS[options.model]
    dist.init_process_group("fake", rank=0, world_size=model.ranks, store=FakeStore())
    training = model(options.width or model.width, options.length, options.batch or model.batch, options.blocks)
    if options.level:
        print_memory(training, options.level, options.memory)
        return
    with tempfile.TemporaryDirectory() as folder:
        ways = {"plain": contextlib.nullcontext,
                **{name: functools.partial(shardlens.record, f"{folder}/{level}", level,
                                           plain=options.model == "plain", operators=options.operators)
                   for name, level in LEVELS.items() if options.model == "plain" or level != "hashes"},
                "CommDebugMode": CommDebugMode, "DebugMode": DebugMode}
        taken = {way: [] for way in ways}
        for turn in range(options.turns + 1):
            for way, watching in ways.items():
                with watching() as recording:
                    training.step()  # fills the caches
                    took = sample(training, options.steps, CLOCKS[options.clock],
                                  getattr(recording, "flush", int))
                if turn > 0:
                    taken[way].append(took)
    goals = {way: f", goal {goal}" for way, goal in zip(list(ways)[1:], GOALS[options.model])}
    for way, took in taken.items():
        ratios = [mine / plain for mine, plain in zip(took, taken["plain"])]
        first, middle, third = statistics.quantiles(ratios, n=4)
        print(f"{way:<24}{statistics.median(took):10.1f} ms {middle:8.2f} times ({first:.2f} to {third:.2f})"
              f"{goals.get(way, '')}")


if __name__ == "__main__":
    main()
