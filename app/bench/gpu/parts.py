"""The parts of the GPU suite."""
import pathlib
import shutil
import sys

from suite import DOCTOR, Part

HERE = pathlib.Path(__file__).resolve().parent
# The parts whose output has figures. Figures of this project come first.
FIGURES = ("kernels", "collectives", "end to end", "torch end to end", "torch kernels")
# The tests that compute-sanitizer checks: those of the GPU, without the largest ones.
SANITIZED = "*Kernels/1.*:Gpu.*-*MoreRows*:*MoreIds*"


def sanitizer():
    found = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    return [pathlib.Path(found), "--tool", "memcheck", "--error-exitcode", "1",
            "--target-processes", "all"]


def parts_of(root, build):
    """Returns the parts in their order. Correctness comes first; torch.compile, which takes longest,
    comes last."""
    shardlens = build / "bin" / "shardlens"
    kernels_test = build / "tests" / "kernels" / "kernels_test"
    nccl_test = build / "tests" / "comm" / "nccl" / "nccl_test"
    gallery = root / "resources" / "gallery"
    lookup = gallery / "01-vocabulary-parallel-embedding.json"
    oracle = root / "tests" / "oracle"
    cases = sorted((oracle / "cases").glob("*.jsonl")) or [oracle / "cases"]
    python = sys.executable
    gpu_cases = sorted((oracle / "gpu_cases").glob("*.jsonl"))  # of operators that only a GPU has
    replay = [python, oracle / "replay.py", shardlens, *cases]
    return [
        Part(DOCTOR, [shardlens, "doctor", "--json"], 20, needs_gpu=False),
        Part("kernels_test", [kernels_test, "--gtest_brief=1"], 30),
        Part("nccl_test", [nccl_test, "--gtest_brief=1"], 30),
        Part("oracle", [*replay, *gpu_cases, "--backend", "nccl"], 60),
        Part("oracle simulated", replay, 30, needs_gpu=False),
        Part("gallery", [python, HERE / "gallery_on_gpus.py", shardlens, gallery], 30),
        Part("kernels", [build / "bin" / "shardlens-gpu-bench"], 30),
        Part("collectives", [build / "bin" / "shardlens-nccl-bench"], 30),
        Part("end to end", [build / "bin" / "shardlens-end-to-end-bench"], 30),
        Part("torch end to end", [python, HERE / "torch_end_to_end.py"], 30),
        Part("sanitizer kernels", [*sanitizer(), kernels_test, f"--gtest_filter={SANITIZED}"], 20,
             optional=True),
        Part("sanitizer engine", [*sanitizer(), build / "bin" / "shardlens-engine", "run", "--backend",
                                  "nccl", lookup], 20, optional=True),
        Part("torch kernels", [python, HERE / "torch_figures.py"], 120),
    ]
