"""Jobs under torchrun, with the recorder and without: the same bits, no problem, and the expected steps, ranks and
placements.

SHARDLENS_JOBS_PYTHON is a Python with the packages of requirements.txt; jobs of missing packages are skipped."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import shardlens
except ImportError as error:
    sys.exit(f"No module named 'shardlens': {error}")

PROGRAMS = pathlib.Path(__file__).absolute().parent / "programs"
PYTHON = os.environ.get("SHARDLENS_JOBS_PYTHON", sys.executable)
STEPS, WIDTH = 4, 64
# Program -> its numbers of ranks, and the package that it needs beside torch.
JOBS = {"tensor_parallel": ((2, 4), ""), "fsdp": ((2, 4), ""), "hsdp": ((4,), ""), "tp_fsdp": ((4,), ""),
        "language_model": ((4,), ""), "ddp": ((2, 4), ""),
        "zero": ((2, 4), ""), "megatron": ((4,), ""), "pipeline": ((2, 3, 4), ""),
        "experts": ((2, 4), ""), "compiled": ((2, 4), ""), "context_parallel": ((2, 3, 4), ""),
        "hugging_face": ((2,), "transformers"), "hugging_face_experts": ((2,), "transformers"),
        "accelerated": ((2,), "accelerate")}

# Program -> the placements of its plain tensors: that of the first pattern that "role name axis" contains.
DATA_PARALLEL = [("^output", "S(0)"), ("", "R")]
FEEDFORWARD = [(r"up\.(weight|bias)", "S(0)"), (r"down\.weight", "S(1)")]
HUGGING_FACE = [("(q|k|v|gate|up)_proj |act_fn", "S(2)"), ("", "R")]
PLACEMENTS = {
    "tensor_parallel": [("", "R")], "compiled": [("", "R")], "fsdp": [("", "S(0)")], "hsdp": [("", "S(0)")],
    "tp_fsdp": [("tp$", "R"), ("dp$", "S(0)")], "language_model": [("tp$", "S(1)"), ("dp$", "S(0)")],
    "ddp": DATA_PARALLEL, "zero": DATA_PARALLEL, "accelerated": DATA_PARALLEL,
    "megatron": [(r"^output.*axis 1", "S(0)"), ("axis 1", "R"), *FEEDFORWARD, (r"\.up ", "S(1)"),
                 (r"\.down ", "P(sum)"), ("", "R")],
    "pipeline": [("", "on one rank")], "experts": [("", "S(0)")],
    "context_parallel": [("^output", "S(1)"), ("", "R")],
    "hugging_face": HUGGING_FACE, "hugging_face_experts": HUGGING_FACE}
# Program -> the share of the placements that are known, where it is less than 0.95. Sharded tensors hide what happens
# along dp. A rank has a stage of the pipeline alone, so that its tensors have no placement. The weight of the one
# expert of a rank is not a part of a tensor. With one sequence, the parts of a ring are shards of the sequence or the
# batch.
KNOWN = {"tp_fsdp": 0.5, "language_model": 0.5, "pipeline": 0, "experts": 0.66, "context_parallel": 0.72}


def has(package):
    return subprocess.run([PYTHON, "-c", f"import {package}"], capture_output=True, check=False).returncode == 0


class Jobs(unittest.TestCase):
    def ran(self, ranks, *command):
        """Runs a command line of Python on this number of ranks. Returns the digests that the ranks print."""
        ran = subprocess.run([PYTHON, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}",
                              *command, f"--steps={STEPS}", f"--width={WIDTH}"], capture_output=True, text=True,
                             check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        digests = dict(re.findall(r"^rank (\d): ([0-9a-f]{64})$", ran.stdout, re.MULTILINE))
        self.assertEqual(sorted(digests), [str(rank) for rank in range(ranks)])
        return digests

    def check(self, name, ranks):
        program = PROGRAMS / f"{name}.py"
        plain = self.ran(ranks, program)
        for values in ("none", "all"):
            with self.subTest(values=values), tempfile.TemporaryDirectory() as folder:
                record = ("-m", "shardlens", "record", "-o", folder, "--values", values)
                self.assertEqual(self.ran(ranks, *record, program), plain)
                recording = shardlens.open(folder)
                # A rank is late where the machine is busy with something else.
                self.assertEqual([str(each) for each in recording.problems if each.rule != "late-rank"], [])
                steps = recording.sql("SELECT name FROM events WHERE kind = 'Step' ORDER BY id")
                # The last one has the barrier of models.run().
                self.assertEqual([row.name for row in steps], [f"step {step + 1}" for step in range(STEPS + 1)])
                groups = {row.process_group for row in recording.sql(
                    "SELECT DISTINCT process_group FROM events WHERE kind = 'Collective'")}
                whole = f"0-{ranks - 1}" if ranks > 2 else "0,1"
                self.assertIn("2,3" if name in ("hsdp", "tp_fsdp", "megatron", "language_model") else whole, groups)

    def check_placements(self, name, ranks):
        with tempfile.TemporaryDirectory() as folder:
            record = ("-m", "shardlens", "record", "-o", folder, "--plain", "--values", "hashes")
            self.ran(ranks, *record, PROGRAMS / f"{name}.py")
            recording = shardlens.open(folder)
            self.assertEqual([str(each) for each in recording.problems if each.rule != "late-rank"], [])
            found = recording.placements()

        def truth(each):
            text = f"{each.role} {each.tensor} {each.axis}"
            return next(placement for pattern, placement in PLACEMENTS[name] if re.search(pattern, text))
        self.assertEqual([each for each in found if each.placement not in (None, truth(each))], [])
        known = [each for each in found if each.placement]
        self.assertGreaterEqual(len(known), KNOWN.get(name, 0.95) * len(found))


def test_of(name, ranks, package):
    def test(self):
        if package and not has(package):
            self.skipTest(f"{PYTHON} has no {package}")
        self.check(name, ranks)
        self.check_placements(name, ranks)
    return test


for _name, (_counts, _package) in JOBS.items():
    for _ranks in _counts:
        setattr(Jobs, f"test_{_name}_on_{_ranks}_ranks", test_of(_name, _ranks, _package))


if __name__ == "__main__":
    unittest.main()
