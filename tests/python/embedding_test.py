"""Lookups in sharded tables: placements, collectives, values and gradients."""
import sys
import unittest

try:
    import torch
    from shardlens.tensor import (MaskPartial, Partial, Replicate, Shard, distribute_tensor,
                                  init_device_mesh)
    from shardlens.tensor.debug import CommDebugMode
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

from support import collectives
from torch.nn import functional

ROW = init_device_mesh("cpu", (4,))
IDS = torch.tensor([[0, 7, 3], [2, 2, 5]])


def table():
    return torch.arange(48.).view(8, 6)


def put(tensor, placement):
    """Distributes a tensor that all ranks already have, so nothing is sent."""
    return distribute_tensor(tensor, ROW, [placement], src_data_rank=None)


class Embeddings(unittest.TestCase):
    def expect(self, cut, pending, forward, backward, rows=8):
        """Checks a lookup in a table with placement `cut`.

        The result has placement `pending`. Gathering it runs the collectives `forward`. The
        gradient gets the placement of the table with the collectives `backward`."""
        whole = table()[:rows].clone().requires_grad_()
        sharded = put(whole.detach(), cut).requires_grad_()
        ids = IDS % rows
        with CommDebugMode() as mode:
            found = functional.embedding(put(ids, Replicate()), sharded)
            self.assertEqual((found.placements[0], collectives(mode)), (pending, {}))
            found = found.redistribute(placements=[Replicate()])
            self.assertEqual(collectives(mode), forward)
        expected = functional.embedding(ids, whole)
        self.assertEqual(found.tolist(), expected.tolist())
        weights = torch.arange(36.).view(2, 3, 6)
        with CommDebugMode() as mode:
            (found * put(weights, Replicate())).sum().backward()
        self.assertEqual(collectives(mode), backward)
        (expected * weights).sum().backward()
        self.assertEqual((sharded.grad.placements, sharded.grad.tolist()), ((cut,), whole.grad.tolist()))

    def test_row_wise(self):
        pending = MaskPartial(offset_shape=(8, 6))
        self.expect(Shard(0), pending, {"all_reduce": 1}, {})

    def test_row_wise_where_ranks_have_no_rows(self):
        self.expect(Shard(0), MaskPartial(offset_shape=(5, 6)), {"all_reduce": 1}, {}, rows=5)

    def test_column_wise(self):
        self.expect(Shard(1), Shard(2), {"all_gather": 1}, {})

    def test_a_padding_id_gets_no_gradient(self):
        for cut in (Shard(0), Shard(1)):
            for rows in (8, 7, 5):
                sharded, whole = put(table()[:rows], cut).requires_grad_(), table()[:rows].requires_grad_()
                ids = IDS % rows
                for weight, words in ((sharded, put(ids, Replicate())), (whole, ids)):
                    functional.embedding(words, weight, padding_idx=2).sum().backward()
                self.assertEqual(sharded.grad.tolist(), whole.grad.tolist())
                self.assertEqual((whole.grad[2].tolist(), whole.grad[3].tolist()), ([0] * 6, [1] * 6))

    def test_a_result_that_is_scattered_is_reduced_at_once(self):
        found = functional.embedding(put(IDS, Replicate()), put(table(), Shard(0)))
        with CommDebugMode() as mode:
            scattered = found.redistribute(placements=[Shard(0)])
        self.assertEqual(collectives(mode), {"reduce_scatter": 1})
        self.assertEqual(scattered.tolist(), functional.embedding(IDS, table()).tolist())

    def test_two_row_wise_at_once(self):
        for other in (IDS, IDS.flip(0)):  # the same ids, and different ones of the same shape
            sharded = put(table(), Shard(0))
            found = [functional.embedding(put(ids, Replicate()), sharded) for ids in (IDS, other)]
            with CommDebugMode() as mode:
                total = (found[0] + found[1]).redistribute(placements=[Replicate()])
            self.assertEqual(collectives(mode), {"all_reduce": 1})
            expected = [functional.embedding(ids, table()) for ids in (IDS, other)]
            self.assertEqual(total.tolist(), (expected[0] + expected[1]).tolist())
            self.assertEqual([each.full_tensor().tolist() for each in found],  # also each one separately
                             [each.tolist() for each in expected])

    def test_tables_of_different_widths_at_once(self):
        wide = torch.arange(80.).view(8, 10)
        found = [functional.embedding(put(IDS, Replicate()), put(each, Shard(0))) for each in (table(), wide)]
        for result, each in zip(reversed(found), (wide, table())):  # the second is reduced first
            self.assertEqual(result.full_tensor().tolist(), functional.embedding(IDS, each).tolist())

    def test_a_pending_result_is_reduced_twice(self):
        found = functional.embedding(put(IDS, Replicate()), put(table(), Shard(0)))
        first, second = found.full_tensor(), found.full_tensor()
        self.assertEqual(first.tolist(), second.tolist())

    def test_a_largest_norm(self):
        for cut in (Shard(1), Shard(0)):
            whole, sharded = table(), put(table(), cut)
            found = functional.embedding(put(IDS, Replicate()), sharded, max_norm=10.0)
            torch.testing.assert_close(found.full_tensor(), functional.embedding(IDS, whole, max_norm=10.0))
            torch.testing.assert_close(sharded.full_tensor(), whole)  # max_norm changed the looked-up rows
            self.assertEqual(sharded.placements, (cut,))
            self.assertEqual(whole[1].tolist(), table()[1].tolist())

    def test_ids_that_are_sharded(self):
        ids = torch.tensor([0, 7, 3, 2, 2, 5, 1, 6])
        found = functional.embedding(put(ids, Shard(0)), put(table(), Replicate()))
        self.assertEqual(found.placements, (Shard(0),))
        self.assertEqual(found.tolist(), functional.embedding(ids, table()).tolist())

    def test_ids_out_of_range_are_refused_on_all(self):
        with self.assertRaisesRegex(RuntimeError, "index 8 at position .1. of the ids is out of range, expected 0 to 7"):
            functional.embedding(put(torch.tensor([1, 8]), Replicate()), put(table(), Shard(0))).full_tensor()

    def test_an_output_layer_that_is_the_same_table(self):
        sharded = put(table(), Shard(0)).requires_grad_()
        whole = table().requires_grad_()
        for weight, ids in ((sharded, put(IDS, Replicate())), (whole, IDS)):
            words = functional.embedding(ids, weight)
            if weight is sharded:
                words = words.redistribute(placements=[Replicate()])
            logits = functional.linear(words, weight)
            logits.pow(2).sum().backward()
        self.assertEqual(logits.shape, (2, 3, 8))
        torch.testing.assert_close(sharded.grad.full_tensor(), whole.grad)
        self.assertIn(sharded.grad.placements[0], (Shard(0), Partial()))


if __name__ == "__main__":
    unittest.main()
