"""Runs PyTorch's DTensor tests on shardlens.tensor, each test in new processes, one per rank:

    python tests/python/upstream.py CHECKOUT/test/distributed/tensor/test_api.py ... [-k NAME]

Requires a checkout of PyTorch 2.15, whose tests run unchanged. Imports of DTensor's public names
and of its placements return shardlens.tensor's; private names stay torch's.

Prints one line per test: "right", "skipped", "otherwise" with the reason from OTHERWISE, or the
error of the first rank that failed, marked if torch's own DTensor fails, too. Exits with 1 if a
test failed only here. Each test file is loaded once. The ranks of a test are forks, which
rendezvous as under torchrun."""
import argparse
import builtins
import fnmatch
import importlib.util
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

FEWER_RANKS = "the plan is another: two collectives among fewer ranks can cost less than one among all ranks"
# Tests that expect something else than the intended behaviour here, with the reason.
OTHERWISE = {
    "RedistributeTest.test_redistribute_shard_dim_change_*":
        "shard to shard is an all_to_all; DTensor gathers if processes have no GPUs",
    "RedistributeTest.test_redistribute_to_partial": "`prod` is not a reduce op; c10d's name is `product`",
    "RedistributeTest.test_replicate_to_partial": "redistribute() also converts Replicate to Partial",
    "MultiDimRedistributeTest.test_redistribute_shard_dim_multi_dim_mesh": "the plan has fewer collectives",
    "TestEmbeddingOp.test_sharded_embedding_colwise_max_norm_errors": "max_norm is supported, not refused",
    "DTensorTest.test_dtensor_async_output": "collectives are complete when they return",
    "DTensorTest.test_dtensor_constructor": "tests the constructor with DTensorSpec, a private class",
    "DTensorTest.test_dtensor_spec_hash": "tests DTensorSpec, a private class",
    "TestDTensorSpec.*": "tests DTensorSpec, a private class",
    "test_common_rules.py": "tests DTensorSpec, a private class",
    "DTensorTest.test_shard_tensor*": "tests _shard_tensor(), a private function",
    "DTensorMeshTest.test_dtensor_spec_local_shard_offset":
        "tests compute_local_shape_and_global_offset(), a private function",
    "UtilTest.test_compute_*": "tests compute_local_shape_and_global_offset(), a private function",
    "TestExplicitRedistribute.*": "tests ExplicitRedistributionContext, a private class",
    "DistributeWithDeviceOrderTest.test_ordered_redistribute":
        "reads DTensor's plan from DebugMode; the plan here is in explain()",
    "DistributeWithDeviceOrderTest.test_force_min_cost_redistribution_plan":
        "reads DTensor's plan from DebugMode; the plan here is in explain()",
    "DistributeWithDeviceOrderTest.test_debug_mode_shows_optimized_trace":
        "reads DTensor's plan from DebugMode; the plan here is in explain()",
    "DistributeWithStridedShardTest.test_strided_shard_redistribution":
        "reads DTensor's plan from DebugMode; the plan here is in explain()",
    "DistributeWithDeviceOrderTest.test_graph_based_redistribute_cost": "tests redistribute_cost(), a private function",
    "DistributeWithDeviceOrderTest.test_redistribute_partial_to_different_partial_not_supported":
        "tests redistribute_local_tensor(), a private function",
    "DistributeWithDeviceOrderTest.test_ordered_all_gather_with_flattening": FEWER_RANKS,
    "FlattenedReductionIntegrationTest.test_merging_reductions": FEWER_RANKS,
    "MultiDimRedistributeOptimizationTest.*": FEWER_RANKS,
    "OptimizeFlattenedReductionsTest.*": "tests _optimize_transform_infos(), a private function",
    "TransformInfoTest.*": "tests _TransformInfo, a private class",
    "TestDTensorPlacementTypes.test_split_tensor": "tests _split_tensor(), a private function",
    "DistElementwiseOpsTest.test_mul_div_scalar_partial":
        "integer partial values are reduced before a division",
    "DistElementwiseOpsTest.test_add_sub_scalar_partial":
        "the number is added to one partial value, so that nothing is sent",
    "DTensorMeshTest.test_vmap_embedding":
        "torch.vmap adds plain tensors, which cannot be mixed with sharded ones",
    "TestDTensorOptimizer.test_optimizer_foreach_supported_types_include_DTensor":
        "a sharded tensor's class is torch.Tensor or Parameter, which foreach accepts",
    "DistElementwiseOpsTest.test_dropout_errors": "partial values are reduced before a dropout, not refused",
    "DistTensorOpsTest.test_fill_inplace_partial_sum":
        "fill_() sets the value of the whole tensor; with DTensor the sum is a multiple of it",
    "DistTensorOpsTest.test_dtensor_dtype_conversion": "reads DTensor's own cache; the cache here is in cache_info()",
    "DistTensorRandomInitTest.test_init_ops": "random numbers equal those of the plain tensor",
    "DistTensorParallelExampleTest.test_loss_parallel":
        "the loss has fewer collectives, and also accepts logits that are not sharded by class",
    "TestShardedOptimizer.*": "tests ShardedTensor, not DTensor",
    "TestRegisterSharding.*": "register_sharding() is refused: the engine has its own rules",
    "TestCommModeFeatures.*_module_tracing": "tests advanced_module_tracker, a private class",
    "DistMathOpsTest.test_nll_loss_and_cross_entropy": "classes stay sharded, and their sums are reduced",
}
PRIVATE = {"_split_tensor", "_split_tensor_helper"}
COMMON = "torch.testing._internal.distributed._tensor.common_dtensor"


def loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def redirected(path):
    """Loads the file of tests with imports redirected to shardlens.tensor.

    Returns the module and the base class of its test cases. Creates no process group: each rank
    is a fork of this process and creates it after the fork."""
    import shardlens.tensor.placement_types
    import torch
    from shardlens._redirect import redirect
    from torch.testing._internal import common_utils

    plain = builtins.__import__
    from torch.distributed.tensor import placement_types as theirs
    from torch.distributed.tensor._dtensor_spec import TensorMeta
    redirect()
    ours = builtins.__import__

    def either(name, globals=None, locals=None, fromlist=(), level=0):
        try:
            module = ours(name, globals, locals, fromlist, level)
            missing = [each for each in fromlist or () if each[:1] == "_" and not hasattr(module, each)]
            if not missing:
                return module
            private = plain(name, globals, locals, fromlist, level)
            return types.SimpleNamespace(**vars(module) | {each: getattr(private, each) for each in missing})
        except ImportError as error:
            if "got a private module of DTensor" not in str(error):
                raise
        module = plain(name, globals, locals, fromlist, level)
        if not fromlist:  # `import torch.distributed.tensor.NAME as other` reads NAME from our module
            setattr(shardlens.tensor, name.rpartition(".")[2], sys.modules[name])
            return module
        public = {key: getattr(shardlens.tensor.placement_types, key, value) for key, value in vars(module).items()}
        return types.SimpleNamespace(**public)
    builtins.__import__ = either
    for kind in ("Shard", "_StridedShard"):  # private helpers that tests call for the expected shards
        own, its = getattr(shardlens.tensor.placement_types, kind), vars(getattr(theirs, kind))
        for name in PRIVATE & its.keys():
            setattr(own, name, its[name])
    torch.Tensor._spec = property(lambda x: types.SimpleNamespace(  # the fields of DTensorSpec that tests read
        placements=x.placements, mesh=x.device_mesh, tensor_meta=TensorMeta(x.shape, x.stride(), x.dtype)))
    where = os.path.join(torch.__path__[0], *COMMON.split(".")[1:]) + ".py"
    common = loaded("common_dtensor", where)  # under another name than torch's, so that its imports are redirected
    sys.modules[COMMON] = common

    take_shard_orders(common, shardlens.tensor)

    class OneRank(common.DTensorTestMixin, common_utils.TestCase):
        world_size = common.NUM_DEVICES
        device_type = "cpu"
        rank = 0

        def assertEqualOnRank(self, x, y, msg=None, *, rank=0):
            if self.rank == rank:
                self.assertEqual(x, y, msg)

    common.DTensorTestBase = common.DTensorContinuousTestBase = common.DTensorOpTestBase = OneRank
    common.create_local_tensor_test_class = lambda *args, **kwargs: None  # DTensor's simulation of ranks: not tested
    return loaded("upstream_tests", path), OneRank


def take_shard_orders(common, ours):
    """Replaces PyTorch's test helpers for shard orders with ones that use strided shards."""
    def placements_of(placements, shard_order, mesh):
        found = list(placements or [ours.Replicate()] * mesh.ndim)
        for entry in shard_order or ():
            for place, axis in enumerate(entry.mesh_dims):
                pieces = math.prod(mesh.size(other) for other in entry.mesh_dims[:place] if other > axis)
                found[axis] = (ours.Shard(entry.tensor_dim) if pieces == 1 else
                               ours.StridedShard(entry.tensor_dim, split_factor=pieces))
        return found

    def redistribute(x, mesh, placements, shard_order):
        return x.redistribute(mesh, placements_of(placements, shard_order, mesh))

    def distribute_tensor(tensor, mesh, placements, shard_order, src_data_rank=0):
        return ours.distribute_tensor(tensor, mesh, placements_of(placements, shard_order, mesh),
                                      src_data_rank=src_data_rank)
    common.redistribute, common.patched_distribute_tensor = redistribute, distribute_tensor


def cases(module):
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            for name in unittest.defaultTestLoader.getTestCaseNames(kind):
                yield kind(name)


class Store:
    """The TCPStore for the rendezvous of a test's ranks, in a separate process like torchrun's agent."""

    def __enter__(self):
        own, given = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            from torch.distributed import TCPStore
            store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
            os.write(given, str(store.port).encode())
            os.close(given)
            signal.pause()
        os.close(given)
        with os.fdopen(own) as pipe:
            port = pipe.read(8)
        return {"MASTER_ADDR": "localhost", "MASTER_PORT": port, "TORCHELASTIC_USE_AGENT_STORE": "True",
                "TORCHELASTIC_RESTART_COUNT": "0"}

    def __exit__(self, *exception):
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def verdict_of_rank(case, one_rank):
    """Runs the test on this process's rank. Returns the verdict, or an empty string if it passed."""
    from shardlens import _processes
    from torch import distributed
    _processes.start_process_group()
    one_rank.rank = distributed.get_rank() if distributed.is_initialized() else 0
    result = unittest.TestResult()
    case.run(result)
    for _, text in result.errors + result.failures:
        if "\nSystemExit: " in text:  # raised by tests that need more GPUs than available
            return "skipped: needs GPUs"
        print(text, file=sys.stderr, flush=True)
        raised = [line for line in text.splitlines() if line[:1].strip() and "Error" in line.split(":")[0]]
        return f"FAILED: {raised[0] if raised else text.splitlines()[-1]}"
    return next((f"skipped: {why}" for _, why in result.skipped), "")


def start_rank(rank, ranks, case, one_rank, store, folder):
    process = os.fork()
    if process:
        return process
    os.environ |= store | {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks),
                           "LOCAL_WORLD_SIZE": str(ranks)}
    output = os.open(folder / f"output-{rank}", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    verdict = "FAILED: no verdict"
    try:
        verdict = verdict_of_rank(case, one_rank)
    except BaseException as error:
        verdict = f"FAILED: {type(error).__name__}: {error}"
    (folder / f"verdict-{rank}").write_text(verdict)
    os._exit(verdict.startswith("FAILED"))


def run_test(case, ranks, one_rank, seconds, shows_output):
    """Runs a test on all its ranks. Returns the verdict of the first failed rank, else of rank 0.

    Kills the remaining ranks after a failure, or after `seconds`. If `shows_output`, prints the output of
    the failed rank."""
    with tempfile.TemporaryDirectory() as folder, Store() as store:
        folder = pathlib.Path(folder)
        left = {start_rank(rank, ranks, case, one_rank, store, folder): rank for rank in range(ranks)}
        failed, until = None, time.monotonic() + seconds
        while left and failed is None and time.monotonic() < until:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process in left:
                rank = left.pop(process)
                failed = (rank, status) if status else None
            elif process == 0:
                time.sleep(0.01)
        for process in left:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        if failed is None:
            return f"no end in {seconds} s" if left else (folder / "verdict-0").read_text() or "right"
        rank, status = failed
        if shows_output:
            print((folder / f"output-{rank}").read_text())
        if os.WIFSIGNALED(status):
            return f"FAILED: killed by {signal.Signals(os.WTERMSIG(status)).name}"
        return (folder / f"verdict-{rank}").read_text()


def fails_on_torchs_own(path, name, seconds):
    """Runs the test file without redirection. Returns whether the test fails on torch's own DTensor."""
    try:
        ran = subprocess.run([sys.executable, path, name], capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode != 0


def verdict_of(path, name, argument, ran, seconds):
    """Returns the verdict to print for a test, or for a file that does not load.

    Adds the reason from OTHERWISE, or whether torch's own DTensor fails, too. `argument` selects
    the test on the command line of its file."""
    why = next((why for tests, why in OTHERWISE.items() if fnmatch.fnmatch(name, tests)), None)
    if why and ran != "right":
        return f"otherwise: {why}"
    if ran.startswith("FAILED") and fails_on_torchs_own(path, argument, seconds):
        return ran.replace("FAILED", "fails on torch's own, too", 1)
    return ran


def run_file(path, part_of_name, seconds, shows_output):
    """Runs the tests of a file and prints their verdicts. Returns False if one failed only here."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.pop("CI", None)  # if it is set, torch's test files require a package for XML reports
    try:
        module, one_rank = redirected(path)
    except Exception as error:
        verdict = verdict_of(path, os.path.basename(path), "-h", f"FAILED: {type(error).__name__}: {error}", seconds)
        print(f"{path}: {verdict}")
        return not verdict.startswith("FAILED")
    right = True
    for case in cases(module):
        name = f"{type(case).__name__}.{case._testMethodName}"
        if part_of_name not in name:
            continue
        ran = run_test(case, getattr(case, "world_size", 1), one_rank, seconds, shows_output)
        verdict = verdict_of(path, name, name, ran, seconds)
        right = right and not verdict.startswith(("FAILED", "no end"))
        print(f"{os.path.basename(path)} {name}: {verdict}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("-k", default="", metavar="NAME", help="only tests whose name contains it")
    parser.add_argument("--verbose", action="store_true", help="also print the output of the failed rank")
    parser.add_argument("--seconds", type=int, default=300, help="the time limit of a test; its ranks may wait forever")
    options = parser.parse_args()
    for path in options.files:
        if not os.path.isfile(path):
            parser.error(f"{path} is not a file")
    if len(options.files) == 1:
        sys.exit(not run_file(options.files[0], options.k, options.seconds, options.verbose))
    more = ["-k", options.k, "--seconds", str(options.seconds)] + ["--verbose"] * options.verbose
    ran = [subprocess.run([sys.executable, __file__, path, *more]) for path in options.files]
    sys.exit(any(each.returncode for each in ran))


if __name__ == "__main__":
    main()
