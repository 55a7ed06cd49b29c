"""What torch.distributed.checkpoint asks a sharded tensor for: the blocks of the whole that this process
has, each a view of a rank's part. Ranks that have the same have a block each: what is loaded goes to all."""
import itertools

import torch

from .. import _engine
from ._local import parts


def write_items(tensor, name):
    """What a checkpoint keeps of the tensor: each of its blocks once."""
    from torch.distributed.checkpoint import planner
    from torch.distributed.checkpoint.metadata import MetadataIndex, TensorProperties
    once = {chunk.offsets: chunk for chunk, _ in _blocks(tensor)}
    return [planner.WriteItem(index=MetadataIndex(name, chunk.offsets), type=planner.WriteItemType.SHARD,
                              tensor_data=planner.TensorWriteData(
                                  chunk=chunk, properties=TensorProperties(dtype=tensor.dtype),
                                  size=tensor.shape))
            for chunk in once.values()]


def chunks(tensor):
    return [chunk for chunk, _ in _blocks(tensor)]


def block(tensor, index):
    """That of chunks() which `index` counts; one that begins there, where it counts those of a checkpoint."""
    found = {place: view for place, (chunk, view) in enumerate(_blocks(tensor))
             if index.offset is None or chunk.offsets == index.offset}
    if not found:
        raise ValueError(f"{index.fqn}: got a block that begins at {list(index.offset)}, expected one that "
                         "a rank of this process has")
    return found.get(index.index, next(iter(found.values())))


def _blocks(tensor):
    from torch.distributed.checkpoint.metadata import ChunkStorageMetadata
    placements = _engine.placements(tensor)
    if any(placement.is_partial() for placement in placements):
        raise RuntimeError(f"checkpoint: got a tensor placed as {list(placements)}, whose terms are not "
                           "added up, expected one that is replicated or sharded; redistribute it before")
    mesh = _engine.mesh(tensor)
    for rank, part in zip(_engine.hosted(mesh), parts(tensor.detach())):
        for block in itertools.product(*map(_placed, _engine.local_ranges(tensor, rank))):
            offsets = torch.Size(first for first, _ in block)
            view = part[tuple(own for _, own in block)]
            yield ChunkStorageMetadata(offsets=offsets, sizes=view.shape), view


def _placed(runs):
    """Of each run of a dimension, where it begins in the whole, and where it lies in the rank's part."""
    at = 0
    for first, last in runs:
        if first < last:
            yield first, slice(at, at + last - first)
        at += last - first
