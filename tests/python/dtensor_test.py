"""Placements compared with DTensor's: same text, same results of methods, same pickled states."""
import itertools
import sys
import unittest

import shardlens as ours

try:
    import torch
    from torch.distributed.tensor import Partial, Placement, Replicate, Shard
    from torch.distributed.tensor._ops._math_ops import _NormPartial
    from torch.distributed.tensor.placement_types import _MaskPartial, _StridedShard
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

TABLE = torch.Size([10, 3])
PAIRS = [
    (ours.Replicate(), Replicate()),
    (ours.Shard(0), Shard(0)),
    (ours.Shard(-1), Shard(-1)),
    (ours.StridedShard(0, split_factor=1), _StridedShard(0, split_factor=1)),
    (ours.StridedShard(0, split_factor=2), _StridedShard(0, split_factor=2)),
    *((ours.Partial(op), Partial(op)) for op in (None, "avg", "min", "max", "product", "band")),
    (ours.NormPartial(), _NormPartial(2)),
    (ours.NormPartial(3.5), _NormPartial(3.5)),
    (ours.NormPartial(float("inf")), _NormPartial(float("inf"))),
    (ours.MaskPartial(offset_shape=TABLE), _MaskPartial(offset_shape=TABLE)),
    (ours.MaskPartial("max", offset_shape=TABLE, offset_dim=1),
     _MaskPartial("max", offset_shape=TABLE, offset_dim=1)),
]


class BesideDTensor(unittest.TestCase):
    def test_text(self):
        for mine, theirs in PAIRS:
            self.assertEqual((str(mine), repr(mine)), (str(theirs), repr(theirs)))
            self.assertEqual(ours.parse_placement(str(theirs)), mine)

    def test_predicates(self):
        for mine, theirs in PAIRS:
            with self.subTest(mine):
                for dim in (None, 0, 1, -1):
                    self.assertEqual(mine.is_shard(dim), theirs.is_shard(dim))
                for op in (None, "sum", "avg", "bogus"):
                    self.assertEqual(mine.is_partial(op), theirs.is_partial(op))
                self.assertEqual(mine.is_replicate(), theirs.is_replicate())
        self.assertEqual(ours.Placement().is_shard(), Placement().is_shard())

    def test_equality(self):
        for (mine, theirs), (other, theirs_too) in itertools.product(PAIRS, PAIRS):
            self.assertEqual(mine == other, theirs == theirs_too, (mine, other))
            self.assertNotEqual(mine, theirs_too)

    def test_classes_stand_above_each_other_alike(self):
        named = {"StridedShard": _StridedShard, "NormPartial": _NormPartial,
                 "MaskPartial": _MaskPartial, "Placement": Placement, "Replicate": Replicate,
                 "Shard": Shard, "Partial": Partial}
        for name, above in itertools.product(named, named):
            self.assertEqual(issubclass(getattr(ours, name), getattr(ours, above)),
                             issubclass(named[name], named[above]), (name, above))

    def test_states(self):
        # The states of DTensor's norm and mask placements omit the fields they add to Partial.
        for mine, theirs in PAIRS:
            if not isinstance(theirs, (_NormPartial, _MaskPartial)):
                self.assertEqual(mine.__getstate__(), theirs.__getstate__())


if __name__ == "__main__":
    unittest.main()
