"""The GPU suite (app/bench/gpu/run_all) with fake programs that pass, fail, hang or are missing."""
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = ROOT / "app" / "bench" / "gpu"
sys.path.append(str(SUITE))

from gallery_on_gpus import differences  # pylint: disable=wrong-import-position
from report import figure_rows, figures_of, results_text
from suite import Part, Suite, has_failed

DEADLINE = 60  # seconds; a process that was not ended fails the test
LONG = 600  # a limit that is never reached
SHELL = "/bin/sh"


def finding(what, found, state="good"):
    return {"what": what, "state": state, "found": found, "todo": ""}


def doctor_answer(gpus):
    return json.dumps({"shardlens": 1, "backends": [
        {"backend": "simulated", "ready": True, "findings": [finding("torch", "2.15.0, /torch")]},
        {"backend": "nccl", "ready": False, "findings": [gpus]}]})


H200 = finding("GPUs", "NVIDIA H200 (139 GiB)")
NONE = finding("GPUs", "no NVIDIA driver", "absent")


class InAFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def part(self, script, limit=LONG, **more):
        return Part("part", [SHELL, "-c", script], limit, **more)


class APart(InAFolder):
    def outcome(self, part, seconds=LONG):
        return Suite(self.folder, seconds).run(part)

    def test_that_passes(self):
        outcome = self.outcome(self.part("echo one; echo two"))
        self.assertEqual((outcome.state, outcome.detail), ("passed", "two"))
        self.assertEqual((self.folder / "part.log").read_text(), "one\ntwo\n")
        self.assertFalse(has_failed(outcome))

    def test_that_fails(self):
        outcome = self.outcome(self.part("echo why >&2; exit 3"))
        self.assertEqual((outcome.state, outcome.detail), ("failed", "exit code 3; why"))
        self.assertTrue(has_failed(outcome))

    def test_that_cannot_run_here(self):
        outcome = self.outcome(self.part("echo torch finds no GPU; exit 77"))
        self.assertEqual((outcome.state, outcome.detail), ("cannot run", "torch finds no GPU"))
        self.assertFalse(has_failed(outcome))

    def test_that_is_missing(self):
        none = self.folder / "none"
        for optional in (False, True):
            outcome = self.outcome(Part("part", [SHELL, none], LONG, optional=optional))
            self.assertEqual((outcome.state, outcome.detail), ("missing", str(none)))
            self.assertEqual(has_failed(outcome), not optional)

    def test_that_cannot_start(self):
        outcome = self.outcome(Part("part", [self.folder], LONG))
        self.assertEqual(outcome.state, "failed")
        self.assertIn("Permission denied", outcome.detail)

    def test_is_not_started_when_the_time_is_over(self):
        outcome = self.outcome(self.part("true"), seconds=0)
        self.assertEqual(outcome.state, "not started")
        self.assertTrue(has_failed(outcome))

    def test_starts_without_the_log_of_an_earlier_run(self):
        (self.folder / "part.log").write_text("earlier\n")
        suite = Suite(self.folder, seconds=0)
        suite.run(self.part("true"))
        self.assertEqual(suite.output("part"), "")

    def test_that_hangs_is_stopped_at_its_limit(self):
        outcome = self.outcome(self.part("sleep infinity & wait", limit=0.1))
        self.assertEqual(outcome.state, "stopped")
        self.assertTrue(outcome.detail.startswith("exceeded its limit of "), outcome.detail)
        self.assertTrue(has_failed(outcome))

    def test_leaves_no_process(self):
        fifo = self.folder / "fifo"  # its reader sees the end when every writer has ended
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        outcome = self.outcome(self.part(f"exec 3>'{fifo}'; sleep infinity &"))
        self.assertEqual(outcome.state, "passed")
        self.assertTrue(select.select([reader], [], [], DEADLINE)[0], "a process is left")
        self.assertEqual(os.read(reader, 1), b"")


class TheSuite(InAFolder):
    def program(self, name, script):
        path = self.folder / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{SHELL}\n{script}\n")
        path.chmod(0o755)

    def run_all(self, *only):
        """Runs these parts of the real script. Returns its exit code and the rows of results.md."""
        chosen = [word for part in only for word in ("--only", part)]
        done = subprocess.run([sys.executable, SUITE / "run_all", "--build", self.folder / "build",
                               "--results", self.folder / "results", *chosen],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        lines = (self.folder / "results" / "results.md").read_text().splitlines()
        return done.returncode, [[cell.strip() for cell in line.strip("|").split(" | ")]
                                 for line in lines if line.startswith("| ")]

    def test_runs_the_remaining_parts_after_failures(self):
        self.program("bin/shardlens", f"echo '{doctor_answer(H200)}'")
        self.program("tests/kernels/kernels_test", "exit 1")
        self.program("bin/shardlens-gpu-bench", "echo 'lookup  2.0 us  copy 1.0 us  50.0 %'")
        code, rows = self.run_all("kernels_test", "nccl_test", "kernels")
        self.assertEqual(code, 1)
        self.assertIn(["GPUs", "NVIDIA H200 (139 GiB)"], rows)
        outcomes = {row[0]: row[1] for row in rows if len(row) == 4}
        self.assertEqual(outcomes, {"part": "outcome", "---": "---", "doctor": "passed",
                                    "kernels_test": "failed", "nccl_test": "missing",
                                    "kernels": "passed"})
        self.assertEqual(rows[-1], ["lookup", "2.0", "", "1.0", "50%", ""])

    def test_starts_no_part_that_needs_a_gpu_without_one(self):
        self.program("bin/shardlens", f"echo '{doctor_answer(NONE)}'")
        self.program("tests/kernels/kernels_test", "exit 1")
        code, rows = self.run_all("kernels_test")
        self.assertEqual(code, 0)
        self.assertIn(["kernels_test", "no GPU", "0.0", "no NVIDIA driver"], rows)

    def test_starts_all_parts_if_the_doctor_fails(self):
        self.program("bin/shardlens", "exit 1")
        self.program("tests/kernels/kernels_test", "echo fine")
        code, rows = self.run_all("kernels_test")
        self.assertEqual(code, 1)
        self.assertEqual(rows[-1][:2], ["kernels_test", "passed"])
        self.assertIn(["doctor", "has not answered"], rows)

    def test_refuses_unknown_parts(self):
        done = subprocess.run([sys.executable, SUITE / "run_all", "--only", "none"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only none: expected one of doctor, kernels_test,", done.stderr)


class WithTorch(InAFolder):
    """The script of the bundle, with a fake python that imports some torch, or none."""

    def setUp(self):
        super().setUp()
        text = (SUITE / "with_torch.in").read_text().replace("@torch_minor@", "2.15")
        self.script(self.folder / "with_torch", text)
        self.torch = self.folder / "packages" / "torch"
        for library in ("torch/lib", "nvidia/cu13/lib", "nvidia/nccl/lib"):
            (self.folder / "packages" / library).mkdir(parents=True)

    def script(self, path, text):
        path.write_text(text)
        path.chmod(0o755)

    def run_beside(self, python):
        """Returns the library folders, relative to that of the packages, and the warnings."""
        self.script(self.folder / "python", f"#!{SHELL}\n{python}\n")
        done = subprocess.run([self.folder / "with_torch", SHELL, "-c", "echo $LD_LIBRARY_PATH; echo $PATH"],
                              env={"PYTHON": str(self.folder / "python"), "PATH": os.environ["PATH"]},
                              capture_output=True, text=True, check=True)
        libraries, path = done.stdout.splitlines()
        self.assertTrue(path.startswith(f"{self.folder}/build/bin:"), path)
        folders = [os.path.relpath(each, self.torch.parent) for each in libraries.split(":") if each]
        return folders, done.stderr

    def test_of_the_same_version(self):
        folders, warning = self.run_beside(f"echo 2.15.1+cu130 {self.torch}")
        self.assertEqual(folders, ["torch/lib", "nvidia/cu13/lib", "nvidia/nccl/lib"])
        self.assertEqual(warning, "")

    def test_of_another_version(self):
        folders, warning = self.run_beside(f"echo 2.1.5 {self.torch}")
        self.assertEqual(folders, ["nvidia/cu13/lib", "nvidia/nccl/lib"])
        self.assertIn("got torch 2.1.5, expected 2.15", warning)

    def test_without_torch(self):
        folders, warning = self.run_beside("exit 1")
        self.assertEqual(folders, [])
        self.assertIn("imports no torch, expected 2.15", warning)


class Figures(InAFolder):
    TEXT = """GPU      NVIDIA H200, sm_90
lookup 16 of 1M x 64, float32          10.0 us       8.4 MB    841.0 GB/s   copy       8.0 us   80.0 %
all_reduce of 4 KiB, 2 ranks on 1 GPU          30.0 us
all_reduce of 4 KiB, 2 ranks on 1 GPU, raw NCCL          15.0 us
add, 4 ranks          32.0 us   host      31.0 us
lookup 16 of 1M x 64, float32, eager          90.0 us
lookup 16 of 1M x 64, float32, compiled          12.0 us
only torch has this, eager          1.0 us
"""

    def test_are_joined_by_case(self):
        self.assertEqual(list(figure_rows(figures_of(self.TEXT))), [
            ["lookup 16 of 1M x 64, float32", "10.0", "", "8.0", "80%", "eager 90.0 (9.0x), compiled 12.0 (1.2x)"],
            ["all_reduce of 4 KiB, 2 ranks on 1 GPU", "30.0", "", "", "", "raw NCCL 15.0 (0.5x)"],
            ["add, 4 ranks", "32.0", "31.0", "", "", ""]])

    def test_of_a_stopped_part_are_kept(self):
        suite = Suite(self.folder, LONG)
        suite.log("kernels").write_text("lookup          10.0 us\nlook")
        self.assertIn("| lookup | 10.0 |", results_text(suite))


class TheGallery(unittest.TestCase):
    @staticmethod
    def answer(data, placement="R", **more):
        result = {"shape": [2], "dtype": "float32", "placements": [placement],
                  "locals": [{"rank": 0, "shape": [2], "data": data}]}
        return {"ok": True, "results": {"y": result}, **more}

    def test_is_equal_up_to_rounding(self):
        self.assertEqual(list(differences(self.answer([1, 2]), self.answer([1.00001, 2]))), [])

    def test_differs_in_values(self):
        found = list(differences(self.answer([1, 2]), self.answer([1, 3])))
        self.assertEqual(found, ["y: rank 0 has other values"])
        self.assertEqual(list(differences(self.answer([1, 2], "MaskP(sum)"), self.answer([1, 3], "MaskP(sum)"))), [])

    def test_differs_in_results_placements_and_errors(self):
        refused = {"ok": False, "results": {}, "error": {"step": "y", "message": "no"}}
        self.assertEqual(list(differences(refused, self.answer([1, 2]))),
                         ["error {'step': 'y', 'message': 'no'}, simulated None", "y is missing on GPUs"])
        self.assertEqual(list(differences(self.answer([1, 2], "S(0)"), self.answer([1, 2]))),
                         ["y: placements ['S(0)'], simulated ['R']"])


if __name__ == "__main__":
    unittest.main()
