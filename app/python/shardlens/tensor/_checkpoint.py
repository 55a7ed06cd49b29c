"""Implements the methods of a sharded tensor that torch.distributed.checkpoint calls.

A tensor consists of blocks: contiguous pieces of the whole, each a view of a hosted rank's part.
Replicas have separate blocks, so that loading fills all of them.
"""
import itertools

import torch

from .. import _engine
from ._local import parts


def write_items(tensor, name):
    """Returns the WriteItems of the tensor: one for each block, and only one for replicas."""
    from torch.distributed.checkpoint import planner
    from torch.distributed.checkpoint.metadata import MetadataIndex, TensorProperties
    once = {chunk.offsets: chunk for chunk, _ in _blocks(tensor)}
    return [planner.WriteItem(index=MetadataIndex(name, chunk.offsets), type=planner.WriteItemType.SHARD,
                              tensor_data=planner.TensorWriteData(
                                  chunk=chunk, properties=TensorProperties(dtype=tensor.dtype),
                                  size=tensor.shape))
            for chunk in once.values()]


# Returns the metadata of all blocks, replicas too.
def chunks(tensor):
    return [chunk for chunk, _ in _blocks(tensor)]


def block(tensor, index):
    """Returns the view of the block number `index.index` of chunks(). If that block does not begin
    at `index.offset`, the number counts the blocks of a checkpoint: returns the first block that
    begins there. Raises ValueError if there is none."""
    found = {place: view for place, (chunk, view) in enumerate(_blocks(tensor))
             if index.offset is None or chunk.offsets == index.offset}
    if not found:
        raise ValueError(f"{index.fqn}: got a block that begins at {list(index.offset)}, expected one that "
                         "a rank of this process has")
    return found.get(index.index, next(iter(found.values())))


# Yields (metadata, view) of each block. Raises RuntimeError for a Partial tensor.
def _blocks(tensor):
    from torch.distributed.checkpoint.metadata import ChunkStorageMetadata
    placements = _engine.placements(tensor)
    if any(placement.is_partial() for placement in placements):
        raise RuntimeError(f"checkpoint: got a tensor placed as {list(placements)}, whose partial "
                           "values are not reduced, expected one that is replicated or sharded; redistribute it first")
    mesh = _engine.mesh(tensor)
    for rank, part in zip(_engine.hosted(mesh), parts(tensor.detach())):
        for block in itertools.product(*map(_placed, _engine.local_ranges(tensor, rank))):
            offsets = torch.Size(first for first, _ in block)
            view = part[tuple(own for _, own in block)]
            yield ChunkStorageMetadata(offsets=offsets, sizes=view.shape), view


def _placed(runs):
    """Yields (first global index, slice of the rank's part) for each non-empty run of a
    dimension."""
    at = 0
    for first, last in runs:
        if first < last:
            yield first, slice(at, at + last - first)
        at += last - first
