"""The sweep: PyTorch's samples on sharded tensors, compared with plain torch and DTensor."""
import os
import subprocess
import sys
import tempfile
import unittest

from support import warm_python

try:
    import torch
    import expecttest  # pylint: disable=unused-import; torch's samples require it
    from sweep import engines, samples, worker
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")


def sweep(*arguments):
    return subprocess.run([warm_python(), "-m", "sweep", *arguments], text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


class Combinations(unittest.TestCase):
    def test_few_are_all_tried(self):
        tensors = [torch.zeros(2, 3), torch.zeros(2, dtype=torch.bool)]
        self.assertEqual(samples.combinations(tensors, 1, 8),
                         [(a, b) for a in (("R",), (0,), (1,), ("P",)) for b in (("R",), (0,))])

    def test_of_many_each_tensor_is_cut_alone_and_the_rest_is_drawn(self):
        tensors = [torch.zeros(2, 3)] * 3
        chosen = samples.combinations(tensors, 1, 40)
        self.assertEqual(len(set(chosen)), 40)
        self.assertIn((("R",), (1,), ("R",)), chosen)
        self.assertIn(((1,), (1,), (1,)), chosen)
        self.assertEqual(samples.combinations(tensors, 1, 40), chosen)


class Differences(unittest.TestCase):
    def test_names_the_element(self):
        expected = [torch.tensor([[1.0, 2.0]])]
        self.assertIsNone(samples.difference([torch.tensor([[1.0, 2.00001]])], expected))
        self.assertEqual(samples.difference([torch.tensor([[1.0, 2.5]])], expected),
                         "result 0: got 2.5, expected 2.0 at [0, 1]")

    def test_names_the_shape_and_number(self):
        self.assertEqual(samples.difference([torch.zeros(2)], [torch.zeros(3)]),
                         "result 0: got torch.float32 of shape [2], expected torch.float32 of shape [3]")
        self.assertEqual(samples.difference([1], [2]), "result 0: got 1, expected 2")
        self.assertIsNone(samples.difference([float("nan")], [float("nan")]))
        self.assertEqual(samples.difference([], [2]), "got 0 results, expected 1")


    def test_rounding_of_plain_torch_is_no_difference(self):
        """The first sample sums up to 10,000 before the logarithm. Plain torch's gradients of it are
        off by 22 in float32."""
        (sample,) = samples.samples_of("logcumsumexp", torch.float32, 1)
        result, gradient = sample.expected
        self.assertRegex(samples.difference([result, gradient + 24], sample.expected), "^result 1: got ")
        self.assertIsNone(sample.difference([result, gradient + 24]))
        self.assertRegex(sample.difference([result, gradient + 240]), "^result 1: got ")
        self.assertRegex(sample.difference([result + 24, gradient]), "^result 0: got ")


class Wrong(engines.Shardlens):
    """An engine with a defect: tensors sharded on dim 0 become zeros."""

    def distribute(self, tensor, placements):
        return super().distribute(tensor * 0 if 0 in placements else tensor, placements)


class Whole(engines.Shardlens):
    """An engine that refuses tensors sharded on dim 0."""

    def distribute(self, tensor, placements):
        if 0 in placements:
            raise RuntimeError("got a cut tensor")
        return super().distribute(tensor, placements)


class Scores(unittest.TestCase):
    def test_a_wrong_result_is_found(self):
        with Wrong((2,)) as engine:
            found = worker.score(engine, "exp", torch.float32, 1, 1, 8)
        self.assertEqual(found.verdict(), "wrong")
        self.assertRegex(found.first_wrong, r"^S\(0\): result 0: got 1.0, expected [0-9.]+ at \[0\]$")

    def test_an_operator_that_only_runs_replicated_is_refused(self):
        with Whole((2,)) as engine:
            found = worker.score(engine, "exp", torch.float32, 1, 1, 8)
        self.assertEqual(found.verdict(), "refused")
        self.assertEqual(found.first_refusal, "got a cut tensor")
        self.assertGreater(found.right, 0)
        self.assertEqual(found.wrong, 0)


class Program(unittest.TestCase):
    def test_lays_both_engines_beside_plain_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.md")
            done = sweep("--ops", "nn.functional.relu", "nonzero", "--to", table)
            with open(table, encoding="utf-8") as file:
                rows = file.read().splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| nn.functional.relu | right | right |  |", rows)
        self.assertIn("Shardlens: 2 right, 0 refused, 0 wrong, 0 not tried", rows)
        self.assertIn("refused here though DTensor runs it: 0", done.stdout.splitlines())

    def test_refuses_unknown_arguments(self):
        for wrong, said in ((["--ops", "nosuchop"], "got nosuchop, expected a name of OpInfo"),
                            (["--mesh", "2,0"], "--mesh: got 2,0, expected sizes of 1 or more, such as 2 or 2,2"),
                            (["--samples", "x"], "--samples: got x, expected 1 or more"),
                            (["--dtype", "int31"], "got int31, expected a dtype of torch")):
            done = sweep(*wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
