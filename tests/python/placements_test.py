"""Placements: their text and predicates, equality, and the arguments they refuse."""
import ast
import pathlib
import unittest

import shardlens
from shardlens import (MaskPartial, NormPartial, Partial, Placement, Replicate, Shard,
                       StridedShard, parse_placement)
from support import PLACEMENTS, WRITTEN


class Placements(unittest.TestCase):
    def test_text(self):
        for placement, short, long in WRITTEN:
            self.assertEqual((str(placement), repr(placement)), (short, long))

    def test_text_is_read_back_as_the_same_class(self):
        for placement in PLACEMENTS:
            read = parse_placement(str(placement))
            self.assertEqual(read, placement)
            self.assertIs(type(read), type(placement))
        self.assertEqual(parse_placement("SS(0, 2)"), StridedShard(0, split_factor=2))

    def test_classes(self):
        for placement in PLACEMENTS:
            self.assertIsInstance(placement, Placement)
            self.assertEqual(type(placement).__module__, "shardlens")
        self.assertNotIsInstance(StridedShard(0, split_factor=2), Shard)
        self.assertIsInstance(MaskPartial(offset_shape=[4]), Partial)
        self.assertIsInstance(NormPartial(), Partial)

    def test_predicates(self):
        for placement in PLACEMENTS:
            with self.subTest(placement):
                self.assertEqual(placement.is_shard(), isinstance(placement, Shard))
                self.assertEqual(placement.is_replicate(), isinstance(placement, Replicate))
                self.assertEqual(placement.is_partial(), isinstance(placement, Partial))

    def test_predicates_of_one_dimension_or_operation(self):
        self.assertTrue(Shard(1).is_shard(1))
        self.assertTrue(Shard(1).is_shard(dim=None))
        self.assertFalse(Shard(1).is_shard(dim=0))
        self.assertFalse(Shard(1).is_shard(2**40 + 1))
        self.assertFalse(StridedShard(1, split_factor=2).is_shard(1))
        self.assertTrue(Partial("avg").is_partial("avg"))
        self.assertFalse(Partial("avg").is_partial(reduce_op="sum"))
        self.assertTrue(NormPartial().is_partial("sum"))
        self.assertTrue(MaskPartial("max", offset_shape=[4]).is_partial("max"))

    def test_fields_are_read_only(self):
        strided = StridedShard(1, split_factor=2)
        masked = MaskPartial("max", offset_shape=[10, 3], offset_dim=1)
        for placement, fields in [
                (Shard(1), {"dim": 1}),
                (strided, {"dim": 1, "split_factor": 2}),
                (Partial(), {"reduce_op": "sum", "factor": 1}),
                (Partial("premul_sum", factor=0.5), {"reduce_op": "premul_sum", "factor": 0.5}),
                (NormPartial(3), {"reduce_op": "sum", "norm_type": 3}),
                (masked, {"reduce_op": "max", "offset_shape": (10, 3), "offset_dim": 1})]:
            for name, value in fields.items():
                self.assertEqual(getattr(placement, name), value)
                with self.assertRaisesRegex(AttributeError, "no setter|can't set"):
                    setattr(placement, name, value)
            with self.assertRaises(AttributeError):
                placement.another = 1

    def test_the_chunk_of_a_rank(self):
        self.assertEqual([Shard.local_shard_size_and_offset(5, 4, rank) for rank in range(4)],
                         [(2, 0), (2, 2), (1, 4), (0, 5)])
        for size, chunks, rank in ((4, 2, 2), (4, 2, -1), (4, 0, 0), (-1, 2, 0)):
            with self.assertRaisesRegex(ValueError, f"got rank {rank} of {chunks} chunks of {size}, expected"):
                Shard.local_shard_size_and_offset(size, chunks, rank)

    def test_a_dimension_is_a_number(self):
        for make, what in ((lambda: Shard("a"), "Shard: dim: got 'a'"),
                           (lambda: Shard(1.0), "Shard: dim: got 1.0"),
                           (lambda: Shard(None), "Shard: dim: got None"),
                           (lambda: StridedShard("a", split_factor=2), "StridedShard: dim: got 'a'"),
                           (lambda: StridedShard(0, split_factor=None), "StridedShard: split_factor: got None")):
            with self.assertRaisesRegex(TypeError, f"^{what}, expected a whole number$"):
                make()

    def test_equality_and_hash(self):
        for i, placement in enumerate(PLACEMENTS):
            for j, other in enumerate(PLACEMENTS):
                self.assertEqual(placement == other, i == j, (placement, other))
            same = parse_placement(str(placement))
            self.assertEqual(hash(same), hash(placement))
            self.assertFalse(same != placement)
            self.assertNotEqual(placement, str(placement))
        self.assertEqual(len(set(PLACEMENTS + PLACEMENTS)), len(PLACEMENTS))

    def test_the_stub_matches_the_classes(self):
        stub = pathlib.Path(shardlens.__file__).with_name("_placements.pyi").read_text("utf-8")
        classes = {node.name: {item.target.id if isinstance(item, ast.AnnAssign) else item.name
                               for item in node.body if hasattr(item, "name") or hasattr(item, "target")}
                   for node in ast.parse(stub).body if isinstance(node, ast.ClassDef)}
        for name, items in classes.items():
            with self.subTest(name):
                public = {item for item in vars(getattr(shardlens, name)) if item[0] != "_"}
                self.assertEqual({item for item in items if item[0] != "_"}, public)
        self.assertEqual({*classes, "parse_placement"},
                         {name for name in vars(shardlens._placements) if name[0] != "_"})


class Refusals(unittest.TestCase):
    def refuses(self, message, make, *args, **named):
        with self.assertRaises(ValueError) as raised:
            make(*args, **named)
        self.assertEqual(str(raised.exception), message)

    def test_numbers(self):
        self.refuses("Shard: dim is 1099511627776, expected a number from -2147483648 to "
                     "2147483647", Shard, 2**40)
        for factor in (0, -2):
            self.refuses(f"StridedShard: split_factor is {factor}, expected a number from 1 to "
                         "2147483647", StridedShard, 0, split_factor=factor)
        self.refuses("NormPartial: norm_type is nan, expected the p of a p-norm",
                     NormPartial, float("nan"))

    def test_reduce_ops(self):
        known = "expected sum, avg, min, max, product, band, bor, bxor or premul_sum"
        self.refuses(f"Partial: unrecognized reduce op 'bogus', {known}", Partial, "bogus")
        self.refuses(f"MaskPartial: unrecognized reduce op '', {known}",
                     MaskPartial, "", offset_shape=[4])

    def test_factors(self):
        self.refuses("Partial: factor is not given, expected a number for premul_sum",
                     Partial, "premul_sum")
        self.refuses("Partial: factor is nan, expected a number for premul_sum",
                     Partial, "premul_sum", factor=float("nan"))
        self.refuses("Partial: got a factor for avg, expected one for premul_sum only",
                     Partial, "avg", factor=1)
        self.refuses("Partial: got a factor for sum, expected one for premul_sum only",
                     Partial, factor=0.5)

    def test_tables(self):
        self.refuses("offset_shape needs to be set for _MaskPartial", MaskPartial)
        self.refuses("MaskPartial: offset_shape is [10, -3], expected sizes of 0 or more",
                     MaskPartial, offset_shape=[10, -3])
        for dim in (2, -1, 2**40):
            self.refuses(f"MaskPartial: offset_dim is {dim}, expected a dimension of [10, 3]",
                         MaskPartial, offset_shape=[10, 3], offset_dim=dim)

    def test_texts(self):
        self.refuses("placement 'MaskP(sum, [10, 3], 2)': dimension 2 is not one of [10, 3]",
                     parse_placement, "MaskP(sum, [10, 3], 2)")
        with self.assertRaisesRegex(ValueError, "^unknown placement 'S', expected R, S"):
            parse_placement("S")

    def test_other_types_and_ways_to_call(self):
        for make in (lambda: Shard(), lambda: StridedShard(0), lambda: StridedShard(0, 2), lambda: Replicate(0),
                     lambda: Partial(1), lambda: Partial("premul_sum", 0.5),
                     lambda: MaskPartial("sum", [4]), lambda: MaskPartial(offset_shape=4)):
            with self.assertRaisesRegex(TypeError, "incompatible constructor arguments"):
                make()


if __name__ == "__main__":
    unittest.main()
