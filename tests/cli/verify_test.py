"""`verify`: compares a scenario with PyTorch's DTensor. Requires the full PyTorch package."""
import json
import os
import subprocess
import unittest

from support import GALLERY, GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario, warm_torch

TORCH = warm_torch()


class Verified(ProgramTest):
    def setUp(self):
        super().setUp()
        if TORCH is None:
            self.skipTest("no torch that Python imports")
        os.environ["SHARDLENS_TORCH"] = TORCH

    def test_equal_runs(self):
        name = self.write("a.json", "// a comment\n" + json.dumps(scenario(TABLE, IDS, LOOKUP, GATHERED)))
        answer = json.loads(self.expect_exit(0, "verify", "--json", name).stdout)
        self.assertEqual(answer, {"shardlens": 1, "ok": True, "same": ["w", "x", "y", "z"], "differences": []})
        self.assertRegex(self.expect_exit(0, "verify", name).stdout,
                         r"^4 results equal those of PyTorch .*, 0 differ\n$")

    def test_other_placements_are_named_and_later_steps_are_compared(self):
        steps = [TABLE, IDS, LOOKUP, GATHERED, {"id": "l", "call": "aten.sum", "args": ["$z"]},
                 {"call": "backward", "args": ["$l"]}, {"id": "g", "call": "grad", "args": ["$w"]},
                 {"id": "r", "call": "redistribute", "args": ["$g"], "placements": ["R"]}]
        answer = json.loads(self.expect_exit(1, "verify", "--json", self.write("a.json", scenario(*steps))).stdout)
        self.assertEqual(answer["differences"], [
            {"result": "g", "got": 'placements ["S(0)"]', "expected": '["R"]'}])
        self.assertEqual(answer["same"][-1], "r")

    def test_other_collectives_are_named(self):
        """A loss with sharded classes takes one all_reduce less here than in DTensor."""
        steps = [{"id": "x", "call": "tensor", "fill": "randn", "shape": [2, 4], "placements": ["S(1)"]},
                 {"id": "t", "call": "tensor", "data": [3, 0], "dtype": "int64", "placements": ["R"]},
                 {"id": "l", "call": "cross_entropy", "args": ["$x", "$t"]}]
        answer = json.loads(self.expect_exit(1, "verify", "--json", self.write("a.json", scenario(*steps))).stdout)
        self.assertEqual(answer["differences"], [
            {"result": "l", "got": "collectives 2 all_reduce", "expected": "3 all_reduce"}])
        self.assertEqual(answer["same"], ["x", "t", "l"])

    def test_a_step_that_only_one_side_refuses(self):
        """DTensor runs each rank in a separate process here, so the emulated defect does not occur."""
        (path,) = GALLERY.glob("06-*.json")
        lines = self.expect_exit(1, "verify", path).stdout.splitlines()
        self.assertRegex(lines[0], "^e: got refused: MaskBuffer has been .*, DTensor has not refused$")
        self.assertTrue(lines[1].startswith("the scenario emulates the defects of torch-2.15"), lines)
        self.assertIn("; not compared from there", lines[2])

    def test_refusals(self):
        self.expect_refusal("no.json: got no such file, expected a scenario (.json or .jsonl)", "verify", "no.json")
        order = {"id": "n", "call": "tensor", "data": [1, 2], "placements": ["S(0)"], "shard_order": {"0": [0]}}
        self.expect_refusal('verify: got "shard_order" in step n, expected a feature of DTensor',
                            "verify", self.write("a.json", scenario(order)))


class WithoutTorch(ProgramTest):
    def test_reports_missing_requirements(self):
        name = self.write("a.json", scenario(IDS))
        os.environ["SHARDLENS_TORCH"] = "/no/python3"
        self.addCleanup(os.environ.__setitem__, "SHARDLENS_TORCH", TORCH)
        self.expect_refusal("verify: cannot start /no/python3: No such file or directory", "verify", name)


if __name__ == "__main__":
    unittest.main()
