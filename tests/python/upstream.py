"""Runs PyTorch's own DTensor tests on shardlens.tensor, each test on processes of its own, one a rank:

    python tests/python/upstream.py CHECKOUT/test/distributed/tensor/test_api.py ... [-k NAME]

Takes the tests of a checkout of PyTorch 2.15 as they are. What they import by DTensor's public names is
ours, and so are the placements that they import from behind these; the rest stays torch's own. Prints a
line a test: right, skipped, otherwise and why that is so, or the error of the first rank that had one;
exits 1 where any failed."""
import argparse
import builtins
import fnmatch
import importlib.util
import os
import subprocess
import sys
import types
import unittest

# Where we are to do otherwise than a test expects, and why.
OTHERWISE = {
    "RedistributeTest.test_redistribute_shard_dim_change_*":
        "a cut becomes another by all_to_all, where DTensor gathers among processes without GPUs",
    "RedistributeTest.test_redistribute_to_partial": "`prod` is no reduce op: c10d calls it `product`",
    "RedistributeTest.test_replicate_to_partial": "a whole becomes terms by redistribute(), too",
    "MultiDimRedistributeTest.test_redistribute_shard_dim_multi_dim_mesh": "fewer collectives do",
    "TestEmbeddingOp.test_sharded_embedding_colwise_max_norm_errors": "a largest norm is kept, not refused",
    "TestEmbeddingOp.test_embedding_compile": "nothing here is compiled by torch.compile",
}
COMMON = "torch.testing._internal.distributed._tensor.common_dtensor"
SECONDS = 300  # a test whose ranks part ways waits forever


def loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def redirected(path):
    """The module of tests on our names, each of its cases a rank of this process's."""
    import shardlens.tensor.placement_types
    import torch
    import torch.distributed as dist
    from shardlens import _processes
    from shardlens._redirect import redirect
    from torch.testing._internal import common_utils

    plain = builtins.__import__
    redirect()
    ours = builtins.__import__

    def either(name, globals=None, locals=None, fromlist=(), level=0):
        try:
            return ours(name, globals, locals, fromlist, level)
        except ImportError as error:
            if "behind DTensor's public names" not in str(error):
                raise
        module = plain(name, globals, locals, fromlist, level)
        public = {key: getattr(shardlens.tensor.placement_types, key, value) for key, value in vars(module).items()}
        return types.SimpleNamespace(**public) if fromlist else module
    builtins.__import__ = either
    _processes.start_process_group()
    where = os.path.join(torch.__path__[0], *COMMON.split(".")[1:]) + ".py"
    common = loaded("common_dtensor", where)  # by a name that is not torch's, its imports are ours
    sys.modules[COMMON] = common

    class OneRank(common.DTensorTestMixin, common_utils.TestCase):
        world_size = common.NUM_DEVICES
        device_type = "cpu"
        rank = dist.get_rank() if dist.is_initialized() else 0

    common.DTensorTestBase = common.DTensorContinuousTestBase = common.DTensorOpTestBase = OneRank
    common.create_local_tensor_test_class = lambda *args, **kwargs: None  # that is DTensor's simulation
    return loaded("upstream_tests", path)


def cases(module):
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            for name in unittest.defaultTestLoader.getTestCaseNames(kind):
                yield kind(name)


def run_rank(path, wanted):
    (case,) = (case for case in cases(redirected(path)) if f"{type(case).__name__}.{case._testMethodName}" == wanted)
    result = unittest.TestResult()
    try:
        case.run(result)
    except SystemExit:  # how tests of more GPUs than there are skip themselves
        result.addSkip(case, "needs GPUs")
    for _, text in result.errors + result.failures:
        print(text, file=sys.stderr, flush=True)
        os._exit(1)
    for _, why in result.skipped:
        print(f"skipped: {why}", flush=True)


def run_test(path, name, ranks):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(ranks), "--rdzv-backend",
               "c10d", "--rdzv-endpoint", "localhost:0", __file__, path, "--rank-of", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end in {SECONDS} s"
    if done.returncode == 0:
        return next((line for line in done.stdout.splitlines() if line.startswith("skipped")), "right")
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    why = next((why for tests, why in OTHERWISE.items() if fnmatch.fnmatch(name, tests)), None)
    if why:
        return f"otherwise: {why}"
    end = next((i for i, line in enumerate(lines) if "torch.distributed.elastic" in line), len(lines))
    raised = [line for line in lines[:end] if line and line[0] not in " [" and "Error" in line.split(":")[0]]
    return f"FAILED: {raised[0] if raised else lines[-1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("-k", default="", metavar="NAME", help="only tests whose name contains it")
    parser.add_argument("--rank-of", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="only list the tests, with their number of ranks")
    options = parser.parse_args()
    if options.rank_of:
        return run_rank(options.files[0], options.rank_of)
    if options.list:
        for case in cases(redirected(options.files[0])):
            print(f"{type(case).__name__}.{case._testMethodName} {getattr(case, 'world_size', 1)}")
        return
    failed = 0
    for path in options.files:
        listed = subprocess.run([sys.executable, __file__, path, "--list"], capture_output=True, text=True)
        if listed.returncode:
            print(f"{path}: FAILED: {listed.stderr.strip().splitlines()[-1]}")
            failed += 1
        for line in listed.stdout.splitlines():
            name, ranks = line.split()
            if options.k in name:
                verdict = run_test(path, name, int(ranks))
                failed += verdict.startswith(("FAILED", "no end"))
                print(f"{os.path.basename(path)} {name}: {verdict}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
