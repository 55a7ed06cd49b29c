"""Programs with sharded tensors: activation checkpoints, mixed precision, copies, hooks, notebooks;
and the operations that are refused."""
import copy
import io
import os
import sys
import tempfile
import unittest

try:
    import shardlens
    import torch
    from shardlens import init
    from shardlens.tensor import (DTensor, Replicate, Shard, distribute_module, distribute_tensor,
                                  init_device_mesh)
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

init(ranks=4)
MESH = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
BATCH = [Shard(0), Replicate()]


def put(tensor, placements=None):
    return distribute_tensor(tensor, MESH, placements)


def numbers(*shape):
    return torch.arange(float(torch.Size(shape).numel())).view(shape) / 8


class Training(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.plain = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
        self.sharded = distribute_module(copy.deepcopy(self.plain), MESH, self.cut)

    @staticmethod
    def cut(name, module, mesh):
        for key, value in list(module._parameters.items()):
            module._parameters[key] = nn.Parameter(put(value.data, [Replicate(), Shard(0)]))

    def test_activation_checkpointing_gives_the_same_gradients(self):
        for reentrant in (False, True):
            for model, x in ((self.plain, numbers(8, 4)), (self.sharded, put(numbers(8, 4), BATCH))):
                model.zero_grad()
                x.requires_grad_()
                checkpoint(model, x, use_reentrant=reentrant).pow(2).sum().backward()
            for mine, theirs in zip(self.sharded.parameters(), self.plain.parameters()):
                torch.testing.assert_close(mine.grad.full_tensor(), theirs.grad)

    def test_a_checkpoint_drops_the_same_elements_again(self):
        x = put(torch.ones(8, 8), BATCH).requires_grad_()
        y = checkpoint(lambda each: functional.dropout(each, 0.5), x, use_reentrant=False)
        y.sum().backward()
        self.assertTrue(0 < y.sum().item() < 128)
        self.assertEqual(x.grad.tolist(), y.tolist())

    def test_gradients_that_are_not_finite_skip_a_step(self):
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
        weight = nn.Parameter(put(torch.ones(4, 4), BATCH))
        sgd = torch.optim.SGD([weight], lr=0.1)
        for factor, value, scale in ((2.0, 0.8, 8.0), (float("inf"), 0.8, 4.0)):
            sgd.zero_grad()
            scaler.scale((weight * factor).sum()).backward()
            scaler.step(sgd)
            scaler.update()
            torch.testing.assert_close(weight.full_tensor(), torch.full((4, 4), value))
            self.assertEqual(scaler.get_scale(), scale)

    def test_autocast_chooses_the_dtypes_that_it_does_on_plain_tensors(self):
        found = []
        for model, x in ((self.plain, numbers(8, 4)), (self.sharded, put(numbers(8, 4), BATCH))):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = model(x)
                loss = functional.mse_loss(y, torch.zeros_like(y))
            loss.backward()
            found.append((y, loss, model[0].weight.grad, model[2].bias.grad))
        for theirs, mine in zip(*found):
            self.assertEqual(mine.dtype, theirs.dtype)
            torch.testing.assert_close(mine.full_tensor(), theirs, rtol=0.02, atol=0.02)
        self.assertEqual(found[1][0].dtype, torch.bfloat16)
        self.assertTrue(all(local.dtype == torch.bfloat16
                            for local in found[1][0].to_local().local_tensors))

    def test_modules_change_their_dtype(self):
        for dtype in (torch.float64, torch.bfloat16):
            model = copy.deepcopy(self.sharded).to(dtype)
            model(put(numbers(8, 4).to(dtype), BATCH)).sum().backward()
            for weight, before in zip(model.parameters(), self.sharded.parameters()):
                self.assertEqual((weight.dtype, weight.grad.dtype), (dtype, dtype))
                self.assertEqual((weight.placements, weight.element_size()), (before.placements, dtype.itemsize))
                self.assertEqual(weight.tolist(), before.full_tensor().to(dtype).tolist())

    def test_states_are_saved_and_loaded(self):
        adam = torch.optim.Adam(self.sharded.parameters())
        self.sharded(put(numbers(8, 4), BATCH)).sum().backward()
        adam.step()
        stored = io.BytesIO()
        torch.save({"model": self.sharded.state_dict(), "adam": adam.state_dict()}, stored)
        stored.seek(0)
        loaded = torch.load(stored)
        again = copy.deepcopy(self.sharded)
        nn.init.zeros_(again[0].weight)
        again.load_state_dict(loaded["model"])
        self.assertEqual(again[0].weight.tolist(), self.sharded[0].weight.tolist())
        other = torch.optim.Adam(again.parameters())
        other.load_state_dict(loaded["adam"])
        mine, theirs = (optimizer.state[model[0].weight]["exp_avg"]
                        for optimizer, model in ((other, again), (adam, self.sharded)))
        self.assertEqual((mine.placements, mine.tolist()), (theirs.placements, theirs.tolist()))

    def test_gradients_are_clipped(self):
        for model, x in ((self.plain, numbers(8, 4)), (self.sharded, put(numbers(8, 4), BATCH))):
            model(x).sum().backward()
        norms = [nn.utils.clip_grad_norm_(model.parameters(), 0.5) for model in (self.plain, self.sharded)]
        torch.testing.assert_close(norms[1].full_tensor(), norms[0])
        for mine, theirs in zip(self.sharded.parameters(), self.plain.parameters()):
            torch.testing.assert_close(mine.grad.full_tensor(), theirs.grad)

    def test_hooks_see_sharded_gradients(self):
        seen = []
        x = put(numbers(4, 4), BATCH).requires_grad_()
        x.register_hook(lambda gradient: seen.append(isinstance(gradient, DTensor)))
        weight = self.sharded[0].weight
        weight.register_post_accumulate_grad_hook(lambda each: seen.append(each.grad.placements))
        self.sharded(x).sum().backward()
        self.assertEqual(len(seen), 2)
        self.assertIn(True, seen)

    def test_without_gradients(self):
        x = put(numbers(4, 4), BATCH)
        with torch.no_grad():
            self.assertFalse(self.sharded(x).requires_grad)
        with torch.inference_mode():
            y = self.sharded(x) @ x.T
            self.assertTrue(y.is_inference())
            y.mul_(2)
            whole = y.full_tensor()
        torch.testing.assert_close(whole, (self.plain(numbers(4, 4)) @ numbers(4, 4).T * 2).detach())

    def test_gradients_of_gradients(self):
        x = put(numbers(4, 4), BATCH).requires_grad_()
        first, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
        second, = torch.autograd.grad(first.sum(), x)
        self.assertEqual(second.tolist(), (6 * numbers(4, 4)).tolist())

    def test_second_derivatives_of_full_and_local_tensors(self):
        x = put(numbers(4, 4), BATCH).requires_grad_()
        first, = torch.autograd.grad((x.full_tensor() ** 3).sum(), x, create_graph=True)
        second, = torch.autograd.grad((first.full_tensor() ** 2).sum(), x)  # of the sum of (3 x^2)^2
        self.assertEqual(second.tolist(), (36 * numbers(4, 4) ** 3).tolist())
        plain = numbers(4, 4).requires_grad_()
        whole = DTensor.from_local(plain, MESH, [Replicate()] * MESH.ndim)
        first, = torch.autograd.grad((whole ** 3).sum().full_tensor(), plain, create_graph=True)
        second, = torch.autograd.grad((first ** 2).sum(), plain)
        self.assertEqual(second.tolist(), (36 * numbers(4, 4) ** 3).tolist())

    def test_a_compiled_function_runs_eagerly_with_a_warning(self):
        traced = []

        def backend(graph, inputs):
            traced.append(graph)
            return graph.forward
        x = put(numbers(8, 4), BATCH)
        decorate = torch.compile(backend=backend, fullgraph=True)
        for compile in (decorate, lambda model: torch.compile(model, backend=backend)):
            with self.assertWarnsRegex(UserWarning, "torch.compile: got a program of shardlens.tensor, which runs "
                                                    "eagerly") as warning:
                compiled = compile(self.sharded)
            self.assertEqual(warning.filename, __file__)
            self.assertEqual(compiled(x).tolist(), self.sharded(x).tolist())
            self.assertIn("_orig_mod.0.weight", compiled.state_dict())
        with self.assertWarns(UserWarning):
            self.sharded.compile(backend=backend)
        self.sharded(x).sum().backward()
        self.assertIsInstance(self.sharded[0].weight.grad, DTensor)
        self.assertEqual(traced, [])

    def test_functions_around_a_module(self):
        def make(input_fn, output_fn):
            return distribute_module(nn.Identity(), MESH, input_fn=input_fn, output_fn=output_fn)
        first = make(lambda module, inputs, mesh: inputs[0] + 1, lambda module, output, mesh: output * 2)
        self.assertEqual(first(torch.ones(1)).tolist(), [4])
        with self.assertWarnsRegex(FutureWarning, "input_fn: got a function of two arguments, which is deprecated"):
            older = make(lambda inputs, mesh: inputs[0] + 1, lambda output, mesh: output * 2)
        self.assertEqual(older(torch.ones(1)).tolist(), [4])
        with self.assertRaisesRegex(ValueError, "output_fn should take in 3 arguments, but got 1"):
            make(None, lambda output: output)


class Values(unittest.TestCase):
    def test_numbers_of_python(self):
        self.assertEqual((int(put(torch.tensor(3))), float(put(torch.tensor(0.5))), bool(put(torch.tensor(1)))),
                         (3, 0.5, True))
        self.assertEqual(f"{put(numbers(8), [Shard(0), Shard(0)]).sum():.1f}", "3.5")
        self.assertEqual([row.tolist() for row in put(numbers(2, 2), BATCH)], numbers(2, 2).tolist())
        fresh = put(numbers(2)).new_tensor([1, 2])
        self.assertEqual((isinstance(fresh, DTensor), fresh.dtype), (False, torch.float32))

    def test_a_notebook_shows_the_indices_of_ranks(self):
        shown = put(numbers(5, 2), BATCH)._repr_html_()
        for part in ("<b>DTensor</b> float32 [5, 2], (S(0), R)", "<th>tp 0</th><th>tp 1</th>",
                     "<th>dp 1</th><td>rank 2<br>[3:5, 0:2]</td><td>rank 3<br>[3:5, 0:2]</td>",
                     "[0.2500, 0.3750]", "DeviceMesh((dp=2, tp=2), &#x27;cpu&#x27;"):
            self.assertIn(part, shown)
        self.assertFalse(hasattr(numbers(2), "_repr_html_"))

    def test_memory_is_refused(self):
        x = put(numbers(4), [Shard(0), Replicate()])
        for reader in (x.numpy, x.__array__):
            with self.assertRaisesRegex(TypeError, r"numpy: got a sharded tensor.*full_tensor\(\).numpy"):
                reader()
        for reader in (x.untyped_storage, x.share_memory_):
            with self.assertRaisesRegex(RuntimeError, "untyped_storage: got a sharded tensor"):
                reader()
        self.assertEqual((x.data_ptr(), x.is_shared()), (0, False))  # as DTensor returns
        self.assertNotEqual(numbers(4).data_ptr(), 0)

    def test_operators_without_a_rule_run_whole_and_are_a_problem(self):
        x = numbers(4, 2, 2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.shardlens")
            with shardlens.record(path, values="none"):
                values, vectors = torch.linalg.eig(put(x, BATCH))
            self.assertEqual(values.tolist(), torch.linalg.eig(x).eigenvalues.tolist())
            self.assertEqual([values.placements, vectors.placements], [(Replicate(), Replicate())] * 2)
            problems = [problem for problem in shardlens.open(path).problems if problem.rule == "missing-rule"]
        self.assertEqual([problem.sentence for problem in problems],
                         ["aten.linalg_eig has no sharding rule: every rank ran it on replicated inputs"])
        with self.assertRaisesRegex(RuntimeError, "aten.normal_functional.* It is not run whole: it draws random numbers"):
            torch.ops.aten.normal_functional(put(x, BATCH))

    def test_torch_func_works(self):
        x = put(numbers(4, 2), BATCH)
        self.assertEqual(torch.func.grad(lambda each: (each ** 2).sum())(x).tolist(), (2 * numbers(4, 2)).tolist())
        self.assertEqual(torch.func.vmap(lambda each: each * 2)(x).tolist(), (2 * numbers(4, 2)).tolist())
        self.assertEqual(torch.func.functional_call(nn.ReLU(), {}, (x,)).tolist(), numbers(4, 2).tolist())
        value, tangent = torch.func.jvp(lambda each: each * each, (x,), (x,))
        self.assertEqual([value.tolist(), tangent.tolist()],
                         [(numbers(4, 2) ** 2).tolist(), (2 * numbers(4, 2) ** 2).tolist()])


if __name__ == "__main__":
    unittest.main()
