"""Placements are pickled as dicts of their fields. Pickled and copied placements are equal."""
import copy
import pickle
import unittest

from shardlens import MaskPartial, Partial, Replicate, Shard, StridedShard
from support import PLACEMENTS

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


class Pickle(unittest.TestCase):
    def test_every_protocol(self):
        for placement in PLACEMENTS:
            for protocol in PROTOCOLS:
                with self.subTest(placement, protocol=protocol):
                    again = pickle.loads(pickle.dumps(placement, protocol))
                    self.assertEqual(again, placement)
                    self.assertIs(type(again), type(placement))
                    self.assertEqual(hash(again), hash(placement))

    def test_copies(self):
        for placement in PLACEMENTS:
            self.assertEqual(copy.copy(placement), placement)
            self.assertEqual(copy.deepcopy([placement]), [placement])

    def test_states(self):
        for placement, state in [
                (Replicate(), {}),
                (Shard(1), {"dim": 1}),
                (StridedShard(1, split_factor=2), {"dim": 1, "split_factor": 2}),
                (Partial("avg"), {"reduce_op": "avg"}),
                (Partial("premul_sum", factor=3), {"reduce_op": "premul_sum", "factor": 3}),
                (MaskPartial(offset_shape=[10, 3]),
                 {"reduce_op": "sum", "offset_shape": (10, 3), "offset_dim": 0})]:
            self.assertEqual(placement.__getstate__(), state)

    def test_a_pickle_names_the_package_and_no_module_of_it(self):
        self.assertIn(b"cshardlens\nShard\n", pickle.dumps(Shard(0), 2))

    def test_a_state_is_checked_as_arguments_are(self):
        for kind, state, error in [
                (StridedShard, {"dim": 0, "split_factor": 0}, ValueError),
                (Partial, {"reduce_op": "bogus"}, ValueError),
                (Shard, {}, TypeError),
                (Shard, {"dim": "0"}, TypeError),
                (Shard, {"dim": 0, "unknown": 1}, AttributeError)]:
            with self.subTest(state), self.assertRaises(error):
                kind.__new__(kind).__setstate__(state)

    def test_a_state_given_later_changes_nothing(self):
        shard = Shard(1)
        shard.__setstate__({"dim": 2})
        self.assertEqual(shard, Shard(1))


if __name__ == "__main__":
    unittest.main()
