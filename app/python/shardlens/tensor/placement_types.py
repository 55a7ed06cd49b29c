"""torch.distributed.tensor.placement_types by its name."""
from .._placements import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                           StridedShard)

_Partial = Partial  # as it was called before
_StridedShard = StridedShard
_MaskPartial = MaskPartial
_NormPartial = NormPartial

__all__ = ["MaskPartial", "NormPartial", "Partial", "Placement", "Replicate", "Shard", "StridedShard"]
