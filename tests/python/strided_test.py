"""Strided shards: uneven sizes, shard orders, views and in-place operators; unreduced norms."""
import sys
import unittest

try:
    import torch
    from shardlens import init
    from shardlens.tensor import (DTensor, DeviceMesh, NormPartial, Partial, Replicate, Shard,
                                  StridedShard, distribute_tensor)
    from shardlens.tensor.debug import CommDebugMode
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

from support import collectives
from torch import nn

init(ranks=4)
GRID = DeviceMesh("cpu", [[0, 1], [2, 3]])
R, S = Replicate(), Shard


def SS(dim, pieces):
    return StridedShard(dim, split_factor=pieces)


def numbers(*shape):
    return torch.arange(float(torch.Size(shape).numel())).view(shape)


def put(tensor, placements, mesh=GRID):
    return distribute_tensor(tensor, mesh, placements)


def parts(x):
    return [local.tolist() for local in x.to_local().local_tensors]


class Strided(unittest.TestCase):
    def test_uneven_ones_on_a_mesh_of_two_dimensions(self):
        x = put(numbers(7), [SS(0, 2), S(0)])
        self.assertEqual(parts(x), [[0, 1], [4, 5], [2, 3], [6]])
        self.assertEqual(parts(put(numbers(7), [SS(0, 2), SS(0, 3)])),
                         parts(x.redistribute(placements=[SS(0, 2), SS(0, 3)])))
        for rows in (1, 2, 3, 5, 6, 9):
            for placements in ([SS(0, 2), S(0)], [SS(0, 2), S(1)], [S(1), SS(0, 2)], [SS(0, 3), SS(0, 2)]):
                x = put(numbers(rows, 3), placements)
                self.assertEqual(x.full_tensor().tolist(), numbers(rows, 3).tolist(), (rows, placements))

    def test_to_an_order_of_cuts_and_back(self):
        x = put(numbers(8, 4), [SS(0, 2), S(0)])
        there = x.redistribute(placements=[S(0), S(0)])
        again = there.redistribute(placements=[SS(0, 2), S(0)])
        self.assertEqual(parts(there), parts(put(numbers(8, 4), [S(0), S(0)])))
        self.assertEqual(parts(again), parts(x))

    def test_the_outer_cut_is_undone_by_itself(self):
        x = put(numbers(8, 4), [SS(0, 2), S(0)])
        with CommDebugMode() as mode:
            self.assertEqual(x.redistribute(placements=[R, S(0)]).tolist(), numbers(8, 4).tolist())
        self.assertEqual(collectives(mode), {"all_gather": 1})

    def test_impossible_orders_of_sharding(self):
        row = DeviceMesh("cpu", range(4))
        x = put(numbers(16), [SS(0, 2)], row)
        self.assertEqual(parts(x), [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]])
        self.assertEqual(x.redistribute(placements=[S(0)]).tolist(), numbers(16).tolist())

    def test_views_make_them(self):
        x = put(numbers(4, 8), [S(0), S(1)])
        flat = x.view(32)
        self.assertEqual(flat.placements, (S(0), SS(0, 2)))
        self.assertEqual(flat.tolist(), numbers(32).tolist())
        again = flat.view(4, 8)
        self.assertEqual(again.tolist(), numbers(4, 8).tolist())

    def test_an_optimizer_keeps_them(self):
        plain = nn.Parameter(numbers(8, 4))
        sharded = nn.Parameter(put(numbers(8, 4), [SS(0, 2), S(0)]))
        for kind in (torch.optim.SGD, torch.optim.ASGD, torch.optim.Adagrad, torch.optim.Adadelta, torch.optim.Adam,
                     torch.optim.AdamW, torch.optim.Adamax, torch.optim.NAdam, torch.optim.RAdam, torch.optim.RMSprop,
                     torch.optim.Rprop):
            for foreach in (False, True):
                for weight in (plain, sharded):
                    optimizer = kind([weight], lr=0.1, foreach=foreach)
                    for _ in range(2):
                        optimizer.zero_grad()
                        (weight * weight).sum().backward()
                        optimizer.step()
                self.assertEqual(sharded.placements, (SS(0, 2), S(0)))
                self.assertEqual(sharded.grad.placements, (SS(0, 2), S(0)))
                torch.testing.assert_close(sharded.full_tensor(), plain.data)
                for state in optimizer.state[sharded].values():
                    if isinstance(state, DTensor) and state.ndim:
                        self.assertEqual(state.placements, (SS(0, 2), S(0)))

    def test_operators_and_views_keep_them(self):
        x, plain = put(numbers(8, 6), [SS(0, 2), S(0)]), numbers(8, 6)
        for made in (lambda t: t * 2 + t.exp(), lambda t: t.t().contiguous().t(), lambda t: t.unsqueeze(0).squeeze(0),
                     lambda t: t.view(8, 2, 3), lambda t: t.chunk(2, 1)[1], lambda t: t.sum(1, keepdim=True)):
            with CommDebugMode() as mode:
                y = made(x)
            self.assertEqual((y.placements, collectives(mode)), ((SS(0, 2), S(0)), {}))
            torch.testing.assert_close(y.full_tensor(), made(plain))

    def test_operators_in_place_keep_them(self):
        x, plain = put(numbers(7, 2), [SS(0, 2), S(0)]), numbers(7, 2)
        with CommDebugMode() as mode:
            for each in (x, plain):
                each.add_(1).mul_(2).clamp_(3, 20).relu_()
                each += each
                each.index_put_((each.gt(30),), torch.tensor(31.0))
                each.index_put_((each[:, 0].eq(6),), torch.tensor(0.5), accumulate=True)
        self.assertEqual((x.placements, collectives(mode)), ((SS(0, 2), S(0)), {}))
        self.assertEqual(x.tolist(), plain.tolist())
        with CommDebugMode() as mode:
            x.copy_(put(numbers(7, 2), [S(0), S(0)]))
        self.assertEqual((x.placements, x.tolist()), ((SS(0, 2), S(0)), numbers(7, 2).tolist()))
        self.assertTrue(collectives(mode))
        with self.assertRaisesRegex(RuntimeError, r"got a mask of size 6 along dimension 0, expected the 7 of the "
                                                  r"tensor's dimension 0"):
            x.index_put_((put(numbers(6), [R, R]).gt(1),), torch.tensor(3.0))


class Norms(unittest.TestCase):
    def test_a_norm_stays_unreduced_through_views(self):
        x = put(numbers(4, 8), [S(0), S(1)])
        for power in (1, 2, 3.5):
            with CommDebugMode() as mode:
                norm = torch.linalg.vector_norm(x, power).view(1).view(1, 1).squeeze()
            self.assertEqual((norm.placements, collectives(mode)), ((NormPartial(power),) * 2, {}))
            torch.testing.assert_close(norm.full_tensor(), torch.linalg.vector_norm(numbers(4, 8), power))
        largest = torch.linalg.vector_norm(x, float("inf")).view(1, 1)
        self.assertEqual((largest.placements, largest.tolist()), ((Partial("max"),) * 2, [[31]]))

    def test_a_view_merges_dimensions_beside_a_sharded_one(self):
        x = put(numbers(4, 8), [S(0), S(1)])
        norm = torch.linalg.vector_norm(x, 2, dim=1)
        self.assertEqual(norm.placements, (S(0), NormPartial(2)))
        grouped = norm.view(2, 2)
        self.assertEqual(grouped.placements, (S(0), NormPartial(2)))
        torch.testing.assert_close(grouped.full_tensor(),
                                   torch.linalg.vector_norm(numbers(4, 8), 2, dim=1).view(2, 2))

    def test_norms_of_several_stay_unreduced(self):
        tensors = [put(numbers(4, 4), [S(0), S(1)]), put(numbers(5), [R, S(0)]), put(numbers(3), [R, R])]
        with CommDebugMode() as mode:
            norms = torch._foreach_norm(tensors, 2)
        N = NormPartial(2)
        self.assertEqual([norm.placements for norm in norms], [(N, N), (R, N), (R, R)])
        self.assertEqual(collectives(mode), {})
        for norm, size in zip(norms, ((4, 4), (5,), (3,))):
            torch.testing.assert_close(norm.full_tensor(), numbers(*size).norm())

    def test_the_norm_of_all_gradients(self):
        plain = [nn.Parameter(numbers(4, 4)), nn.Parameter(numbers(5))]
        sharded = [nn.Parameter(put(plain[0].data, [S(0), S(1)])), nn.Parameter(put(plain[1].data, [R, S(0)]))]
        totals = []
        for weights in (plain, sharded):
            sum((weight * weight).sum() for weight in weights).backward()
            totals.append(nn.utils.clip_grad_norm_(weights, 1.0))
        torch.testing.assert_close(totals[1].full_tensor(), totals[0])
        for mine, theirs in zip(sharded, plain):
            self.assertEqual(mine.grad.placements, mine.placements)
            torch.testing.assert_close(mine.grad.full_tensor(), theirs.grad)


if __name__ == "__main__":
    unittest.main()
