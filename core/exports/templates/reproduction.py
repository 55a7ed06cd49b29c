#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# @about@
#
#     torchrun --nproc-per-node @ranks@ THIS_FILE
#
# Makes the tensors that the step reads from what each rank held, runs the step on PyTorch's DTensor,
# and compares what each rank holds then with what was recorded. Exit code 1 where they differ.
# Recorded by Shardlens; needs PyTorch 2.15 alone.

import math
import os
import sys
from math import inf, nan  # noqa: F401: elements may be written so
from typing import NamedTuple

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor._ops._math_ops import _NormPartial
from torch.distributed.tensor.parallel import loss_parallel
from torch.distributed.tensor.placement_types import _MaskPartial, _StridedShard

aten = torch.ops.aten
RANKS = @ranks@


class Recorded(NamedTuple):
    """A tensor as it was: of each rank its shard, and which rows of it are masked."""

    dtype: torch.dtype
    shape: list
    mesh: tuple  # shape, names, ranks
    placements: list
    shards: list  # (ranks, shape, elements)
    masks: list = []  # likewise

    def shard(self, rank):
        return held(self.shards, rank, self.dtype)

    def mask(self, rank):
        return held(self.masks, rank, torch.bool)

    def placed(self, rank):
        """The same as a DTensor."""
        placements = [self.filled(placement, rank) for placement in self.placements]
        local = self.shard(rank)
        local = torch.empty(0, dtype=self.dtype) if local is None else local
        return DTensor.from_local(
            local, mesh_of(*self.mesh), placements, run_check=False, shape=torch.Size(self.shape),
            stride=torch.empty(self.shape, device="meta").stride())

    def filled(self, placement, rank):
        """A masked placement with the mask of this rank."""
        if not isinstance(placement, _MaskPartial):
            return placement
        filled = _MaskPartial(reduce_op=placement.reduce_op, offset_shape=placement.offset_shape,
                              offset_dim=placement.offset_dim)
        mask = self.mask(rank)
        shape = self.shard(rank).shape[:1]
        filled.mask_buffer.materialize_mask(torch.zeros(shape, dtype=torch.bool) if mask is None else mask)
        return filled


def held(shards, rank, dtype):
    """What a rank held; None where that is nothing."""
    for ranks, shape, elements in shards:
        if rank in ranks:
            return torch.tensor(elements, dtype=dtype).reshape(shape)
    return None


MESHES = {}


def mesh_of(shape, names, ranks):
    if (names, ranks) not in MESHES:
        grid = torch.tensor(ranks).reshape(shape)
        MESHES[names, ranks] = DeviceMesh("cpu", grid, mesh_dim_names=names)
    return MESHES[names, ranks]


def dense(spec):
    """A global tensor, from its description in a scenario."""
    dtype = getattr(torch, spec.get("dtype", "float32"))
    if "data" in spec:
        whole = torch.tensor(spec["data"], dtype=dtype)
        return whole.reshape(spec["shape"]) if "shape" in spec else whole
    shape, fill = spec["shape"], spec["fill"]
    generator = torch.Generator().manual_seed(spec.get("seed", 0))
    if fill == "randint":
        return torch.randint(spec.get("low", 0), spec["high"], shape, generator=generator, dtype=dtype)
    if fill == "arange":
        return torch.arange(math.prod(shape), dtype=dtype).reshape(shape)
    if fill == "full":
        return torch.full(shape, spec["value"], dtype=dtype)
    return getattr(torch, fill)(shape, generator=generator, dtype=dtype)


# What the step reads.
READ = {
@read@}

# What the ranks held after it.
EXPECTED = {
@expected@}


def run(t):
@step@

def keep(t, name, result):
    """Of several results each by its number too."""
    t[name] = result
    if isinstance(result, (tuple, list)):
        t.update({f"{name}.{i}": part for i, part in enumerate(result)})


def whole(tensor):
    return tensor.redistribute(placements=[Replicate()] * tensor.device_mesh.ndim).to_local()


def difference(name, got, expected, rank):
    """What is not as recorded on this rank; empty where all is."""
    if not isinstance(got, DTensor):
        return f"{name}: got {got!r}, expected a DTensor"
    if list(got.shape) != expected.shape or got.dtype != expected.dtype:
        return (f"{name}: got {got.dtype} {list(got.shape)}, "
                f"expected {expected.dtype} {expected.shape}")
    placed = [str(placement) for placement in expected.placements]
    isSame = [str(placement) for placement in got.placements] == placed
    if not isSame and any(placement.is_partial() for placement in expected.placements):
        local, target = whole(got), whole(expected.placed(rank))
    else:
        local = (got if isSame else got.redistribute(placements=expected.placements)).to_local()
        target = expected.shard(rank)
    mask = expected.mask(rank) if isSame else None
    if target is None:  # it is not in the tensor's mesh
        return ""
    if mask is not None:  # masked rows have arbitrary values
        local, target = local[~mask], target[~mask]
    try:
        torch.testing.assert_close(local, target, equal_nan=True)
    except AssertionError as error:
        return f"{name}: {error}\ngot      {local}\nexpected {target}"
    return ""


def main():
    if os.environ.get("WORLD_SIZE") != str(RANKS):
        sys.exit(f"start it with: torchrun --nproc-per-node {RANKS} {sys.argv[0]}")
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    t = {name: recorded.placed(rank) for name, recorded in READ.items()}
    run(t)
    found = [difference(name, t.get(name), expected, rank) for name, expected in EXPECTED.items()]
    everyone = [None] * RANKS
    dist.all_gather_object(everyone, found)
    differences = [f"rank {at}: {text}" for at, texts in enumerate(everyone) for text in texts if text]
    if rank == 0:
        print("\n".join(differences) or f"as recorded on {RANKS} ranks: {', '.join(EXPECTED)}")
    # All have come here, and nothing is left to do: taking Gloo's threads down may abort, late.
    sys.stdout.flush()
    os._exit(1 if differences else 0)


if __name__ == "__main__":
    main()
