#!/usr/bin/env python3
"""Makes the samples that the tests of the importers read, by running PyTorch on Gloo.

    make_samples.py [FOLDER]        # tests/imports/samples, unless given

Needs PyTorch 2.15. A small transformer runs on two ranks, tensor-parallel, and on four, tensor-parallel
in pairs that share their parameters by FSDP. The profiler, the Flight Recorder, DebugMode and
CommDebugMode watch it. Two more runs go wrong on purpose: in "mismatched" one rank calls another
collective than the others, in "hung" one never comes; in "deadlock" two ranks refuse a lookup that the
others do, and the deadlock of the gallery is made of it. What needs GPUs to be made stands in
samples/written: see the README there.
"""
import gzip
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time

os.environ["TORCH_FR_BUFFER_SIZE"] = "200"

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch import nn
from torch._C._distributed_c10d import _dump_fr_trace, _dump_fr_trace_json
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.profiler import ProfilerActivity, profile
from torch.utils._debug_mode import DebugMode

WIDTH = 8
VOCABULARY = 16


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layer = Layer()
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids):
        return self.head(self.layer(self.embedding(ids)))


def parallel_model(mesh):
    torch.manual_seed(0)
    plan = {
        "embedding": RowwiseParallel(input_layouts=Replicate()),
        "layer.up": ColwiseParallel(),
        "layer.down": RowwiseParallel(),
    }
    return parallelize_module(Transformer(), mesh, plan)


def train_step(model):
    ids = torch.arange(6).reshape(2, 3) % VOCABULARY
    loss = model(ids).square().mean()
    loss.backward()


def write_flight_recording(folder, rank):
    (folder / f"rank_{rank}").write_bytes(_dump_fr_trace())
    (folder / f"rank_{rank}.json").write_bytes(_dump_fr_trace_json())


def pack(path):
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    path.unlink()


def write_trace(profiler, folder, rank):
    path = folder / f"rank{rank}.json"
    profiler.export_chrome_trace(str(path))
    pack(path)


def tensor_parallel(rank, folder):
    model = parallel_model(init_device_mesh("cpu", (2,), mesh_dim_names=("tp",)))
    train_step(model)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        train_step(model)
    write_trace(profiler, folder / "kineto-2", rank)
    write_flight_recording(folder / "flight-2", rank)
    with CommDebugMode() as counts:
        train_step(model)
    with DebugMode(record_output=True) as calls:
        train_step(model)
    if rank == 0:
        counts.generate_json_dump(str(folder / "comm_debug_mode.json"))
        pack(folder / "comm_debug_mode.json")
        (folder / "debug_mode.txt").write_text(calls.debug_string() + "\n")
        DebugMode.save_logs(calls.logs, folder / "debug_mode.json")


def sharded_tensor_parallel(rank, folder):
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    model = parallel_model(mesh["tp"])
    fully_shard(model, mesh=mesh["dp"])
    train_step(model)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        train_step(model)
    write_trace(profiler, folder / "kineto-4", rank)
    write_flight_recording(folder / "flight-4", rank)


def wait_for_all(folder, rank, ranks):
    """Until all are here, without a collective."""
    (folder / f".here{rank}").touch()
    while not all((folder / f".here{other}").exists() for other in range(ranks)):
        time.sleep(0.05)


def mismatched(rank, folder):
    x = torch.ones(4)
    dist.all_reduce(x)
    if rank == 2:
        work = dist.all_gather([torch.ones(4) for _ in range(4)], x, async_op=True)
    else:
        work = dist.all_reduce(x, async_op=True)
    time.sleep(1)
    write_flight_recording(folder / "flight-mismatched", rank)
    wait_for_all(folder, rank, 4)
    os._exit(0)


def hung(rank, folder):
    x = torch.ones(4)
    pairs = [dist.new_group([0, 1], group_desc="first"), dist.new_group([2, 3], group_desc="second")]
    for _ in range(2):
        dist.all_reduce(x, group=pairs[rank // 2])
    if rank != 2:
        work = dist.all_reduce(x, async_op=True)
    time.sleep(1)
    write_flight_recording(folder / "flight-hung", rank)
    wait_for_all(folder, rank, 4)
    os._exit(0)


def look_up(table, ids):
    return nn.functional.embedding(ids, table)


def lookups(mesh):
    def place(tensor, placement):
        return distribute_tensor(tensor, mesh, [placement], src_data_rank=None)

    table = place(torch.arange(30.0).reshape(10, 3), Shard(0))
    ids = place(torch.tensor([0, 9, 4]), Replicate())
    others = place(torch.tensor([0, 9, 7]), Replicate())
    look_up(table, ids).full_tensor()
    pending = look_up(table, ids)
    look_up(table, others)  # another mask on ranks 1 and 2, which refuse it
    pending.full_tensor()


def deadlock(rank, folder):
    mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))
    threading.Thread(target=lookups, args=(mesh,), daemon=True).start()
    time.sleep(5)
    (folder / "flight-deadlock" / f"rank_{rank}.json").write_bytes(_dump_fr_trace_json())
    wait_for_all(folder, rank, 4)
    os._exit(0)


def run_rank(rank, run, ranks, folder):
    torch.set_num_threads(1)
    store = f"file://{folder}/.store-{run.__name__}"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=ranks)
    run(rank, folder)
    dist.destroy_process_group()


def main():
    beside = pathlib.Path(__file__).parent / "samples"
    samples = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else beside
    for run, ranks, makes in [
        (tensor_parallel, 2, ["kineto-2", "flight-2"]),
        (sharded_tensor_parallel, 4, ["kineto-4", "flight-4"]),
        (mismatched, 4, ["flight-mismatched"]),
        (hung, 4, ["flight-hung"]),
        (deadlock, 4, ["flight-deadlock"]),
    ]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for made in makes:
                (folder / made).mkdir()
            multiprocessing.spawn(run_rank, (run, ranks, folder), nprocs=ranks)
            for left in folder.glob(".*"):
                left.unlink()
            shutil.copytree(folder, samples, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
