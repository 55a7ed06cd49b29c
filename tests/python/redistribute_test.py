"""Redistribution between all placements: values, collectives, gradients, shard orders."""
import itertools
import json
import math
import os
import sys
import tempfile
import unittest

try:
    import shardlens
    import torch
    from shardlens import init
    from shardlens.tensor import (DTensor, DeviceMesh, Partial, Replicate, Shard, StridedShard,
                                  distribute_tensor, init_device_mesh)
    from shardlens.tensor.debug import CommDebugMode
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

from support import collectives

init(ranks=8)
ROW = DeviceMesh("cpu", range(4))
GRID = DeviceMesh("cpu", [[0, 1], [2, 3]])
CUBE = init_device_mesh("cpu", (2, 2, 2))
R, P = Replicate(), Partial()
S = Shard


def numbers(*shape):
    return torch.arange(math.prod(shape), dtype=torch.float32).view(shape)


def put(tensor, mesh, placements):
    return distribute_tensor(tensor, mesh, placements, src_data_rank=None)


def shard_orders(mesh, dims):
    """Returns all ways to shard a tensor of `dims` dimensions over the mesh, as placements.

    Each assigns to a tensor dimension the mesh dimensions that shard it, in every order."""
    found = []
    for cut in itertools.product(range(-1, dims), repeat=mesh.ndim):
        axes = [[axis for axis in range(mesh.ndim) if cut[axis] == dim] for dim in range(dims)]
        for order in itertools.product(*map(itertools.permutations, axes)):
            placements = [R] * mesh.ndim
            for dim, cuts in enumerate(order):
                for place, axis in enumerate(cuts):
                    # Axes further right that shard before this one leave pieces. This axis splits each.
                    pieces = math.prod(mesh.size(other) for other in cuts[:place] if other > axis)
                    placements[axis] = S(dim) if pieces == 1 else StridedShard(dim, split_factor=pieces)
            found.append(placements)
    return found


class Redistribution(unittest.TestCase):
    def expect(self, shape, mesh, source, target, counts, back=None, gradient=None):
        """Checks that a redistribution keeps the values and runs the collectives `counts`.

        If `back` is given, backward runs these collectives. The gradient then has the
        placements `gradient`, by default those of the source."""
        whole = numbers(*shape)
        x = put(whole, mesh, source).requires_grad_()
        with CommDebugMode() as mode:
            y = x.redistribute(placements=target)
        self.assertEqual((collectives(mode), list(y.placements)), (counts, target))
        self.assertEqual(y.full_tensor().tolist(), whole.tolist())
        if back is None:
            return
        seed = put(whole, mesh, [R if each.is_partial() else each for each in target])
        with CommDebugMode() as mode:
            y.backward(seed)
        self.assertEqual(collectives(mode), back)
        self.assertEqual(list(x.grad.placements), gradient or source)
        self.assertEqual(x.grad.full_tensor().tolist(), whole.tolist())


class OneMeshDimension(Redistribution):
    def test_shard_to_replicate_and_back(self):
        self.expect((8, 3), ROW, [S(0)], [R], {"all_gather": 1}, back={})
        self.expect((3, 8), ROW, [S(1)], [R], {"all_gather": 1}, back={})

    def test_replicate_to_shard_and_back(self):
        self.expect((8, 3), ROW, [R], [S(0)], {}, back={"all_gather": 1})
        self.expect((8, 3), ROW, [R], [R], {}, back={})

    def test_uneven_shards(self):
        for rows in (1, 3, 5, 6, 7):  # some ranks have fewer rows or none
            self.expect((rows, 2), ROW, [S(0)], [R], {"all_gather": 1}, back={})
            self.expect((rows, 2), ROW, [R], [S(0)], {}, back={"all_gather": 1})

    def test_another_dimension(self):
        for shape in ((8, 4), (5, 3)):
            self.expect(shape, ROW, [S(0)], [S(1)], {"all_to_all": 1}, back={"all_to_all": 1})

    def test_partial_to_replicate(self):
        terms = DTensor.from_local(numbers(4, 4), ROW, [P]).requires_grad_()
        for target, kind in (([R], "all_reduce"), ([S(0)], "reduce_scatter"), ([S(1)], "reduce_scatter")):
            with CommDebugMode() as mode:
                whole = terms.redistribute(placements=target)
            self.assertEqual(collectives(mode), {kind: 1})
            self.assertEqual(whole.tolist(), (4 * numbers(4, 4)).tolist())
            terms.grad = None
            whole.backward(put(numbers(4, 4), ROW, target))
            self.assertEqual((terms.grad.placements, terms.grad.tolist()), ((R,), numbers(4, 4).tolist()))

    def test_a_gradient_in_terms_stays_in_terms(self):
        terms = DTensor.from_local(numbers(4, 4), ROW, [P]).requires_grad_()
        with CommDebugMode() as mode:
            terms.redistribute(placements=[P]).backward(DTensor.from_local(numbers(4, 4), ROW, [P]))
        self.assertEqual((mode.get_total_counts(), terms.grad.placements), (0, (P,)))
        self.assertEqual(terms.grad.tolist(), (4 * numbers(4, 4)).tolist())
        terms.grad = None
        terms.redistribute(placements=[P]).backward(DTensor.from_local(numbers(4, 4), ROW, [Partial("max")]))
        self.assertEqual((terms.grad.placements, terms.grad.tolist()), ((R,), numbers(4, 4).tolist()))

    def test_uneven_terms_are_scattered(self):
        terms = DTensor.from_local(numbers(5, 3), ROW, [P])
        for dim in (0, 1):
            self.assertEqual(terms.redistribute(placements=[S(dim)]).tolist(), (4 * numbers(5, 3)).tolist())

    def test_to_terms(self):
        self.expect((4, 4), ROW, [R], [P], {}, back={}, gradient=[R])
        self.expect((4, 4), ROW, [S(0)], [P], {}, back={})
        self.expect((4, 4), ROW, [R], [Partial("avg")], {}, back={}, gradient=[R])

    def test_a_mesh_of_one_rank_sends_nothing(self):
        one = DeviceMesh("cpu", [0])
        for source, target in itertools.permutations([R, S(0), S(1)], 2):
            self.expect((3, 2), one, [source], [target], {}, back={})
        terms = DTensor.from_local(numbers(2), one, [P])
        with CommDebugMode() as mode:
            self.assertEqual(terms.full_tensor().tolist(), [0, 1])
        self.assertEqual(mode.get_total_counts(), 0)

    def test_a_mesh_dimension_of_one_rank_sends_nothing(self):
        mesh = DeviceMesh("cpu", [[0], [1], [2], [3]])
        for source, target in itertools.product([S(1), R, P], [S(0), S(1), R]):
            x = DTensor.from_local(numbers(4, 2), mesh, [S(0), source])
            with CommDebugMode() as mode:
                y = x.redistribute(placements=[S(0), target])
            self.assertEqual((mode.get_total_counts(), y.placements), (0, (S(0), target)))
            self.assertEqual(y.tolist(), numbers(4, 2).tolist() * 4)

    def test_dtypes_on_the_way(self):
        x = put(torch.tensor([1.0, 2.0, 3.0, 1.0 + 2 ** -20]), ROW, [S(0)]).requires_grad_()
        y = x.redistribute(placements=[R], forward_dtype=torch.bfloat16, backward_dtype=torch.float32)
        self.assertEqual((y.dtype, y.tolist()), (torch.bfloat16, [1, 2, 3, 1]))
        y.sum().backward()
        self.assertEqual((x.grad.dtype, x.grad.tolist()), (torch.float32, [1] * 4))

    def test_complex_numbers(self):
        whole = torch.complex(numbers(5, 3), -numbers(5, 3))
        for source, target in itertools.product([R, S(0), S(1)], repeat=2):
            self.assertEqual(put(whole, ROW, [source]).redistribute(placements=[target]).tolist(), whole.tolist())
        terms = DTensor.from_local(whole, ROW, [P])
        for target in (R, S(0), S(1)):
            self.assertEqual(terms.redistribute(placements=[target]).tolist(), (4 * whole).tolist())

    def test_dimensions_counted_from_the_end(self):
        x = put(numbers(8, 3), ROW, [S(-2)])
        self.assertEqual((x.placements, x.redistribute(placements=[S(-1)]).placements), ((S(0),), (S(1),)))

    def test_refusals(self):
        x = put(numbers(4, 4), ROW, [S(0)])
        with self.assertRaisesRegex(RuntimeError, "placements is needed for redistribute"):
            x.redistribute()
        with self.assertRaisesRegex(ValueError, "must have the same length"):
            x.redistribute(placements=[R, R])
        with self.assertRaisesRegex(NotImplementedError, "Cross device mesh comm not supported yet"):
            x.redistribute(GRID, [R, R])


class SeveralMeshDimensions(Redistribution):
    def test_each_by_itself(self):
        everything = [R, S(0), S(1)]
        pairs = [list(pair) for pair in itertools.product(everything, repeat=2)]
        for source, target in itertools.product(pairs, repeat=2):
            x = put(numbers(5, 6), GRID, source)
            self.assertEqual(x.redistribute(placements=target).tolist(), numbers(5, 6).tolist())

    def test_terms_on_some_of_them(self):
        """Each partial mesh dimension has 2 ranks with equal values, so it doubles the result."""
        for mesh, shape in ((GRID, (5, 6)), (CUBE, (5, 3))):
            whole = numbers(*shape)
            sources = itertools.product([R, S(0), S(1), P], repeat=mesh.ndim)
            for source in [source for source in sources if P in source]:
                parts = put(whole, mesh, [R if each == P else each for each in source])
                x = DTensor.from_local(parts.to_local(), mesh, source, shape=shape, stride=whole.stride())
                expected = (2 ** source.count(P) * whole).tolist()
                for target in itertools.product([R, S(0), S(1)], repeat=mesh.ndim):
                    self.assertEqual(x.redistribute(placements=target).tolist(), expected, (source, target))

    def test_to_terms_on_one_of_them(self):
        product = Partial("product")
        for source, target, counts in (
                ([P, S(0)], [P, S(0)], {}),
                ([P, S(0)], [P, S(1)], {"all_to_all": 1}),
                ([S(0), P], [R, P], {"all_gather": 1}),
                ([S(0), product], [R, product], {"all_gather": 1}),
                ([S(0), R], [S(0), P], {}),
                ([S(0), R], [R, P], {"all_gather": 1}),
                ([S(0), S(1)], [R, P], {"all_gather": 1})):  # each part, padded with zeros, is a partial value
            x = DTensor.from_local(numbers(4, 4), GRID, source)
            with CommDebugMode() as mode:
                y = x.redistribute(placements=target)
            self.assertEqual((collectives(mode), list(y.placements)), (counts, target), source)
            self.assertEqual(y.full_tensor().tolist(), x.full_tensor().tolist(), source)
        for source, target, words in (
                ([S(0), product], [R, P], "one partial type .P.product.. to another .P.sum.. is unsupported"),
                ([P, P], [P, Partial("avg")], "one partial type .P.sum.. to another .P.avg.. is unsupported"),
                ([S(0), S(1)], [S(0), Partial("max")], "only Shard to Partial.sum. redistribution is supported")):
            with self.assertRaisesRegex(RuntimeError, words):
                DTensor.from_local(numbers(4, 4), GRID, source).redistribute(placements=target)

    def test_another_dimension_on_some_of_them(self):
        for source, target in (([S(0), S(1)], [S(0), S(0)]), ([S(0), S(1)], [S(1), S(0)]),
                               ([S(0), S(0)], [S(1), S(1)]), ([S(1), S(1)], [S(1), S(0)])):
            for shape in ((8, 8), (8, 5), (5, 8), (5, 5)):
                self.expect(shape, GRID, source, target, {"all_to_all": 1}, back={"all_to_all": 1})
        self.expect((8, 6, 5), GRID, [S(0), S(2)], [S(1), S(0)], {"all_to_all": 1})
        self.expect((8, 6, 5), GRID, [S(1), S(1)], [S(1), S(2)], {"all_to_all": 1})

    def test_another_dimension_on_three(self):
        for source, target, counts in (
                ([S(0), S(0), S(0)], [S(1), S(1), S(1)], {"all_to_all": 2}),
                ([S(0), S(1), S(0)], [S(1), S(0), S(0)], {"all_to_all": 1}),
                ([S(0), S(1), S(2)], [S(2), S(1), S(0)], {"all_to_all": 1}),
                ([S(1), S(0), S(0)], [R, S(0), S(0)], {"all_gather": 1}),
                ([S(1), R, S(0)], [R, S(0), S(0)], {"all_gather": 2}),
                ([S(0), S(0), S(1)], [S(0), S(1), S(2)], {"all_to_all": 1})):
            for shape in ((8, 8, 8), (9, 5, 7)):
                self.expect(shape, CUBE, source, target, counts)

    def test_several_on_one_tensor_dimension(self):
        grid = init_device_mesh("cpu", (2, 4))
        self.expect((16, 16), grid, [S(0), S(0)], [R, R], {"all_gather": 2}, back={})
        self.expect((16, 16), grid, [R, R], [S(0), S(0)], {}, back={"all_gather": 2})
        self.expect((16, 16), grid, [S(0), R], [S(0), S(0)], {}, back={"all_gather": 1})
        self.expect((16, 16), grid, [R, S(0)], [S(0), S(0)], {"all_gather": 1})
        self.expect((11, 3), grid, [S(0), S(0)], [S(1), R], {"all_gather": 1, "all_to_all": 1})

    def test_the_plan_that_costs_least(self):
        # Sharding before gathering sends half the bytes of a plan that gathers first.
        self.expect((16, 16), GRID, [S(0), R], [R, S(1)], {"all_gather": 1}, back={"all_gather": 1})
        self.expect((16, 16), CUBE, [S(0), S(1), R], [R, S(0), S(1)], {"all_gather": 1})
        # Adjacent mesh dimensions can share one collective.
        self.expect((16, 16), CUBE, [S(0)] * 3, [S(1)] * 3, {"all_to_all": 2})

    def test_neighbouring_reductions_are_one(self):
        for source, target, counts, terms in (
                ([P, P, R], [R, R, R], {"all_reduce": 1}, 4),
                ([P, R, P], [R, R, R], {"all_reduce": 1}, 4),
                ([P, P, R], [R, R, S(0)], {"all_reduce": 1}, 4),
                ([Partial("max"), Partial("max"), R], [R, R, R], {"all_reduce": 1}, 1),
                ([P, P, R], [S(0), S(0), R], {"reduce_scatter": 1}, 4),
                ([P, P, R], [S(0), S(1), R], {"reduce_scatter": 1}, 4),
                ([R, P, P], [R, S(0), R], {"reduce_scatter": 1, "all_reduce": 1}, 4),
                ([Partial("avg"), P, R], [R, R, R], {"all_reduce": 1}, 2),  # summed, then divided
                ([P, Partial("avg"), R], [S(0), S(0), R], {"reduce_scatter": 1}, 2)):
            x = DTensor.from_local(numbers(16, 16), CUBE, source)
            with CommDebugMode() as mode:
                y = x.redistribute(placements=target)
            self.assertEqual(collectives(mode), counts, source)
            self.assertEqual(y.tolist(), (terms * numbers(16, 16)).tolist(), source)

    def test_uneven_ones_are_gathered_exactly(self):
        # DTensor 2.15 flattens this into one all_gather and returns the rows out of order.
        self.expect((5, 3), GRID, [S(0), S(0)], [R, R], {"all_gather": 1})
        self.expect((7, 3), CUBE, [S(0)] * 3, [R] * 3, {"all_gather": 2})


class ShardOrders(unittest.TestCase):
    def test_there_are_as_many_as_there_should_be(self):
        self.assertEqual(len(shard_orders(GRID, 2)), 11)
        self.assertEqual(len(shard_orders(CUBE, 1)), 16)

    def test_a_strided_shard_is_an_order(self):
        x = put(numbers(8), GRID, [StridedShard(0, split_factor=2), S(0)])
        self.assertEqual([local.tolist() for local in x.to_local().local_tensors],
                         [[0, 1], [4, 5], [2, 3], [6, 7]])  # sharded by the inner mesh dimension first
        y = put(numbers(8), GRID, [S(0), S(0)])
        self.assertEqual([local.tolist() for local in y.to_local().local_tensors],
                         [[0, 1], [2, 3], [4, 5], [6, 7]])
        with CommDebugMode() as mode:
            self.assertEqual(x.redistribute(placements=[S(0), S(0)]).placements, (S(0), S(0)))
        self.assertEqual(collectives(mode), {"all_to_all": 1})

    def test_tensors_are_distributed_in_every_order(self):
        for mesh, shape in ((GRID, (5, 4)), (CUBE, (9, 8)), (CUBE, (8,)), (CUBE, (3, 5, 2)), (GRID, (3, 2, 5, 1))):
            for placements in shard_orders(mesh, len(shape)):
                for sent in (0, None):
                    x = distribute_tensor(numbers(*shape), mesh, placements, src_data_rank=sent)
                    self.assertEqual(x.full_tensor().tolist(), numbers(*shape).tolist(), placements)

    def test_no_way_over_a_third_order_costs_less(self):
        orders = [order for order in shard_orders(GRID, 2) if R not in order]  # sharded by every mesh dimension
        self.assertEqual(len(orders), 6)
        pairs = [pair for pair in itertools.product(range(len(orders)), repeat=2) if pair[0] != pair[1]]
        for shape in ((16, 8), (13, 5)):
            laid = [put(numbers(*shape), GRID, order) for order in orders]
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.shardlens")
                with shardlens.record(path, values="none"):
                    for source, target in pairs:
                        laid[source].redistribute(placements=orders[target])
                plans = shardlens.open(path).sql("SELECT detail FROM events WHERE kind = 'Plan' ORDER BY id")
            self.assertEqual(len(plans), len(pairs))
            cost = {(each, each): 0.0 for each in range(len(orders))}
            for pair, plan in zip(pairs, plans):
                cost[pair] = sum(step["microseconds"] for step in json.loads(plan.detail))
            self.assertGreater(min(cost[pair] for pair in pairs), 0)
            for source, between, target in itertools.product(range(len(orders)), repeat=3):
                self.assertLessEqual(cost[source, target], cost[source, between] + cost[between, target] + 1e-3,
                                     [orders[each] for each in (source, between, target)])

    def test_every_order_goes_to_every_other(self):
        for mesh, shape in ((GRID, (6, 4)), (GRID, (5, 3)), (CUBE, (9,))):
            orders = shard_orders(mesh, len(shape))
            for source, target in itertools.product(orders, repeat=2):
                x = put(numbers(*shape), mesh, source).redistribute(placements=target)
                self.assertEqual(list(x.placements), target)
                expected = put(numbers(*shape), mesh, target)
                self.assertEqual(repr(x.to_local()), repr(expected.to_local()), (source, target))


if __name__ == "__main__":
    unittest.main()
