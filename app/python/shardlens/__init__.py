"""DTensor's placements, as Shardlens has them."""
from ._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                          StridedShard, parse_placement)

__all__ = ["MaskPartial", "NormPartial", "Partial", "Placement", "Replicate", "Shard",
           "StridedShard", "parse_placement"]
