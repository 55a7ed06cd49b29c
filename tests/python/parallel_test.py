"""PyTorch's tensor-parallel styles and the debug tools with the engine's sharded tensors."""
import contextlib
import copy
import io
import sys
import unittest

try:
    import torch
    from shardlens.tensor import (DTensor, LocalTensor, Replicate, Shard, distribute_tensor,
                                  init_device_mesh)
    from shardlens.tensor.debug import CommDebugMode, visualize_sharding
    from shardlens.tensor.experimental import implicit_replication, local_map
    from shardlens.tensor.parallel import (ColwiseParallel, PrepareModuleInput, PrepareModuleOutput,
                                           RowwiseParallel, SequenceParallel, loss_parallel,
                                           parallelize_module)
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

from support import collectives
from torch import nn
from torch.nn import functional

MESH = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))


class Styles(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def test_columns_then_rows_reduce_once(self):
        plain = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 6))
        sharded = parallelize_module(copy.deepcopy(plain), MESH,
                                     {"0": ColwiseParallel(), "2": RowwiseParallel()})
        self.assertEqual([sharded[0].weight.placements, sharded[0].bias.placements,
                          sharded[2].weight.placements, sharded[2].bias.placements],
                         [(Shard(0),), (Shard(0),), (Shard(1),), (Replicate(),)])
        x = torch.randn(3, 6)
        with CommDebugMode() as mode:
            y = sharded(x)
        self.assertEqual(collectives(mode), {"all_reduce": 1})
        self.assertNotIsInstance(y, DTensor)
        torch.testing.assert_close(y, plain(x))
        y.pow(2).sum().backward()
        plain(x).pow(2).sum().backward()
        for mine, theirs in zip(sharded.parameters(), plain.parameters()):
            torch.testing.assert_close(mine.grad.full_tensor(), theirs.grad)

    def test_a_local_output_is_each_ranks_own(self):
        layer = parallelize_module(nn.Linear(6, 8, bias=False), MESH, ColwiseParallel())
        y = layer(torch.ones(2, 6))
        self.assertIsInstance(y, LocalTensor)
        self.assertEqual([local.shape for local in y.local_tensors], [(2, 2)] * 4)

    def test_embeddings_and_norms(self):
        plain = nn.Sequential(nn.Embedding(8, 4), nn.LayerNorm(4))
        for style in (RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1),
                                      use_local_output=False),
                      ColwiseParallel(output_layouts=Shard(1), use_local_output=False)):
            sharded = parallelize_module(copy.deepcopy(plain), MESH,
                                         {"0": style, "1": SequenceParallel()})
            ids = torch.randint(8, (2, 8))
            y = sharded(ids)
            self.assertEqual(y.placements, (Shard(1),))
            torch.testing.assert_close(y.full_tensor(), plain(ids))

    def test_inputs_and_outputs_are_laid_out(self):
        layer = parallelize_module(nn.Identity(), MESH, PrepareModuleInput(
            input_layouts=Shard(0), desired_input_layouts=Replicate()))
        self.assertEqual(layer(torch.ones(1, 2)).shape, (4, 2))
        layer = parallelize_module(nn.Identity(), MESH, PrepareModuleOutput(
            output_layouts=Replicate(), desired_output_layouts=Shard(0), use_local_output=False))
        self.assertEqual(layer(torch.ones(4, 2)).placements, (Shard(0),))

    def test_refusals(self):
        with self.assertRaisesRegex(NotImplementedError, "only support nn.Linear and nn.Embedding"):
            parallelize_module(nn.ReLU(), MESH, ColwiseParallel())
        with self.assertWarnsRegex(UserWarning, "no submodule matching token 'nowhere'"):
            parallelize_module(nn.Sequential(), MESH, {"nowhere": ColwiseParallel()})

    def test_a_loss_takes_plain_targets_and_weights(self):
        for shape, target in (((3, 8), torch.tensor([1, 7, 4])), ((3, 8, 2), torch.randint(8, (3, 2)))):
            logits, weight = torch.randn(shape), torch.rand(8)
            x = distribute_tensor(logits, MESH, [Shard(1)]).requires_grad_()
            whole = logits.clone().requires_grad_()
            for reduction in ("none", "mean", "sum"):
                with loss_parallel():
                    loss = functional.cross_entropy(x, target, weight, reduction=reduction)
                    loss.sum().backward()
                plain = functional.cross_entropy(whole, target, weight, reduction=reduction)
                plain.sum().backward()
                torch.testing.assert_close(loss.full_tensor(), plain)
                torch.testing.assert_close(x.grad.full_tensor(), whole.grad)
            with loss_parallel(), self.assertRaisesRegex(RuntimeError, "got mixed torch.Tensor and DTensor"):
                x + logits

    def test_a_loss_over_classes_gathers_nothing(self):
        logits, target = torch.randn(3, 8), torch.tensor([1, 7, 4])
        x = distribute_tensor(logits, MESH, [Shard(1)]).requires_grad_()
        whole = logits.clone().requires_grad_()
        classes = distribute_tensor(target, MESH)
        with CommDebugMode() as mode, loss_parallel():
            loss = functional.cross_entropy(x, classes)
            loss.backward()
        self.assertEqual(set(collectives(mode)), {"all_reduce"})
        plain = functional.cross_entropy(whole, target)
        plain.backward()
        torch.testing.assert_close(loss.full_tensor(), plain)
        self.assertEqual(x.grad.placements, (Shard(1),))
        torch.testing.assert_close(x.grad.full_tensor(), whole.grad)


class Experimental(unittest.TestCase):
    def test_plain_tensors_are_replicated(self):
        plain = torch.arange(8.).view(4, 2).requires_grad_()
        x = distribute_tensor(torch.ones(4, 2), MESH, [Shard(0)])
        with implicit_replication():
            y = x * plain + x
        self.assertEqual((y.placements, y.tolist()), ((Shard(0),), (plain + 1).tolist()))
        y.sum().full_tensor().backward()
        self.assertEqual(plain.grad.tolist(), [[1, 1]] * 4)
        with self.assertRaisesRegex(RuntimeError, "got mixed torch.Tensor and DTensor"):
            x * plain

    def test_a_function_of_local_tensors(self):
        double = local_map(lambda local: local * 2, out_placements=[Shard(0)], in_placements=([Shard(0)],),
                           device_mesh=MESH)
        y = double(distribute_tensor(torch.arange(8.), MESH, [Shard(0)]))
        self.assertEqual((y.placements, y.tolist()), ((Shard(0),), [0, 2, 4, 6, 8, 10, 12, 14]))


class Debug(unittest.TestCase):
    def test_counts_have_the_names_of_torchs_operators(self):
        x = distribute_tensor(torch.ones(8, 4), MESH, [Shard(0)])
        with CommDebugMode() as mode:
            x.full_tensor()
            x.redistribute(placements=[Shard(1)])
            x.sum().full_tensor()
        counts = mode.get_comm_counts()
        functional_ops = torch.ops.c10d_functional
        self.assertEqual(counts, {functional_ops.all_gather_into_tensor: 1, functional_ops.all_reduce: 1,
                                  torch.ops._dtensor.shard_dim_alltoall: 1})
        self.assertEqual((counts[functional_ops.reduce_scatter_tensor], mode.get_total_counts()), (0, 3))

    def test_counts_are_of_the_block_alone(self):
        x = distribute_tensor(torch.ones(4), MESH, [Shard(0)])
        x.full_tensor()
        with CommDebugMode() as mode:
            self.assertEqual(mode.get_total_counts(), 0)
            x.full_tensor()
            self.assertEqual(mode.get_total_counts(), 1)
        x.full_tensor()
        self.assertEqual(collectives(mode), {"all_gather": 1})

    def test_where_parts_lie_is_printed(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            visualize_sharding(distribute_tensor(torch.ones(5, 3), MESH, [Shard(0)]), "x")
        self.assertEqual(printed.getvalue(), "x\nrank 0: [0:2, 0:3]\nrank 1: [2:4, 0:3]\n"
                                             "rank 2: [4:5, 0:3]\nrank 3: empty\n")
        with self.assertRaisesRegex(RuntimeError, "only 1D or 2D"):
            visualize_sharding(distribute_tensor(torch.ones(1, 1, 1), MESH))


if __name__ == "__main__":
    unittest.main()
