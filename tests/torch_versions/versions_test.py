"""The recorder of jobs under the torch of this Python: the same bits as without it, all collectives, no false problem,
and a statement of what this torch does not let it observe."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import torch
from torch.distributed.tensor import _redistribute

import shardlens

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "jobs/programs"
RANKS, STEPS, WIDTH = 2, 2, 32
VERSION = ".".join(torch.__version__.split(".")[:2])
# What the recorder reports as not available -> whether this torch has it.
CAPABILITIES = {
    "lookups of the strategy cache": hasattr(torch._C, "_get_DTensor_sharding_propagator_cache_stats"),
    "plans": hasattr(getattr(_redistribute, "_gen_transform_infos", None), "cache_info")
             and hasattr(_redistribute, "_optimize_transform_infos")}
# Problems that a version of torch itself has: (version, rule) -> operator. The clip_grad_norm_ of 2.9 adds a number to a
# partial norm, which is reduced only before the reciprocal. By the own counter of 2.11, addcdiv_ misses once in each
# step, because its key has the step's scalar.
OF_TORCH = {("2.9", "implicit-redistribution"): "aten.reciprocal: ", ("2.11", "growing-cache"): "aten.addcdiv_ "}


class Versions(unittest.TestCase):
    def ran(self, *command):
        """Runs a command line of Python on all ranks. Returns (digest, number of collectives) of each rank; 0 if the
        program does not count them."""
        ran = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone",
                              f"--nproc-per-node={RANKS}", *command, f"--steps={STEPS}", f"--width={WIDTH}"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        digests = dict(re.findall(r"^rank (\d): ([0-9a-f]{64})$", ran.stdout, re.MULTILINE))
        counts = dict(re.findall(r"^rank (\d) calls (\d+)$", ran.stdout, re.MULTILINE))
        self.assertEqual(len(digests), RANKS)
        return [(digests[rank], int(counts.get(rank, 0))) for rank in map(str, range(RANKS))]

    def check(self, program):
        expected = self.ran(HERE / "counted.py", program)
        for options in (["--values=none"], ["--values=hashes", "--plain"]):
            with self.subTest(options=options), tempfile.TemporaryDirectory() as folder:
                recorded = self.ran("-m", "shardlens", "record", "-o", folder, *options, program)
                self.assertEqual([digest for digest, _ in recorded], [digest for digest, _ in expected])
                for rank, (_, count) in enumerate(expected):
                    recording = shardlens.open(pathlib.Path(folder, f"rank-{rank}.shardlens"))
                    counted = recording.sql("SELECT count(*) AS count FROM events WHERE kind = 'Collective'")
                    self.assertEqual(counted[0].count, count)
                whole = shardlens.open(folder)
                problems = [problem for problem in whole.problems if not self.is_true(problem)]
                self.assertEqual([str(problem) for problem in problems], [])
                self.check_limits(whole.limits)

    def is_true(self, problem):
        """Returns whether the problem is one of the machine, on which a rank is late if it is busy, or of this torch."""
        return problem.rule == "late-rank" or any(
            (VERSION, problem.rule) == known and operator in str(problem) for known, operator in OF_TORCH.items())

    def check_limits(self, limits):
        for lost, has in CAPABILITIES.items():
            stated = [limit for limit in limits if limit.startswith(f"{lost}: not available on torch {VERSION}")]
            self.assertEqual(len(stated), 0 if has else 1, limits)

    def test_tensor_parallelism(self):
        self.check(PROGRAMS / "tensor_parallel.py")

    @unittest.skipIf(VERSION == "2.6", "torch's FSDP2 does not run on a CPU, also unrecorded")
    def test_fsdp2(self):
        self.check(PROGRAMS / "fsdp.py")

    def test_ddp(self):
        self.check(PROGRAMS / "ddp.py")

    @unittest.skipIf(VERSION in ("2.6", "2.7", "2.8", "2.9"), "torch's schedules hang on Gloo, also unrecorded")
    def test_pipelining(self):
        self.check(PROGRAMS / "pipeline.py")

    def test_plain_collectives(self):
        self.check(HERE / "collectives.py")

    def test_masked_embedding(self):
        self.check(HERE / "embedding.py")


if __name__ == "__main__":
    print(f"torch {torch.__version__}", file=sys.stderr)
    unittest.main()
