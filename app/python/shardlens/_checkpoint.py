"""Reads checkpoints as Python values. Needs no torch."""
from __future__ import annotations

import json
import os
import typing

from . import _checkpoints
from ._open import checked_path


class CheckpointSlice(typing.NamedTuple):
    """A part of a tensor in a file. `rank` is the rank that wrote the file, or None if its name does not
    state one."""
    offsets: list[int]
    sizes: list[int]
    rank: int | None
    file: str


class CheckpointTensor(typing.NamedTuple):
    """A tensor of a checkpoint. `dtype` is torch's name, as "bfloat16"."""
    dtype: str
    shape: list[int]
    slices: list[CheckpointSlice]


class CheckpointProblem(typing.NamedTuple):
    """A fault of a checkpoint. `severity` is "error" or "warning"; `tensor` is "" if the fault concerns a
    file."""
    kind: str
    severity: str
    tensor: str
    sentence: str
    files: list[str]


class CheckpointDifference(typing.NamedTuple):
    """A difference between two checkpoints. Of the kind "values", `count` elements differ, at most by
    `largest`, and `first` is the index of the first one. Otherwise `first` is None, and `largest` is 0."""
    kind: str
    tensor: str
    sentence: str
    files: list[str]
    count: int
    first: list[int] | None
    largest: float


class Checkpoint:
    """A checkpoint of torch.distributed.checkpoint, Megatron (torch_dist) or safetensors: its metadata.

    `format` names the format, `tensors` maps names to tensors, `objects` has the names of values that are
    no tensors, and `problems` what is wrong with the slices."""

    path: str | os.PathLike[str]
    format: str
    tensors: dict[str, CheckpointTensor]
    objects: list[str]
    problems: list[CheckpointProblem]

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = checked_path("checkpoint", path, "a path")
        self._open = _checkpoints.OpenCheckpoint(self.path)
        content = json.loads(self._open.json())
        self.format, self.objects = content["format"], content["objects"]
        self.tensors = {
            tensor["name"]: CheckpointTensor(tensor["dtype"], tensor["shape"], [
                CheckpointSlice(*(part[name] for name in CheckpointSlice._fields)) for part in tensor["slices"]])
            for tensor in content["tensors"]}
        self.problems = [CheckpointProblem(*(problem[name] for name in CheckpointProblem._fields))
                         for problem in content["problems"]]

    def __repr__(self) -> str:
        return f"Checkpoint({str(self.path)!r}, {len(self.tensors)} tensors, {len(self.problems)} problems)"

    def differences(self, other: Checkpoint) -> list[CheckpointDifference]:
        """Compares two checkpoints element by element; their slices may differ. Returns an empty list if
        all tensors are equal."""
        if not isinstance(other, Checkpoint):
            raise TypeError(f"differences: got {other!r}, expected a checkpoint, as checkpoint() returns it")
        return [_difference(found) for found in json.loads(self._open.compare(other._open))["differences"]]


def _difference(found):
    largest = found.get("largest", 0.0)
    return CheckpointDifference(found["kind"], found["tensor"], found["sentence"], found["files"], found.get("count", 0),
                                found.get("first"), float("inf") if largest is None else largest)


def checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Opens and checks a checkpoint: a folder of torch.distributed.checkpoint, or a safetensors file or a
    folder of these. Nothing in a file is executed. Raises FileNotFoundError if it does not exist, and
    ValueError if it is no checkpoint."""
    return Checkpoint(path)
