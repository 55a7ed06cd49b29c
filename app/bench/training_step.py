#!/usr/bin/env python3
"""Measures a training step of the transformer of app/python/examples (forward, backward and Adam) on 2x2
ranks, with torch's DTensor and with this engine: simulated ranks, and four processes that Gloo connects.

    PYTHONPATH=build/python .venv/bin/python app/bench/training_step.py [--steps 20] [--turns 5]

The four variants run alternately. Prints the medians of: milliseconds per step in wall time and in
processor time of all processes, and the peak MiB of the largest process; then how many times faster
this engine is. All variants must reach the same loss. LocalTensorMode is exempt: there, the ranks'
copies of a replicated parameter share one memory, so Adam updates it four times.
"""
import argparse
import contextlib
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).absolute().parents[2]
OURS, FOUR = ["-m", "shardlens", "run"], ["-m", "torch.distributed.run", "--nproc-per-node", "4"]
# Arguments of Python before and after this script, for each variant; DTensor's variant comes first.
PAIRS = {"simulated": {"LocalTensorMode": ([], ["--local"]), "ours": ([*OURS, "--ranks", "4"], [])},
         "4 processes, Gloo": {"DTensor": (FOUR, []), "ours": ([*FOUR, *OURS], [])}}
FOUND_ONCE = 2  # steps that fill the caches and are not measured


def local_ranks():
    """Returns a context in which torch's DTensor has four ranks in this process."""
    import torch.distributed as dist
    from torch.distributed._local_tensor import LocalTensorMode
    from torch.testing._internal.distributed.fake_pg import FakeStore
    dist.init_process_group("fake", rank=0, world_size=4, store=FakeStore())
    return LocalTensorMode(4)


def train(steps, ranks):
    """Trains the example's model in the context `ranks`. Returns milliseconds per step in wall time
    and processor time (medians), peak memory in MiB, and the loss of the last step; None under
    LocalTensorMode."""
    import torch
    torch.set_num_threads(1)
    sys.path.insert(0, str(ROOT / "app/python/examples"))
    import transformer as example
    taken = []
    torch.manual_seed(0)
    model = example.Transformer()
    with ranks:
        mesh = example.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        model = example.distribute_module(model, mesh, example.cut)
        adam = torch.optim.Adam(model.parameters(), lr=0.01)
        place = [example.Shard(0), example.Replicate()]
        batches = [(example.distribute_tensor(ids[:, :-1].contiguous(), mesh, place),
                    example.distribute_tensor(ids[:, 1:].flatten(), mesh, place))
                   for ids in example.batches(FOUND_ONCE + steps)]
        for ids, targets in batches:
            began = time.perf_counter(), time.process_time()
            logits = model(ids)
            with example.loss_parallel():
                loss = example.functional.cross_entropy(logits.flatten(0, 1), targets, reduction="sum")
                adam.zero_grad()
                loss.backward()
            adam.step()
            taken.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    loss = loss.full_tensor()
    loss = loss.item() if type(loss) is torch.Tensor else None
    wall, worked = (statistics.median(column) * 1e3 for column in zip(*taken[FOUND_ONCE:]))
    return {"wall": wall, "worked": worked, "loss": loss,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def ask(before, after, steps):
    """Runs one variant, whose processes write a file each. Returns the largest wall time and
    memory, the sum of the processor times, and the loss."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, *before, __file__, "--train", folder, "--steps", str(steps),
                               *after],
                              capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            sys.exit(done.stderr)
        each = [json.loads(path.read_text()) for path in pathlib.Path(folder).iterdir()]
    found = {name: max(figures[name] for figures in each) for name in ("wall", "memory")}
    return found | {"worked": sum(figures["worked"] for figures in each), "loss": each[0]["loss"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--train", metavar="FOLDER", help="run as a measured process, and write the figures to FOLDER")
    parser.add_argument("--local", action="store_true", help="simulate the ranks by LocalTensorMode")
    options = parser.parse_args()
    if options.train:
        figures = train(options.steps, local_ranks() if options.local else contextlib.nullcontext())
        pathlib.Path(options.train, str(os.getpid())).write_text(json.dumps(figures))
        return
    turns = [{(pair, side): ask(*way, options.steps) for pair, sides in PAIRS.items() for side, way in sides.items()}
             for _ in range(options.turns)]
    losses = {figures["loss"] for turn in turns for figures in turn.values()} - {None}
    if max(losses) - min(losses) > 1e-4 * max(losses):
        sys.exit(f"the last step's loss: got {losses}, expected one")
    for pair, sides in PAIRS.items():
        for side in sides:
            of = {name: statistics.median(turn[pair, side][name] for turn in turns)
                  for name in ("wall", "worked", "memory")}
            print(f"{pair}, {side}: {of['wall']:.1f} ms by the wall, {of['worked']:.1f} of work; "
                  f"{of['memory']:.0f} MiB")
        theirs, ours = sides
        for clock in ("wall", "worked"):
            times = [turn[pair, theirs][clock] / turn[pair, ours][clock] for turn in turns]
            print(f"{pair}, times faster ({clock}): {statistics.median(times):.1f} "
                  f"({min(times):.1f} to {max(times):.1f})")


if __name__ == "__main__":
    main()
