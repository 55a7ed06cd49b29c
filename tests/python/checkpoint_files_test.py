"""shardlens.checkpoint(): checkpoints as Python values. Requires no torch."""
import pathlib
import shutil
import tempfile
import unittest

import shardlens

SAMPLES = pathlib.Path(__file__).absolute().parents[1] / "checkpoints" / "samples"


class CheckpointFiles(unittest.TestCase):
    def test_slices(self):
        two = shardlens.checkpoint(SAMPLES / "dcp-2")
        self.assertEqual((two.format, two.objects, two.problems), ("torch.distributed.checkpoint", ["step"], []))
        self.assertEqual(list(two.tensors), ["w"])
        self.assertEqual((two.tensors["w"].dtype, two.tensors["w"].shape), ("float32", [5, 3]))
        self.assertEqual(two.tensors["w"].slices, [([0, 0], [3, 3], 0, "__0_0.distcp"), ([3, 0], [2, 3], 1, "__1_0.distcp")])
        self.assertEqual(repr(two), f"Checkpoint('{SAMPLES / 'dcp-2'}', 1 tensors, 0 problems)")

    def test_differences(self):
        two, three = shardlens.checkpoint(SAMPLES / "dcp-2"), shardlens.checkpoint(SAMPLES / "dcp-3")
        self.assertEqual(two.differences(three), [])
        with tempfile.TemporaryDirectory() as folder:
            changed = shutil.copytree(SAMPLES / "dcp-2", pathlib.Path(folder) / "changed")
            content = bytearray((changed / "__0_0.distcp").read_bytes())
            at = content.index(b"\0\0\x80\x3f\0\0\0\x40")  # the elements 1 and 2
            content[at:at + 4] = b"\0\0\x80\x7f"  # infinity
            (changed / "__0_0.distcp").write_bytes(content)
            (found,) = three.differences(shardlens.checkpoint(changed))
            self.assertEqual((found.kind, found.tensor, found.count, found.first, found.largest),
                             ("values", "w", 1, [0, 1], float("inf")))
            (changed / "__1_0.distcp").unlink()
            (problem,) = shardlens.checkpoint(changed).problems
            self.assertEqual((problem.kind, problem.severity, problem.files), ("missing", "error", ["__1_0.distcp"]))

    def test_refusals(self):
        with self.assertRaises(FileNotFoundError):
            shardlens.checkpoint("no")
        with self.assertRaisesRegex(TypeError, "^checkpoint: got 3, expected a path$"):
            shardlens.checkpoint(3)
        with self.assertRaisesRegex(ValueError, "got a folder without .metadata"):
            shardlens.checkpoint(SAMPLES)
        with self.assertRaisesRegex(TypeError, "^differences: got 3, expected a checkpoint"):
            shardlens.checkpoint(SAMPLES / "dcp-2").differences(3)


if __name__ == "__main__":
    unittest.main()
