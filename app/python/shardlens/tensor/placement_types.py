"""torch.distributed.tensor.placement_types: the classes of placements."""
from .._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                           StridedShard)

_Partial = Partial  # the former name
_StridedShard = StridedShard
_MaskPartial = MaskPartial
_NormPartial = NormPartial

__all__ = ["MaskPartial", "NormPartial", "Partial", "Placement", "Replicate", "Shard", "StridedShard"]
