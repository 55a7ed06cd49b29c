#!/usr/bin/env python3
"""Measures how much the recorder and DTensor's own debugging modes slow a DTensor job down. One of 4
ranks, whose collectives send nothing, trains a transformer. Plain and watched steps alternate.

    PYTHONPATH=build/python .venv/bin/python app/bench/job_recording.py [--width 512] [--turns 15]
    PYTHONPATH=build/python .venv/bin/python app/bench/job_recording.py --memory 20 [--turns 5]

Prints milliseconds per step, and the ratio to a plain step: median and quartiles. With --memory,
prints the peak memory of separate processes that run this number of steps, plain and recorded
alternately.
"""
import argparse
import contextlib
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

RANKS, HEADS, WORDS = 4, 8, 4096


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
        weights = (query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5).softmax(-1)
        x = x + self.out((weights @ value).transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.before_feedforward(x))))


class Training:
    def __init__(self, width, length, batch, blocks):
        mesh = init_device_mesh("cpu", (RANKS,), mesh_dim_names=("tp",))
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Embedding(WORDS, width), *(Block(width) for _ in range(blocks)),
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
        parallelize_module(self.model, mesh, plan)
        self.adam = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.ids = torch.randint(0, WORDS, (batch, length))

    def step(self):
        logits = self.model(self.ids)
        loss = functional.cross_entropy(logits.flatten(0, 1), self.ids.flatten())
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()


# Returns the duration of a call; `clock` returns seconds.
def milliseconds(call, clock):
    began = clock()
    call()
    return (clock() - began) * 1e3


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
    for name, usual in (("width", 512), ("length", 128), ("batch", 4), ("blocks", 4), ("turns", 15)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--clock", choices=["wall", "thread"], default="wall")
    parser.add_argument("--memory", type=int, metavar="STEPS")
    parser.add_argument("--level", help=argparse.SUPPRESS)  # in a process whose memory is measured
    options = parser.parse_args()
    if options.memory and not options.level:
        measure_memory(options.turns)
        return
    torch.set_num_threads(1)
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    training = Training(options.width, options.length, options.batch, options.blocks)
    if options.level:
        print_memory(training, options.level, options.memory)
        return
    clock = time.perf_counter if options.clock == "wall" else time.thread_time
    with tempfile.TemporaryDirectory() as folder:
        ways = {"plain": contextlib.nullcontext,
                "recorded, events alone": lambda: shardlens.record(f"{folder}/none", values="none"),
                "recorded, statistics": lambda: shardlens.record(f"{folder}/stats", values="stats"),
                "CommDebugMode": CommDebugMode, "DebugMode": DebugMode}
        taken = {way: [] for way in ways}
        for turn in range(options.turns + 1):
            for way, watching in ways.items():
                with watching():
                    training.step()  # fills the caches
                    took = milliseconds(training.step, clock)
                if turn > 0:
                    taken[way].append(took)
    for way, took in taken.items():
        ratios = [mine / plain for mine, plain in zip(took, taken["plain"])]
        first, middle, third = statistics.quantiles(ratios, n=4)
        print(f"{way:<24}{statistics.median(took):10.1f} ms {middle:8.2f} times ({first:.2f} to {third:.2f})")


if __name__ == "__main__":
    main()
