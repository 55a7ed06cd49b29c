"""`checkpoint`: real checkpoints of torch, compared with torch's own reader, and with planted faults."""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import DEADLINE, ProgramTest, environment, free_port, warm_torch

TORCH = warm_torch()
SCRIPT = pathlib.Path(__file__).with_name("checkpoint_programs.py")


def torch_program(*args, ranks=1):
    """Runs checkpoint_programs.py, in several processes with the environment that torchrun sets if `ranks` is above 1.
    Returns the output of rank 0."""
    shared = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    started = [subprocess.Popen([TORCH, SCRIPT, *map(str, args)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment(RANK=str(rank), **shared)) for rank in range(ranks)]
    outputs = []
    for process in started:
        output, error = process.communicate(timeout=2 * DEADLINE)
        if process.returncode:
            raise AssertionError(error)
        outputs.append(output)
    return outputs[0]


def kinds(problems):
    return sorted({problem["kind"] for problem in problems})


@unittest.skipUnless(TORCH, "no torch that Python imports")
class Checkpoints(ProgramTest):
    """In the folder `made`: two.dcp of 2 ranks, four.dcp of 4 ranks, loaded from two.dcp, and the metadata and values of
    each as torch reads them (two.json, two.safetensors, ...)."""
    made: pathlib.Path

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.made = pathlib.Path(temporary.name)
        torch_program("save", cls.made / "two.dcp", ranks=2)
        torch_program("resave", cls.made / "two.dcp", cls.made / "four.dcp", ranks=4)
        torch_program("values", cls.made / "two", cls.made / "four")
        torch_program("plant", cls.made, "byte", "place", "storage", "class", "megatron")

    def answer(self, code, *args):
        return json.loads(self.expect_exit(code, "checkpoint", "--json", *args).stdout)

    def planted(self, kind):
        """Returns a copy of two.dcp with a fault in its metadata."""
        copy = self.copy()
        shutil.copyfile(self.made / kind, copy / ".metadata")
        return copy

    def copy(self):
        return shutil.copytree(self.made / "two.dcp", self.folder / "planted.dcp")

    def test_slices_are_those_of_torch(self):
        for name in ("two", "four"):
            answer = self.answer(0, self.made / f"{name}.dcp")
            expected = json.loads((self.made / f"{name}.json").read_text(encoding="utf-8"))
            found = {tensor["name"]: {"dtype": tensor["dtype"], "shape": tensor["shape"], "slices": sorted(
                [part["offsets"], part["sizes"]] for part in tensor["slices"])} for tensor in answer["tensors"]}
            self.assertEqual(found, expected)
            self.assertEqual([problem for problem in answer["problems"] if problem["severity"] == "error"], [])
            self.assertIn("step", answer["objects"])
            for tensor in answer["tensors"]:
                for part in tensor["slices"]:
                    self.assertEqual(part["file"], f"__{part['rank']}_0.distcp")

    def test_values_are_those_of_torch(self):
        for name in ("two", "four"):
            answer = self.answer(0, self.made / f"{name}.dcp", "--against", self.made / f"{name}.safetensors")
            shapes = json.loads((self.made / f"{name}.json").read_text(encoding="utf-8"))
            count = sum(self.product(tensor["shape"]) for tensor in shapes.values())
            self.assertEqual((answer["against"]["tensors"], answer["against"]["elements"]), (len(shapes), count))

    @staticmethod
    def product(numbers):
        return functools.reduce(lambda a, b: a * b, numbers, 1)

    def test_another_world_size_is_equal(self):
        for left, right in (("two.dcp", "four.dcp"), ("four.dcp", "two.dcp")):
            answer = self.answer(0, self.made / left, "--against", self.made / right)
            self.assertEqual(answer["against"]["differences"], [])
            self.assertGreater(answer["against"]["tensors"], 30)
        self.assertRegex(self.expect_exit(0, "checkpoint", self.made / "two.dcp", "--against",
                                          self.made / "four.dcp").stdout, r"elements compared: equal\n$")

    def test_values_of_each_dtype_are_those_of_torch(self):
        """All codes of the small floats, NaN and infinity included, compared with torch's conversion to float64."""
        torch_program("types", self.folder)
        answer = self.answer(1, "codes.safetensors", "--against", "values.safetensors")
        self.assertEqual(answer["against"]["elements"], 4 * 256 + 2 * 2**16 + 6 * 600 + 100)
        self.assertEqual(kinds(answer["against"]["differences"]), ["dtype"])

    def test_one_changed_element_is_found(self):
        path = self.folder / "changed.safetensors"
        content = bytearray((self.made / "two.safetensors").read_bytes())
        header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
        begin = 8 + int.from_bytes(content[:8], "little") + header["rows"]["data_offsets"][0]
        for row, value in ((5, b"\0\0\x80\x41"), (7, b"\0\0\xc0\x7f")):  # 16 in place of 15, NaN in place of 21
            content[begin + row * 12:begin + row * 12 + 4] = value
        path.write_bytes(content)
        answer = self.answer(1, self.made / "four.dcp", "--against", path)
        (difference,) = answer["against"]["differences"]
        self.assertEqual({key: difference[key] for key in ("kind", "tensor", "count", "first", "left", "right", "largest")},
                         {"kind": "values", "tensor": "rows", "count": 2, "first": [5, 0], "left": "15", "right": "16",
                          "largest": None})
        self.assertEqual(difference["files"], ["__2_0.distcp", "changed.safetensors"])

    def test_a_missing_file(self):
        folder = self.copy()
        (folder / "__1_0.distcp").unlink()
        answer = self.answer(1, folder, "--name", "rows")
        self.assertEqual([problem["sentence"] for problem in answer["problems"]],
                         ["rows[4:8, 0:3] in __1_0.distcp (rank 1): the file is missing"])
        self.assertEqual(answer["problems"][0]["slice"], {"offsets": [4, 0], "sizes": [4, 3]})

    def test_a_slice_of_another_rank(self):
        """Rank 1's slice of `rows` is overwritten with that of rank 0."""
        folder = self.copy()
        (tensor,) = self.answer(0, folder, "--name", "rows")["tensors"]
        first, second = tensor["slices"]
        self.assertEqual(first["bytes"], second["bytes"])
        content = (folder / first["file"]).read_bytes()[first["offset"]:first["offset"] + first["bytes"]]
        with open(folder / second["file"], "r+b") as file:
            file.seek(second["offset"])
            file.write(content)
        (warning,) = self.answer(0, folder, "--name", "rows")["problems"]
        self.assertEqual((warning["kind"], warning["severity"], warning["files"]),
                         ("equal-slices", "warning", ["__1_0.distcp", "__0_0.distcp"]))
        for args in ((folder, self.made / "four.dcp"), (self.made / "four.dcp", folder)):
            answer = self.answer(1, args[0], "--against", args[1])
            found = {difference["kind"]: difference for difference in answer["against"]["differences"]}
            self.assertEqual(sorted(found), ["moved", "values"])
            self.assertEqual((found["values"]["count"], found["values"]["first"], found["values"]["largest"]), (12, [4, 0], 12))
            self.assertEqual((found["moved"]["slice"], found["moved"]["files"]),
                             ({"offsets": [4, 0], "sizes": [4, 3]}, ["__1_0.distcp"]))
            self.assertIn("at [0:4, 0:3]", found["moved"]["sentence"])

    def test_another_byte_offset_in_the_metadata(self):
        answer = self.answer(1, self.planted("byte"))
        found = [problem for problem in answer["problems"] if problem["severity"] == "error"]
        self.assertIn("unreadable", kinds(found))
        for problem in found:
            self.assertIn("__1_0.distcp", problem["files"])
            self.assertIn("rows[4:8, 0:3]", " ".join(each["sentence"] for each in found))

    def test_another_offset_in_the_tensor(self):
        """Two slices overlap, and elements are in no file."""
        answer = self.answer(1, self.planted("place"))
        self.assertEqual([(problem["kind"], problem["slice"]) for problem in answer["problems"] if problem["severity"] == "error"],
                         [("overlap", {"offsets": [3, 0], "sizes": [1, 3]}), ("missing", {"offsets": [7, 0], "sizes": [1, 3]})])
        self.assertEqual(answer["problems"][0]["files"], ["__0_0.distcp", "__1_0.distcp"])

    def test_a_slice_without_a_file(self):
        answer = self.answer(1, self.planted("storage"))
        self.assertEqual([problem["sentence"] for problem in answer["problems"] if problem["severity"] == "error"],
                         ["rows[4:8, 0:3]: the metadata lists this slice, but no file contains it",
                          "rows[4:8, 0:3]: 12 of 24 elements are in no file"])

    def test_the_metadata_of_megatron(self):
        answer = self.answer(0, self.planted("megatron"), "--against", self.made / "four.dcp")
        self.assertEqual(answer["format"], "torch.distributed.checkpoint of Megatron (torch_dist)")

    def test_names_that_no_checkpoint_needs(self):
        done = self.expect_exit(2, "checkpoint", self.planted("class"))
        self.assertRegex(done.stderr, "planted.dcp: .metadata: byte [0-9]+: got the name builtins.print, which Python would load "
                                      "or call, expected names that a checkpoint needs")

    def test_a_plan(self):
        plan = self.write("config.json", {"base_model_tp_plan": {"columns": "colwise", "grid": "rowwise"}})
        answer = self.answer(0, self.made / "two.safetensors", "--tp-plan", plan, "--ranks", "3", "--name", "columns")
        self.assertEqual([(each["rank"], each["slices"][0]["offsets"], each["files"]) for each in answer["plan"]],
                         [(rank, [2 * rank, 0], ["two.safetensors"]) for rank in range(3)])
        self.assertEqual(answer["problems"], [])

    def test_a_pipe_in_place_of_a_file(self):
        """Opening it would block."""
        folder = self.copy()
        (folder / "__1_0.distcp").unlink()
        os.mkfifo(folder / "__1_0.distcp")
        answer = self.answer(1, folder, "--name", "rows")
        self.assertEqual(kinds(answer["problems"]), ["missing"])


class WrongUse(ProgramTest):
    def test_refusals(self):
        self.expect_refusal("no: does not exist", "checkpoint", "no")
        self.expect_refusal(".: got a folder without .metadata and *.safetensors, expected a checkpoint of "
                            "torch.distributed.checkpoint, Megatron (torch_dist) or safetensors", "checkpoint", ".")
        self.expect_refusal("checkpoint: got one of --tp-plan and --ranks, expected both or none",
                            "checkpoint", ".", "--ranks", "2")


if __name__ == "__main__":
    unittest.main()
