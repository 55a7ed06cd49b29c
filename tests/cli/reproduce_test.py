"""The script that `export` writes for a step reproduces the recorded result with DTensor."""
import subprocess
import unittest

from support import (DEADLINE, GATHERED, IDS, LOOKUP, TABLE, ProgramTest, environment, free_port, scenario,
                     warm_torch)

SUM = {"id": "l", "call": "aten.sum", "args": ["$z"]}
BACKWARD = {"call": "backward", "args": ["$l"]}
GRADIENT = {"id": "g", "call": "grad", "args": ["$w"]}
LEFT = {"id": "a", "call": "tensor", "fill": "randn", "shape": [3, 5], "placements": ["S(1)"]}
RIGHT = {"id": "b", "call": "tensor", "fill": "randn", "shape": [5, 2], "placements": ["S(0)"]}
PRODUCT = {"id": "p", "call": "aten.mm", "args": ["$a", "$b"]}
SCATTERED = {"id": "s", "call": "redistribute", "args": ["$p"], "placements": ["S(0)"]}


@unittest.skipUnless(warm_torch(), "no torchrun: it comes with the full torch")
class Reproductions(ProgramTest):
    def record(self, *steps):
        name = self.write("a.json", scenario(*steps))
        self.expect_exit(0, "run", "--record", "a.shardlens", name)

    def script(self, step):
        self.expect_exit(0, "export", "a.shardlens", "--to", "a.py", "--step", step)
        return (self.folder / "a.py").read_text(encoding="utf-8")

    def run_script(self, code):
        done = subprocess.run(
            [warm_torch(), "-m", "torch.distributed.run", "--master-port", str(free_port()), "--nproc-per-node", "2",
             "a.py"],
            cwd=self.folder, text=True, timeout=2 * DEADLINE, capture_output=True, env=environment(),
            check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_lookups_their_reduction_and_gradient_are_as_recorded(self):
        self.record(TABLE, IDS, LOOKUP, GATHERED, SUM, BACKWARD, GRADIENT)
        for step, name in ((3, "y"), (4, "z"), (5, "l"), (7, "g")):
            with self.subTest(name=name):
                self.script(step)
                self.assertEqual(self.run_script(0), f"as recorded on 2 ranks: {name}\n")

    def test_a_product_and_its_scattering_are_as_recorded(self):
        self.record(LEFT, RIGHT, PRODUCT, SCATTERED)
        for step, name in ((3, "p"), (4, "s")):
            with self.subTest(name=name):
                self.script(step)
                self.assertEqual(self.run_script(0), f"as recorded on 2 ranks: {name}\n")

    def test_differences_are_shown_and_end_with_1(self):
        self.record(TABLE, IDS, LOOKUP, GATHERED)
        expected = "((0, 1), [2, 2], [5, 6, 1, 2])"
        script = self.script(4)
        self.assertIn(expected, script)
        self.write("a.py", script.replace(expected, "((0, 1), [2, 2], [5, 6, 1, 7])"))
        output = self.run_script(1)
        self.assertIn("rank 0: z: Tensor-likes are not close!", output)
        self.assertIn("Greatest absolute difference: 5.0 at index (1, 1)", output)


if __name__ == "__main__":
    unittest.main()
