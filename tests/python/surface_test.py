"""The public API: documented, with the names and arguments of torch.distributed.tensor."""
import inspect
import sys
import typing
import unittest

try:
    import torch
    import torch.distributed.device_mesh
    import torch.distributed.tensor as theirs
    import torch.distributed.tensor.debug
    import torch.distributed.tensor.experimental
    import torch.distributed.tensor.parallel
    from torch.distributed.tensor.debug import _comm_mode
    import shardlens.tensor.experimental
    import shardlens.tensor.parallel
    import shardlens.tensor.placement_types
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
ours = shardlens.tensor

# Pairs: a module of this package and the torch module that it replaces.
PAIRS = [(ours, theirs), (ours.device_mesh, torch.distributed.device_mesh), (ours.debug, theirs.debug),
         (ours.placement_types, theirs.placement_types), (ours.parallel, theirs.parallel),
         (ours.experimental, theirs.experimental)]
MODULES = [shardlens, *(module for module, _ in PAIRS)]

# Names of torch that this package omits, with the reason.
LEFT_OUT = {
    "DeviceMesh.abort": "processes end by themselves if one is lost, and name it",
}
# Names that only raise an error with the reason: a call, and the start of the message.
REFUSED = {
    "context_parallel": (lambda: ours.experimental.context_parallel(None, buffers=[], buffer_seq_dims=[]),
                         "context_parallel: got buffers of plain tensors"),
    "register_sharding": (lambda: ours.experimental.register_sharding([torch.ops.aten.relu.default]),
                          "register_sharding: got a rule for aten.relu.default"),
}
# Functions that omit arguments of torch: the omitted arguments, and the reason.
OTHERWISE = {
    "DeviceMesh.__init__": (["preserve_rank_order"], "ranks always have the order of the mesh"),
}


def public(module):
    return {name: getattr(module, name) for name in module.__all__}


def members(owner):
    """Returns the public attributes that the class itself defines, by name."""
    return {name: getattr(owner, name) for name in vars(owner) if not name.startswith("_")}


def is_ours(value):
    return (getattr(value, "__module__", None) or "").startswith("shardlens")


def arguments(function):
    """Returns kind and default of each argument. Arguments that begin with _ are private."""
    return {name: (parameter.kind, parameter.default)
            for name, parameter in inspect.signature(function).parameters.items()
            if not name.startswith("_")}


class Documented(unittest.TestCase):
    def test_modules_and_their_names(self):
        for module in MODULES:
            self.assertTrue(module.__doc__, module.__name__)
            for name, value in public(module).items():
                with self.subTest(f"{module.__name__}.{name}"):
                    self.assertTrue(value.__doc__ and value.__doc__.strip())

    def test_members_of_classes(self):
        for owner in self.classes():
            for name, member in members(owner).items():
                if name in getattr(owner, "_fields", ()):
                    continue  # the class docstring describes its fields
                with self.subTest(f"{owner.__name__}.{name}"):
                    self.assertTrue(member.__doc__ and member.__doc__.strip())

    def test_functions_have_annotations(self):
        functions = [value for module in MODULES for value in public(module).values()
                     if inspect.isfunction(value)]
        functions += [member for owner in self.classes() for member in members(owner).values()
                      if inspect.isfunction(member)]
        for function in filter(is_ours, functions):
            with self.subTest(function.__qualname__):
                signature = inspect.signature(function)
                self.assertIsNot(signature.return_annotation, inspect.Signature.empty)
                untyped = [name for name, parameter in signature.parameters.items()
                           if parameter.annotation is inspect.Parameter.empty and name != "self"]
                self.assertEqual(untyped, [])

    def classes(self):
        return {value for module in MODULES for value in public(module).values()
                if isinstance(value, type) and is_ours(value)}

    def test_annotations_resolve(self):
        """Except names that only a type checker imports."""
        for function in (ours.distribute_tensor, ours.distribute_module, ours.DTensor.from_local,
                         ours.DTensor.redistribute, ours.device_mesh.DeviceMesh.__getitem__, ours.full):
            self.assertIn("return", typing.get_type_hints(function))


@unittest.skipUnless(torch.__version__.startswith("2.15"), "their names are those of torch 2.15")
class Names(unittest.TestCase):
    def pairs(self):
        """Yields the name, torch's object and ours, for all public names of torch's modules and
        classes. A missing object is None."""
        for mine, other in PAIRS:
            for name in getattr(other, "__all__", public(mine)):
                their, our = getattr(other, name, None), getattr(mine, name, None)
                yield name, their, our
                if isinstance(their, type) and is_ours(our):
                    for member in [*members(their), *(["__init__"] if name == "DeviceMesh" else [])]:
                        mine_too = getattr(our, member, our.__dict__.get("__annotations__", {}).get(member))
                        yield f"{name}.{member}", getattr(their, member), mine_too

    def test_each_name_is_there_or_has_a_reason(self):
        missing = {name for name, their, our in self.pairs() if our is None}
        self.assertEqual(missing, set(LEFT_OUT))

    def test_unsupported_names_report_why(self):
        for name, (call, why) in REFUSED.items():
            self.assertIn(name, ours.experimental.__all__)
            with self.assertRaisesRegex(NotImplementedError, f"^{why}.*, expected "):
                call()

    def test_reduce_ops(self):
        for name in ("ALL_REDUCE_OPS", "LINEAR_REDUCE_OPS"):
            self.assertEqual(getattr(ours.Partial, name), getattr(theirs.Partial, name))
            for op in getattr(ours.Partial, name):
                self.assertEqual(ours.Partial(op).reduce_op, op)

    def test_arguments_are_torchs_or_have_a_reason(self):
        compared, otherwise = set(), {}
        for name, their, our in self.pairs():
            if not (inspect.isroutine(their) and inspect.isroutine(our)) or not is_ours(our):
                continue
            try:
                expected, got = arguments(their), arguments(our)
            except ValueError:
                continue  # a C++ function without a signature
            compared.add(name)
            left_out = sorted(set(expected) - set(got))
            if left_out:
                otherwise[name] = left_out
            self.assertEqual(got, {key: value for key, value in expected.items() if key in got}, name)
        self.assertEqual(otherwise, {name: names for name, (names, _) in OTHERWISE.items()})
        self.assertGreaterEqual(len(compared), 20, compared)


class Counted(unittest.TestCase):
    def test_a_programs_own_collectives_count_as_in_dtensors_mode(self):
        names = _comm_mode.NATIVE_TO_PY_MAPPING
        by_themselves = {*names.values(), *_comm_mode.c10d_collective_ops}
        self.assertEqual(ours.debug.COUNTED, names | {operator: operator for operator in by_themselves})


if __name__ == "__main__":
    unittest.main()
