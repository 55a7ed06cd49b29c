"""Sharded tensors in programs: DTensor's API, autograd, modules, optimizers, copies."""
import copy
import io
import pickle
import sys
import unittest

try:
    import torch
    from shardlens import init
    from shardlens.tensor import (DTensor, DeviceMesh, LocalTensor, Partial, Replicate, Shard,
                                  distribute_module, distribute_tensor, full, init_device_mesh,
                                  linspace, logspace, ones, randn, zeros)
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from torch import nn
from torch.nn import functional

init(ranks=4)
MESH = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
ROW = init_device_mesh("cpu", (4,))


def numbers(*shape):
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).view(shape)


class Making(unittest.TestCase):
    def test_a_sharded_tensor_is_a_torch_tensor_and_a_dtensor(self):
        x = distribute_tensor(numbers(4, 6), MESH, [Shard(0), Shard(1)])
        self.assertIsInstance(x, torch.Tensor)
        self.assertIsInstance(x, DTensor)
        self.assertNotIsInstance(numbers(1), DTensor)
        self.assertEqual(x.placements, (Shard(0), Shard(1)))
        self.assertEqual(x.device_mesh, MESH)
        self.assertEqual(x.shape, (4, 6))
        self.assertFalse(hasattr(numbers(1), "placements"))

    def test_distribute_tensor_requires_a_leaf_with_other_placements(self):
        with self.assertRaisesRegex(RuntimeError, "should be used to distribute leaf tensors"):
            distribute_tensor(numbers(4, 4).requires_grad_() + 1, MESH, [Shard(0)])  # the leaf check precedes that of the placements
        x = distribute_tensor(numbers(4, 4), MESH, [Shard(0), Shard(1)])
        self.assertIs(distribute_tensor(x, MESH, [Shard(0), Shard(1)]), x)
        with self.assertRaisesRegex(ValueError, "to a different device mesh"):
            distribute_tensor(x, ROW, [Shard(0)])
        for rank in (-1, 4):
            with self.assertRaisesRegex(ValueError, f"got src_data_rank {rank}, expected one of 0 to 3"):
                distribute_tensor(torch.ones(4), ROW, [Shard(0)], src_data_rank=rank)
        with self.assertRaisesRegex(ValueError, "to a different placements"):
            distribute_tensor(x, MESH, [Shard(0), Replicate()])

    def test_each_rank_has_its_part(self):
        x = distribute_tensor(numbers(4, 2), ROW, [Shard(0)])
        self.assertEqual([local.tolist() for local in x.to_local().local_tensors],
                         [[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]]])

    def test_from_local_uses_a_plain_tensor_for_every_rank(self):
        self.assertEqual(DTensor.from_local(numbers(1, 2), ROW, [Shard(0)]).tolist(), [[0, 1]] * 4)
        self.assertEqual(DTensor.from_local(numbers(2), ROW, [Partial()]).tolist(), [0, 4])
        self.assertEqual(DTensor.from_local(numbers(2), ROW).tolist(), [0, 1])

    def test_from_local_takes_each_ranks_own(self):
        local = LocalTensor([torch.tensor([float(rank)]) for rank in range(4)])
        self.assertEqual(DTensor.from_local(local, ROW, [Shard(0)]).tolist(), [0, 1, 2, 3])
        self.assertEqual(DTensor.from_local(local, ROW, [Partial()]).tolist(), [6])

    def test_parts_of_parameters_are_parameters(self):
        x = distribute_tensor(numbers(4), ROW)
        self.assertNotIsInstance(x.to_local(), nn.Parameter)
        self.assertIsInstance(nn.Parameter(x).to_local(), nn.Parameter)
        with self.assertRaisesRegex(RuntimeError, "local_tensor argument only accepts torch.Tensor"):
            DTensor.from_local(x, ROW)

    def test_run_check_broadcasts_the_first_replica(self):
        local = LocalTensor([torch.tensor([float(rank)]) for rank in range(4)]).requires_grad_()
        for placements, expected in (([Replicate(), Replicate()], [[0], [0], [0], [0]]),
                                     ([Shard(0), Replicate()], [[0], [0], [2], [2]]),
                                     ([Replicate(), Shard(0)], [[0], [1], [0], [1]])):
            x = DTensor.from_local(local, MESH, placements, run_check=True)
            self.assertEqual([each.tolist() for each in x._local_tensor.local_tensors]
                             if isinstance(x._local_tensor, LocalTensor) else [x.tolist()] * 4, expected)
        x.sum().full_tensor().backward()
        self.assertEqual([each.tolist() for each in local.grad.local_tensors], [[1]] * 4)

    def test_run_check_requires_equal_metadata(self):
        def refused(words, *parts):
            with self.assertRaisesRegex(ValueError, "Inconsistent tensor metadata.* across ranks: got .* on rank "
                                        f"0 and .*{words}.* on rank 3"):
                DTensor.from_local(LocalTensor([torch.ones(2, 3)] * 3 + list(parts)), ROW, run_check=True)
        refused("torch.float64", torch.ones(2, 3, dtype=torch.float64))
        refused(r"'stride': \(1, 2\)", torch.ones(3, 2).t())
        refused(r"'shape': \(3, 2\)", torch.ones(3, 2))
        x = DTensor.from_local(LocalTensor([torch.ones(2)] * 3 + [torch.ones(1)]), ROW, [Shard(0)],
                               run_check=True, shape=(7,), stride=(1,))
        self.assertEqual(x.tolist(), [1] * 7)

    def test_strides_are_kept(self):
        for placements in ([Shard(0), Replicate()], [Shard(1), Shard(0)], [Replicate(), Partial()]):
            x = distribute_tensor(numbers(4, 6), MESH, [Replicate(), Replicate()]).redistribute(MESH, placements)
            for same in (x.as_strided((4, 6), (6, 1)), x.as_strided((4, 6), (6, 1), 0)):
                self.assertEqual((list(same.placements), same.tolist()), (placements, numbers(4, 6).tolist()))
            turned = x.t()
            self.assertEqual(list(turned.as_strided((6, 4), (1, 6)).placements), list(turned.placements))
        x = distribute_tensor(numbers(4, 6), MESH, [Shard(0), Replicate()])
        x.as_strided((4, 6), (6, 1)).zero_()
        self.assertEqual(x.tolist(), torch.zeros(4, 6).tolist())
        self.assertEqual(list(x.as_strided((4, 6), (6, 1), None).placements), [Shard(0), Replicate()])
        self.assertEqual(list(x.as_strided((4, 5), (6, 1)).placements), [Replicate(), Replicate()])
        view = distribute_tensor(numbers(4, 6), MESH, [Replicate(), Replicate()])[1:]
        self.assertEqual(view.as_strided((3, 6), (6, 1)).tolist(), numbers(4, 6)[1:].tolist())
        with self.assertRaisesRegex(RuntimeError, "storage_offset: got one of a view, expected none"):
            view.as_strided((3, 6), (6, 1), 0)
        self.assertEqual(view.as_strided((3, 6), (6, 1), 6).tolist(), numbers(4, 6)[1:].tolist())

    def test_a_view_begins_where_the_local_one_does(self):
        x = distribute_tensor(numbers(4, 8), ROW, [Shard(1)])
        for view, offset in ((x, 0), (x[1:], 2), (x[1:][2:], 6), (x[:3].t(), 0), (x.detach()[3], 6),
                             (x[1:].redistribute(placements=[Shard(0)]), 0), (x[1:].clone(), 0)):
            self.assertEqual([view.storage_offset(), view.to_local().local_tensors[0].storage_offset()], [offset] * 2)

    def test_a_gather_along_the_cut_dimension_has_its_gradient(self):
        for cut in (0, 1):
            values = numbers(4, 4).requires_grad_()
            x = distribute_tensor(values, ROW, [Shard(cut)])
            ids = torch.tensor([[0, 3, 3, 1], [2, 0, 1, 1], [0, 0, 0, 2], [3, 2, 1, 0]])
            (values.gather(1, ids) * numbers(4, 4)).sum().backward()
            found = x.gather(1, distribute_tensor(ids, ROW, [Shard(cut)]))
            (found * distribute_tensor(numbers(4, 4), ROW, [Shard(cut)])).sum().backward()
            self.assertEqual((x.grad.tolist(), x.grad.shape), (values.grad.tolist(), (4, 4)))

    def test_one_hot_rows_lie_as_the_ids_do(self):
        ids = torch.tensor([[1, 3, 0], [2, 0, 1]])
        one_hot = nn.functional.one_hot
        for placements in ([Shard(0), Replicate()], [Shard(1), Shard(0)], [Replicate(), Replicate()]):
            x = distribute_tensor(ids, MESH, placements)
            for classes in (-1, 4, 6):
                rows = one_hot(x, classes)
                self.assertEqual((list(rows.placements), rows.dtype, rows.tolist()),
                                 (placements, torch.int64, one_hot(ids, classes).tolist()))
        for classes in (0, -2):
            with self.assertRaisesRegex(RuntimeError, f"one_hot: got {classes} classes, expected one or more, or -1"):
                one_hot(x, classes)
        for classes, bad in ((3, 3), (3, -1), (-1, -1)):
            wrong = distribute_tensor(torch.tensor([0, 2, bad, 1]), ROW, [Shard(0)])
            with self.assertRaisesRegex(RuntimeError, rf"aten.one_hot: index {bad} at position \[2\] of the ids"):
                one_hot(wrong, classes)
        with self.assertRaisesRegex(RuntimeError, "type LongTensor"):
            one_hot(distribute_tensor(numbers(2), ROW), 2)
        with self.assertRaisesRegex(RuntimeError, "total number of classes from empty tensor"):
            one_hot(distribute_tensor(ids[:0], ROW))

    def test_strides_are_those_of_the_local_tensors(self):
        local = numbers(8, 4, 8).permute(1, 2, 0)
        self.assertEqual(local.stride(), (8, 1, 32))
        self.assertEqual(DTensor.from_local(local, ROW, [Shard(1)]).stride(), (32, 1, 128))
        self.assertEqual(DTensor.from_local(numbers(4, 8), ROW, [Shard(0)]).stride(), (8, 1))
        self.assertEqual(DTensor.from_local(numbers(8, 4), MESH, [Shard(1), Replicate()]).stride(), (8, 1))
        x = DTensor.from_local(numbers(4, 2), ROW, [Shard(0)], shape=(16, 2), stride=(1, 16))
        self.assertEqual((x.shape, x.stride()), ((16, 2), (1, 16)))
        self.assertEqual(x.tolist(), numbers(4, 2).tolist() * 4)
        with self.assertRaisesRegex(RuntimeError, "pass both shape and stride"):
            DTensor.from_local(numbers(4, 2), ROW, [Shard(0)], shape=(16, 2))
        with self.assertRaisesRegex(RuntimeError, r"stride: got \[1\], expected one for each dimension"):
            DTensor.from_local(numbers(4, 2), ROW, [Shard(0)], shape=(16, 2), stride=(1,))

    def test_tensors_without_values(self):
        meta = torch.empty(5, 3, device="meta")
        for x in (distribute_tensor(meta, ROW, [Shard(0)]),
                  distribute_tensor(meta, ROW, [Shard(0)], src_data_rank=None)):
            self.assertTrue(x.is_meta)
            self.assertEqual((x.shape, x.placements), ((5, 3), (Shard(0),)))
            self.assertEqual([local.shape[0] for local in x.to_local().local_tensors], [2, 2, 1, 0])
            with self.assertRaisesRegex(RuntimeError, "all_gather: got a tensor on the device meta"):
                x.full_tensor()
            filled = nn.init.constant_(torch.empty_like(x, device="cpu"), 1.5)
            self.assertEqual((filled.is_meta, filled.tolist()), (False, [[1.5] * 3] * 5))
        self.assertTrue(DTensor.from_local(meta, ROW, [Shard(0)]).is_meta)

    def test_a_tensor_and_a_module_give_up_their_values(self):
        for placements in ([Shard(0), Partial()], [Replicate(), Shard(1)]):
            x = DTensor.from_local(torch.ones(2, 3), MESH, placements).requires_grad_()
            for bare in (x.to("meta"), x.to(device="meta", dtype=torch.float64),
                         x.to(torch.empty(1, device="meta", dtype=torch.float64))):
                self.assertEqual((bare.is_meta, bare.placements, bare.shape, bare.stride(), bare.requires_grad),
                                 (True, tuple(placements), x.shape, x.stride(), True))
            self.assertEqual((x.to("meta").dtype, bare.dtype, bare.to("meta") is bare),
                             (torch.float32, torch.float64, True))
            self.assertEqual((x.to("cpu") is x, x.to(torch.float64).placements), (True, tuple(placements)))
        module = distribute_module(nn.Linear(4, 8), ROW).to("meta")
        self.assertEqual((module.weight.is_meta, module.weight.placements), (True, (Replicate(),)))
        self.assertIsInstance(module.weight, nn.Parameter)
        self.assertEqual(torch.ones(2).to("meta").shape, (2,))

    def test_a_module_without_values_is_given_some(self):
        module = distribute_module(nn.Linear(4, 8, device="meta"), ROW)
        self.assertTrue(module.weight.is_meta)
        module.to_empty(device="cpu")
        nn.init.ones_(module.weight), nn.init.zeros_(module.bias)
        self.assertEqual(module(distribute_tensor(torch.ones(1, 4), ROW)).tolist(), [[4] * 8])

    def test_factories(self):
        self.assertEqual(zeros(2, 3, device_mesh=MESH, placements=[Shard(0), Shard(1)]).tolist(),
                         [[0] * 3] * 2)
        self.assertEqual(ones((3,), device_mesh=ROW, placements=[Partial()]).tolist(), [4] * 3)
        self.assertEqual(full((2,), 5, device_mesh=ROW).placements, (Replicate(),))
        self.assertEqual(linspace(0, 3, 4, device_mesh=ROW, placements=[Shard(0)]).tolist(), [0, 1, 2, 3])
        self.assertEqual(logspace(0, 2, 3, 2, device_mesh=ROW).tolist(), [1, 2, 4])
        torch.manual_seed(3)
        plain = torch.randn(4, 4)
        torch.manual_seed(3)
        x = randn(4, 4, device_mesh=ROW, placements=[Shard(1)], requires_grad=True)
        self.assertTrue(x.requires_grad)
        self.assertEqual(x.tolist(), plain.tolist())

    def test_redistribute_and_back(self):
        x = distribute_tensor(numbers(4, 4), ROW, [Shard(0)]).requires_grad_()
        y = x.redistribute(placements=[Shard(1)])
        self.assertEqual((y.placements, y.tolist()), ((Shard(1),), numbers(4, 4).tolist()))
        (y * 3).sum().backward()
        self.assertEqual((x.grad.placements, x.grad.tolist()), ((Shard(0),), [[3.0] * 4] * 4))


class Leaving(unittest.TestCase):
    def test_the_program_continues_for_each_rank(self):
        x = distribute_tensor(numbers(4, 2), ROW, [Shard(0)]).requires_grad_()
        local = x.to_local()
        self.assertEqual(local.shape, (1, 2))
        back = DTensor.from_local(local * local, ROW, [Shard(0)])
        self.assertEqual(back.tolist(), (numbers(4, 2) ** 2).tolist())
        back.sum().backward()
        self.assertEqual(x.grad.tolist(), (2 * numbers(4, 2)).tolist())

    def test_a_replicated_tensor_has_a_plain_local_tensor(self):
        x = distribute_tensor(numbers(2), ROW).requires_grad_()
        local = x.to_local()
        self.assertNotIsInstance(local, (DTensor, LocalTensor))
        local.sum().backward()
        self.assertEqual(x.grad.tolist(), [1, 1])

    def test_full_tensor(self):
        x = distribute_tensor(numbers(5, 3), MESH, [Shard(0), Shard(1)]).requires_grad_()
        whole = x.full_tensor()
        self.assertNotIsInstance(whole, DTensor)
        self.assertEqual(whole.tolist(), numbers(5, 3).tolist())
        (whole * whole).sum().backward()
        self.assertEqual(x.grad.tolist(), (2 * numbers(5, 3)).tolist())

    def test_a_number_that_differs_by_rank_is_refused(self):
        x = distribute_tensor(numbers(4), ROW, [Shard(0)])
        with self.assertRaisesRegex(RuntimeError, "got 0.0, 1.0, 2.0, 3.0 on ranks 0 to 3"):
            x.to_local().item()
        self.assertEqual(x.to_local().mul(0).item(), 0)

    def test_ranks_do_not_write_on_one_plain_tensor(self):
        local = distribute_tensor(numbers(4), ROW, [Shard(0)]).to_local()
        total = torch.zeros(1)
        with self.assertRaisesRegex(RuntimeError, "got a plain tensor to write on"):
            total += local
        self.assertEqual(total.tolist(), [0])
        total = total + local
        self.assertEqual([part.tolist() for part in total.local_tensors], [[0], [1], [2], [3]])
        with self.assertRaisesRegex(RuntimeError, "to reshape in place"):
            local.unsqueeze_(0)
        self.assertTrue(torch.isnan(torch.tensor((local * float("nan")).item())))

    def test_parts_of_different_shapes_have_no_gradient(self):
        x = distribute_tensor(numbers(5), ROW, [Shard(0)])
        self.assertEqual(len(x.to_local().local_tensors), 4)
        with self.assertRaisesRegex(RuntimeError, "to_local: got parts of different shapes"):
            x.requires_grad_().to_local()


class AsTensors(unittest.TestCase):
    def test_repr(self):
        x = distribute_tensor(numbers(2), ROW, [Shard(0)])
        self.assertEqual(repr(x), "DTensor(tensor([0., 1.]), device_mesh=DeviceMesh((4,), 'cpu', "
                                  "stride=(1,)), placements=(Shard(dim=0),))")
        self.assertIn("requires_grad=True", repr(nn.Parameter(x)))
        self.assertIn("tensor(1.)", repr(x.sum()))  # a partial sum, reduced for printing
        self.assertIn("grad_fn=<SumBackward0>", str(nn.Parameter(x).sum()))

    def test_numbers(self):
        x = distribute_tensor(numbers(4), ROW, [Shard(0)])
        self.assertEqual((x.sum().item(), float(x.max()), x.tolist()), (6, 3, [0, 1, 2, 3]))
        for kind in (TypeError, RuntimeError):  # numpy() refuses with an error of both types
            with self.assertRaisesRegex(kind, r"numpy: got a sharded tensor.*full_tensor\(\).numpy"):
                x.numpy()
            with self.assertRaisesRegex(kind, "numpy: got the local tensors of several ranks"):
                x.to_local().numpy()
        self.assertEqual(x.full_tensor().numpy().tolist(), [0, 1, 2, 3])

    def test_numbers_as_text(self):
        one = LocalTensor([torch.tensor(1.5)] * 4)
        self.assertEqual((f"{one:.2f}", f"{one}"), ("1.50", str(one)))
        with self.assertRaisesRegex(RuntimeError, "got 0.0, 1.0 on ranks 0 to 1, expected one value"):
            format(LocalTensor([torch.tensor(0.), torch.tensor(1.)]), ".2f")
        with self.assertRaisesRegex(TypeError, r"format: got '.2f' for the local tensors .* of shape \[1\]"):
            format(distribute_tensor(numbers(4), ROW, [Shard(0)]).to_local(), ".2f")

    def test_transforms_accept_distributed_tensors(self):
        x = distribute_tensor(numbers(4), ROW, [Shard(0)])
        self.assertEqual(torch.func.grad(lambda y: (x * y).sum())(x).tolist(), [0, 1, 2, 3])
        with self.assertRaisesRegex(RuntimeError, "^distribute_tensor: got a tensor that a torch.func transform"):
            torch.func.grad(lambda y: (distribute_tensor(numbers(4), ROW, [Shard(0)]) * y).sum())(x)

    def test_plain_tensors_do_not_mix(self):
        x = distribute_tensor(numbers(4), ROW, [Shard(0)])
        with self.assertRaisesRegex(RuntimeError, "got mixed torch.Tensor and DTensor, need to convert"):
            x + numbers(4)
        with self.assertRaisesRegex(RuntimeError, "got mixed torch.Tensor and DTensor, need to convert"):
            x + LocalTensor([numbers(4)] * 4)
        self.assertEqual((x + torch.tensor(1.0)).tolist(), [1, 2, 3, 4])

    def test_copies_and_pickles(self):
        for x in (distribute_tensor(numbers(4, 4), MESH, [Shard(1), Replicate()]),
                  DTensor.from_local(numbers(4), ROW, [Partial()])):
            stored = io.BytesIO()
            torch.save({"x": x, "parameter": nn.Parameter(x)}, stored)
            stored.seek(0)
            loaded = torch.load(stored)
            self.assertIsInstance(loaded["parameter"], nn.Parameter)
            for again in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), loaded["x"],
                          loaded["parameter"]):
                self.assertIsInstance(again, DTensor)
                self.assertEqual((again.placements, again.device_mesh, again.tolist()),
                                 (x.placements, x.device_mesh, x.tolist()))


class Meshes(unittest.TestCase):
    def test_dimensions(self):
        self.assertEqual((MESH.ndim, MESH.shape, MESH.size(), MESH.size(1)), (2, (2, 2), 4, 2))
        self.assertEqual(MESH["tp"].mesh.tolist(), [0, 1])
        self.assertEqual(MESH["dp"].mesh.tolist(), [0, 2])
        self.assertEqual(MESH["tp", "dp"].mesh.tolist(), [[0, 2], [1, 3]])
        self.assertEqual(MESH.get_coordinate(), (0, 0))
        self.assertEqual(pickle.loads(pickle.dumps(MESH)), MESH)
        self.assertNotEqual(MESH, init_device_mesh("cpu", (2, 2)))

    def test_dimensions_as_one_and_one_as_several(self):
        cube = DeviceMesh("cpu", torch.arange(4).view(2, 1, 2), mesh_dim_names=("dp", "cp", "tp"))
        row = cube["dp", "cp"]._flatten()
        self.assertEqual((row.mesh.tolist(), row.mesh_dim_names), ([0, 2], ("dp_cp",)))
        self.assertEqual(cube["dp_cp"], row)
        self.assertEqual(cube["dp_cp", "tp"].mesh.tolist(), [[0, 1], [2, 3]])
        self.assertEqual(cube["tp"]._flatten(), cube["tp"])
        again = cube._flatten("all")._unflatten(0, (2, 2), ("a", "b"))
        self.assertEqual((again.mesh.tolist(), again.mesh_dim_names), ([[0, 1], [2, 3]], ("a", "b")))
        self.assertEqual(DeviceMesh._concatenate([cube["tp"], cube["dp"]]).mesh.tolist(), [[0, 2], [1, 3]])
        self.assertEqual([mesh.mesh.tolist() for mesh in cube._get_all_submeshes("tp")], [[0, 1], [2, 3]])
        with self.assertRaisesRegex(RuntimeError, "Slicing overlapping dim_names"):
            cube["dp_cp", "cp"]
        with self.assertRaisesRegex(ValueError, "dp already exists"):
            cube["dp", "cp"]._flatten("dp")
        with self.assertRaisesRegex(ValueError, "has been created before"):
            cube["cp", "tp"]._flatten("dp_cp")
        with self.assertRaisesRegex(ValueError, "These must be equal for unflatten"):
            cube._unflatten("tp", (2, 2), ("a", "b"))
        with self.assertRaisesRegex(RuntimeError, "without mesh_dim_names"):
            ROW._flatten()
        with self.assertRaisesRegex(RuntimeError, "overlapping meshes"):
            DeviceMesh._concatenate([cube["tp"], cube["tp"]])
        with self.assertRaisesRegex(RuntimeError, "derived from different device meshes"):
            DeviceMesh._concatenate([cube["tp"], MESH["dp"]])

    def test_refusals(self):
        with self.assertRaisesRegex(RuntimeError, "bigger than default world size 4, but found 8"):
            init_device_mesh("cpu", (8,))
        with self.assertRaisesRegex(RuntimeError, "bigger than default world size 4, but found 5"):
            DeviceMesh("cpu", [0, 4])
        with self.assertRaisesRegex(KeyError, "Invalid mesh_dim_names .'pp',. specified"):
            MESH["pp"]
        with self.assertRaisesRegex(ValueError, "got device type 'cuda', expected 'cpu'"):
            DeviceMesh("cuda", [0, 1])
        with self.assertRaisesRegex(TypeError, "The mesh argument is required"):
            DeviceMesh("cpu")
        with self.assertRaisesRegex(RuntimeError, "Cross device mesh"):
            zeros(2, device_mesh=ROW) + zeros(2, device_mesh=MESH)


class Training(unittest.TestCase):
    def test_a_module_learns_as_a_plain_one_does(self):
        torch.manual_seed(0)
        plain = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3))
        sharded = copy.deepcopy(plain)

        def cut(name, module, mesh):
            for key, value in list(module._parameters.items()):
                dim = Shard(1) if name == "2" and key == "weight" else Shard(0)
                placements = [Replicate(), Replicate() if name == "2" and key == "bias" else dim]
                module._parameters[key] = nn.Parameter(distribute_tensor(value.data, mesh, placements))
        distribute_module(sharded, MESH, cut)
        x, target = torch.randn(8, 4), torch.randint(3, (8,))
        shards = [Shard(0), Replicate()]
        x_of = {plain: (x, target), sharded: (distribute_tensor(x, MESH, shards),
                                              distribute_tensor(target, MESH, shards))}
        losses = []
        for model in (plain, sharded):
            adam = torch.optim.Adam(model.parameters(), lr=0.1)
            losses.append([])
            for _ in range(5):
                loss = functional.cross_entropy(model(x_of[model][0]), x_of[model][1])
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                adam.step()
                losses[-1].append(loss.item())
        self.assertLess(losses[0][-1], losses[0][0])
        for mine, theirs in zip(losses[1], losses[0]):
            self.assertAlmostEqual(mine, theirs, places=5)
        self.assertEqual(sharded[0].weight.placements, (Replicate(), Shard(0)))
        again = copy.deepcopy(sharded)
        again.load_state_dict(sharded.state_dict())
        self.assertEqual(again[2].weight.tolist(), sharded[2].weight.tolist())


if __name__ == "__main__":
    unittest.main()
