"""The functions of spmd_types that the recorder and typed.py use, for a Python without that package. They check nothing."""
import enum

import torch.distributed as dist


class Kind(enum.Enum):
    R, I, V, P = "R", "I", "V", "P"  # noqa: E741


R, I, V, P = Kind  # noqa: E741


class Layout(list):
    def all_ranks_from_zero(self):
        return list(self)


class MeshAxis:
    def __init__(self, group):
        ranks = dist.get_process_group_ranks(group)
        self.layout = Layout(rank - ranks[0] for rank in ranks)
        self.names = frozenset([group.group_desc])

    def __eq__(self, other):
        return self.layout == other.layout

    def __hash__(self):
        return hash(tuple(self.layout))


class PartitionSpec(tuple):
    def __new__(cls, *entries):
        return super().__new__(cls, entries)


def assert_type(tensor, types, partition_spec=None):
    tensor._types = {MeshAxis(group): kind for group, kind in types.items()}
    tensor._spec = partition_spec and [entry and MeshAxis(entry) for entry in partition_spec]
    return tensor


def get_local_type(tensor):
    return tensor._types


def get_partition_spec(tensor):
    return tensor._spec
