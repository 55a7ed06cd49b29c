"""Python subclasses of placements, and placements whose constructor was not called."""
import copy
import pickle
import unittest

from shardlens import Partial, Placement, Replicate, Shard


class Diagonal(Placement):
    """A placement that the engine does not know."""

    def __init__(self, offset):
        super().__init__()
        self.offset = offset

    def is_shard(self, dim=None):
        return dim in (None, 0, 1)


class NamedShard(Shard):
    def __init__(self, dim, name):
        super().__init__(dim)
        self.name = name


class Forgetful(Shard):
    def __init__(self):
        pass


class Subclasses(unittest.TestCase):
    def test_a_new_kind_is_no_known_kind_by_default(self):
        placement = Placement()
        self.assertFalse(placement.is_shard() or placement.is_replicate() or placement.is_partial())
        self.assertTrue(Diagonal(1).is_shard(1))
        self.assertFalse(Diagonal(1).is_partial())
        self.assertIn("Diagonal object at", repr(Diagonal(1)))

    def test_a_new_kind_is_equal_to_itself_alone(self):
        one, other = Diagonal(1), Diagonal(1)
        self.assertEqual(one, one)
        self.assertNotEqual(one, other)
        self.assertNotEqual(one, Replicate())
        self.assertEqual(len({one, other, one}), 2)

    def test_a_kind_of_shard_is_a_shard(self):
        named = NamedShard(1, "rows")
        self.assertTrue(named.is_shard(1))
        self.assertEqual((named.dim, named.name, repr(named)), (1, "rows", "Shard(dim=1)"))
        self.assertEqual(named, Shard(1))
        self.assertEqual(hash(named), hash(Shard(1)))

    def test_attributes_of_a_subclass_are_copied_and_pickled(self):
        for again in [copy.copy, copy.deepcopy] + [
                lambda p, n=n: pickle.loads(pickle.dumps(p, n))
                for n in range(pickle.HIGHEST_PROTOCOL + 1)]:
            named = again(NamedShard(1, "rows"))
            self.assertEqual((type(named), named.dim, named.name), (NamedShard, 1, "rows"))
            diagonal = again(Diagonal(3))
            self.assertEqual((type(diagonal), diagonal.offset), (Diagonal, 3))

    def test_a_missing_constructor_call_is_reported(self):
        with self.assertRaisesRegex(TypeError, "must be called when overriding __init__"):
            Forgetful()
        for kind, field in ((Shard, "dim"), (Partial, "reduce_op")):
            empty = kind.__new__(kind)
            self.assertFalse(empty.is_shard() or empty.is_partial())
            self.assertNotEqual(empty, kind.__new__(kind))
            with self.assertRaisesRegex(RuntimeError, "an object whose constructor never ran"):
                getattr(empty, field)


if __name__ == "__main__":
    unittest.main()
