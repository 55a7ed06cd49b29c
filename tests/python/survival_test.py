"""A recorded job ends as the unrecorded one, with the same bits, whatever the recorder meets."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import load_tests, warm_python  # noqa: F401

try:
    import torch
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

# Rank 0 of two. BEFORE runs before the recording begins, and BODY in it; BODY adds tensors to `made`,
# whose bits are printed.
PROGRAM = """
import contextlib, hashlib, os, sys
import torch, torch.distributed as dist
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
mesh = init_device_mesh("cpu", (2,))
torch.manual_seed(0)
made = []
folder = sys.argv[1]
BEFORE
recording = contextlib.nullcontext()
if folder:
    from shardlens._job import JobRecording
    recording = JobRecording(folder, VALUES, plain=PLAIN)
def work():
    weight = distribute_tensor(torch.randn(4, 4), mesh, [Shard(0)]).requires_grad_()
    loss = (distribute_tensor(torch.randn(4, 4), mesh, [Replicate()]) @ weight).relu().sum()
    loss.redistribute(placements=[Replicate()]).to_local().backward()
    made.append(weight.grad.to_local())
    return weight
with recording:
    BODY
bits = [each.detach().contiguous().numpy().tobytes() for each in made]
print(len(bits), hashlib.sha256(b"".join(bits)).hexdigest())
"""


class Survival(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.scratch = pathlib.Path(held.name)

    def script(self, body, before="", plain=False, values="all"):
        path = self.scratch / "script.py"
        path.write_text(PROGRAM.replace("BEFORE", before).replace("PLAIN", str(plain)).replace(
            "VALUES", repr(values)).replace("BODY", body.strip().replace("\n", "\n    ")))
        return path

    def ran(self, *arguments, **environment):
        return subprocess.run([warm_python(), *map(str, arguments)], capture_output=True, text=True, check=False,
                              env={**os.environ, "RANK": "0", "WORLD_SIZE": "2", **environment})

    def recorded(self, body, before="", code=0, plain=False, values="all"):
        """Runs the program without and with a recording, and returns the recording, if the program
        has ended in the same way."""
        script, folder = self.script(body, before, plain, values), self.scratch / "recording"
        plain, recorded = self.ran(script, ""), self.ran(script, folder)
        self.assertEqual((plain.returncode, recorded.returncode), (code, code), plain.stderr + recorded.stderr)
        self.assertEqual(plain.stdout, recorded.stdout)
        if code == 0:
            self.assertRegex(plain.stdout, r"[1-9]\d* [0-9a-f]{64}\n$")
        self.complaint = recorded.stderr
        return shardlens.open(folder) if folder.exists() else None

    def failures(self, recording):
        return [row.name for row in recording.sql("SELECT name FROM events WHERE kind = 'Error'")]

    def operators(self, recording):
        return {row.name for row in recording.sql("SELECT name FROM events WHERE kind = 'Operator'")}

    def test_higher_order_operators(self):
        recording = self.recorded("""
from torch._higher_order_ops import scan, while_loop
from torch.nn.attention.flex_attention import flex_attention
x = torch.randn(4)
made.append(torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)))
made.append(while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x))[1])
made.append(scan(lambda sum, y: (sum + y, sum * y), torch.zeros(()), x)[1])
q = torch.randn(1, 2, 16, 8)
made.append(flex_attention(q, q, q))
made.append(torch.compile(flex_attention, backend="aot_eager")(q, q, q))
work()
""")
        self.assertEqual(self.failures(recording), [])
        self.assertIn("aten.mm", self.operators(recording))

    def test_no_lookup_is_recorded_for_an_operator_that_follows_unseen_ones(self):
        # is_same_size looks nothing up; sin and cos do, where the dispatch mode does not see them.
        recording = self.recorded("""
from torch.utils._python_dispatch import _disable_current_modes
x = distribute_tensor(torch.randn(4), mesh, [Shard(0)])
x.sin()
with _disable_current_modes():
    made.append(x.sin().to_local())
torch.ops.aten.is_same_size(x, x)
x.sin()
work()
""")
        looked_up = recording.sql("SELECT o.name FROM events o JOIN events l ON l.parent = o.id "
                                  "WHERE l.kind = 'CacheLookup' AND o.name IN ('aten.is_same_size', 'aten.sin')")
        self.assertEqual([row.name for row in looked_up], ["aten.sin"] * 2)
        self.assertIn("aten.is_same_size", self.operators(recording))

    def test_keys_of_caches_name_the_argument_that_differs(self):
        recording = self.recorded("""
weight = distribute_tensor(torch.randn(4, 4), mesh, [Shard(0)])
for rows in range(3, 25):
    x = distribute_tensor(torch.randn(rows, 4), mesh, [Shard(0)])
    made.append((x @ weight).to_local())
""")
        self.assertIn("the strategy cache of aten.mm never hits: 22 misses; self has 22 values in 22 misses",
                      [problem.sentence for problem in recording.problems])

    def test_tensors_that_torch_swaps(self):
        # torch refuses to swap a tensor that has a weak reference. The parameters have names in the recording
        # before all conversions but to_empty().
        for plain in (False, True):
            recording = self.recorded("""
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
torch.__future__.set_swap_module_params_on_conversion(True)
class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.column, self.sharded, self.whole = (nn.Linear(4, 4) for _ in range(3))
        self.norm = nn.BatchNorm1d(4)
    def forward(self, x):
        return self.norm(self.whole(self.column(x) + self.sharded(x)))
with torch.device("meta"):
    layers = Layers()
parallelize_module(layers.column, mesh, ColwiseParallel(output_layouts=Replicate()))
fully_shard(layers.sharded, mesh=mesh)
layers.to_empty(device="cpu")
layers.norm.reset_running_stats()
with torch.no_grad():
    for parameter in layers.parameters():
        parameter.fill_(0.5)
for _ in range(2):
    layers(torch.eye(4)).square().sum().backward()
    torch.optim.SGD(layers.parameters(), lr=0.1).step()
    layers.zero_grad()
    for layer in (layers.column, layers.whole, layers.norm):
        layer.double()
        layer.float()
for parameter in layers.parameters():
    made.append(parameter.to_local() if isinstance(parameter, DTensor) else parameter)
""", plain=plain)
            self.assertEqual(self.failures(recording), [])
            names = [row.name for row in recording.sql("SELECT name FROM tensors")]
            # Each conversion makes a tensor with the same name, which an operator reads.
            self.assertGreaterEqual(names.count("column.weight"), 3, names)

    def test_placements_and_tensors_of_the_programs_own(self):
        recording = self.recorded("""
class Odd(Replicate):
    def __str__(self):
        return "Odd()"
    def __eq__(self, other):
        return isinstance(other, Odd)
    __hash__ = object.__hash__
class Named(torch.Tensor):
    pass
odd = DTensor.from_local(torch.ones(2), mesh, [Odd()], run_check=False)
made.append(odd.to_local())
made.append(DTensor.from_local(torch.randn(2).as_subclass(Named), mesh, [Shard(0)]).sin().to_local())
work()
""")
        self.assertEqual(self.failures(recording), [])
        self.assertIn("tensors as (Odd()) on ", recording.meta["limits"])
        self.assertIn("aten.mm", self.operators(recording))

    def test_plain_tensors_of_all_kinds(self):
        for values in ("all", "hashes"):
            recording = self.recorded("""
import warnings
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.two_tensor import TwoTensor
warnings.simplefilter("ignore")
class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ("untyped_storage", "stride", "__get__"):
            raise LookupError("on purpose")
        return super().__torch_function__(func, types, args, kwargs or {})
class Returns(torch.nn.Module):
    def forward(self, x):
        return x
returns = Returns()
x = torch.randn(4, 4)
sparse = x.relu().to_sparse()
rows = [torch.randn(2, 3), torch.randn(4, 3)]
jagged = torch.nested.nested_tensor(rows, layout=torch.jagged)
small = torch.randn(4, dtype=torch.cfloat).to(torch.complex32)
made += [sparse @ x, (sparse + sparse).to_dense(), x.to_sparse_csr() @ x]
made.append(torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).int_repr())
made.append((torch.nested.nested_tensor(rows) * 2).to_padded_tensor(0.0))
made.append((jagged.sin() * 2).values())
made.append((TwoTensor(x, x).sin() + 1).a)
made.append(torch.view_as_real(small.conj().clone().to(torch.cfloat)))
made.append(torch.zeros(4, dtype=torch.uint8).view(torch.bits8).view(torch.uint8))
made += [x.to(dtype).float() for dtype in (torch.float8_e4m3fn, torch.float8_e5m2)]
made += [torch.tensor(2.0).sin(), torch.zeros(0, 3).sin(), torch.zeros(0).sum(), torch.arange(3).to(torch.uint16)]
made.append(torch.func.vmap(torch.sin)(x))
for each in (x.as_subclass(Loud), sparse, jagged, small, TwoTensor(x, x), torch.tensor(1.0), torch.zeros(0),
             torch.zeros(2, device="meta")):
    returns(each)
with FakeTensorMode():
    returns(torch.zeros(3).sin())
freed = torch.randn(8)
freed.untyped_storage().resize_(0)
returns(freed.detach())
made.append(returns(x.cosh()))
""", plain=True, values=values)
            self.assertEqual(self.failures(recording), [])
            self.assertIn("aten.cosh", self.operators(recording))

    def test_modes_of_the_program_receive_its_own_calls_only(self):
        recording = self.recorded("""
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
class Functions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append(func.__name__)
        return func(*args, **(kwargs or {}))
class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        seen.append(str(func))
        return func(*args, **(kwargs or {}))
seen = []
layer = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for mode in (Functions, Operators):
    with mode():
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
print(seen)
made.append(layer.weight)
work()
""", plain=True)
        self.assertEqual(self.failures(recording), [])

    def test_threads_and_forks_with_plain_tensors(self):
        recording = self.recorded("""
import threading
layer = torch.nn.Linear(2, 2)
child = os.fork()
if child == 0:
    torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
    os._exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
threads = [threading.Thread(target=lambda: [layer(torch.ones(1, 2)).erf() for _ in range(50)]) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(50):
    made.append(layer(torch.ones(1, 2)).tan())
for thread in threads:
    thread.join()
""", plain=True, values="hashes")
        self.assertEqual(self.failures(recording), [])
        operators = self.operators(recording)
        self.assertIn("aten.tan", operators)
        self.assertNotIn("aten.erf", operators)

    def test_a_hook_that_fails_is_reported_once_and_the_others_keep_recording(self):
        recording = self.recorded("work(), work()", before="""
import shardlens._jobs
def broken(*_):
    raise LookupError("on purpose")
shardlens._jobs.JobRecorder.plan = shardlens._jobs.JobRecorder.begin_collective = broken
""")
        self.assertEqual(self.failures(recording), [
            "recorder failed: collectives: LookupError: on purpose",
            "recorder failed: torch.distributed.tensor._redistribute._optimize_transform_infos: LookupError: on purpose",
            "recorder failed: torch.distributed._functional_collectives.all_reduce: LookupError: on purpose"])
        self.assertIn("aten.relu", self.operators(recording))
        self.assertEqual(recording.sql("SELECT count(*) AS n FROM events WHERE kind = 'Redistribute'")[0].n % 2, 0)

    def test_a_recorder_of_operators_that_fails(self):
        recording = self.recorded("work()", before="""
def broken():
    raise LookupError("on purpose")
torch._C._get_DTensor_sharding_propagator_cache_stats = broken
""")
        self.assertEqual(self.failures(recording), ["recorder failed: operators: LookupError: on purpose"])

    def test_values_that_cannot_be_read(self):
        recording = self.recorded("work()", before="""
from shardlens._job import tensors
def broken(*_):
    raise LookupError("on purpose")
tensors.is_fake = broken
""")
        self.assertEqual(self.failures(recording), ["recorder failed: values: LookupError: on purpose"])
        self.assertIn("aten.mm", self.operators(recording))

    def test_values_whose_memory_was_freed(self):
        recording = self.recorded("""
whole = distribute_tensor(torch.randn(4, 4), mesh, [Shard(0)])
part = DTensor.from_local(torch.randn(8, 4)[4:], mesh, [Shard(0)])  # does not begin where its memory does
for freed in (whole.clone(), whole.t().clone(), part):
    freed.to_local().untyped_storage().resize_(0)
    freed.detach()
work()
""")
        self.assertEqual(self.failures(recording), [])
        self.assertIn("aten.detach", self.operators(recording))

    def test_a_torch_without_the_private_parts_of_dtensor(self):
        recording = self.recorded("work()", before="""
from torch.distributed.tensor import _api, _redistribute, placement_types
_redistribute._gen_transform_infos = _redistribute._gen_transform_infos.__wrapped__
del _api._dtensor_init_helper, placement_types.MaskBuffer
del torch._C._get_DTensor_sharding_propagator_cache_stats, torch._C._current_autograd_node
""")
        self.assertEqual(self.failures(recording), [])
        lacks = f"not available on torch {'.'.join(torch.__version__.split('.')[:2])}, because"
        self.assertEqual(recording.limits, [
            f"lookups of the strategy cache: {lacks} it does not count them",
            f"mask buffers: {lacks} it has no materialize_mask",
            f"results of factories, as zeros(): {lacks} it has no _dtensor_init_helper",
            f"plans: {lacks} it has no cache of them"])
        self.assertIn("aten.mm", self.operators(recording))

    def test_a_disk_that_is_full(self):
        self.recorded("""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
for _ in range(20):
    DTensor.from_local(torch.randn(64, 64), mesh, [Shard(0)])
work()
""")
        self.assertIn("shardlens: the recording of this rank is not complete: ", self.complaint)

    def test_values_are_dropped_first_where_the_disk_is_too_slow(self):
        # Another connection locks the file, until more than half of what may wait is values of 64 KiB. That
        # takes little time, because the writer gives up a locked file after 5 s.
        recording = self.recorded("""
import sqlite3
full = distribute_tensor(torch.ones(32768), mesh, [Shard(0)])
local = full.to_local()
if folder:
    number = recording._tensors.numbers.number(full, "full")
    other = sqlite3.connect(recording.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(2200):
        recording._jobs.value(number, local.shape, local.data_ptr(), local.nbytes)
x = DTensor.from_local(torch.ones(2), mesh, [Shard(0)])
if folder:
    other.execute("COMMIT")
    other.close()
work()
""")
        self.assertEqual(recording.limits, ["values are missing: the disk was slower than the job"])
        made, = recording.sql("SELECT id FROM events WHERE name = 'from_local'")
        self.assertEqual(recording.sql(f"SELECT id FROM shard_values WHERE event = {made.id}"), [])

    def test_other_threads_run_while_the_recorder_waits_for_the_disk(self):
        # The thread that unlocks the file runs only when the recorder, whose queue is full, gives up the GIL.
        recording = self.recorded("""
import sqlite3, threading
if folder:
    other = sqlite3.connect(recording.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    is_full = threading.Event()
    def unlock():
        is_full.wait()
        other.execute("COMMIT")
        other.close()
    thread = threading.Thread(target=unlock)
    thread.start()
    sys.setswitchinterval(1e6)
    is_full.set()
    for number in range(300):
        recording.error(RuntimeError, RuntimeError(f"{number} " + "x" * 2**20), None)
    sys.setswitchinterval(0.005)
    thread.join()
work()
""")
        self.assertEqual(len(self.failures(recording)), 300)
        self.assertGreater(int(recording.meta["waited"]), 0)

    def test_a_thread_that_closes_the_recording(self):
        # As os._exit() in a thread of the program does. The thread that records continues meanwhile.
        for keep in ("", "1s"):
            ran = self.ran("-c", """
import sys, threading
from shardlens import _jobs
sys.setswitchinterval(1e-6)
for number in range(5):
    recorder = _jobs.JobRecorder(sys.argv[1], [], 0, 1, {}, [], lambda: None, int,
                                 steps="", keep=sys.argv[2], operators="")
    begins = threading.Event()
    def calls(call):
        begins.wait()
        call()
    threads = [threading.Thread(target=calls, args=(call,)) for call in (recorder.close, recorder.flush)]
    for thread in threads:
        thread.start()
    for count in range(200):
        if count == 100:
            begins.set()
        recorder.error(str(count))
    for thread in threads:
        thread.join()
""", self.scratch / "closed.shardlens", keep)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            recording = shardlens.open(self.scratch / "closed.shardlens")
            errors = self.failures(recording)
            self.assertGreaterEqual(len(errors), 100)
            self.assertEqual(errors, [str(count) for count in range(len(errors))])

    def test_a_folder_that_is_removed(self):
        body = "work(); import shutil; shutil.rmtree(folder, ignore_errors=True); work()"
        self.assertIsNone(self.recorded(body))
        self.assertIn("rank-0.shardlens: the file was removed while it was recorded", self.complaint)

    def test_the_command_fails_for_a_lost_recording_only_if_the_script_succeeds(self):
        folder = self.scratch / "lost"
        record = ("-m", "shardlens", "record", "-o", folder)
        for ranks, code, expected in (("1", 0, 1), ("1", 3, 3), ("2", 0, 0)):
            script = self.scratch / "removes.py"
            script.write_text("import shutil, sys\n"
                              f"shutil.rmtree({str(folder)!r})\n"
                              f"sys.exit({code})\n")
            ran = self.ran(*record, script, WORLD_SIZE=ranks)
            self.assertEqual(ran.returncode, expected, ran.stderr)
            self.assertIn("the file was removed while it was recorded", ran.stderr)

    def test_a_program_that_leaves_by_os_exit(self):
        recording = self.recorded("work(); os._exit(7)", code=7)
        self.assertEqual([problem.rule for problem in recording.problems if problem.rule == "process-died"], [])
        self.assertIn("aten.mm", self.operators(recording))

    def test_threads_and_forks(self):
        recording = self.recorded("""
import threading
thread = threading.Thread(target=work)
thread.start()
thread.join()
child = os.fork()
if child == 0:
    DTensor.from_local(torch.ones(2), mesh, [Shard(0)]) + 1
    os._exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
work()
""")
        self.assertEqual(self.failures(recording), [])
        self.assertEqual(recording.sql("SELECT count(*) AS n FROM events WHERE name = 'aten.mm' "
                                       "AND site LIKE '%forward%'")[0].n, 1)

    def test_a_backward_pass_of_another_thread_is_not_recorded(self):
        for plain in (False, True):
            recording = self.recorded("""
import threading
thread = threading.Thread(target=work)
thread.start()
thread.join()
made.append((DTensor.from_local(torch.ones(2), mesh, [Shard(0)]) + 1).to_local())
""", plain=plain)
            self.assertEqual(self.failures(recording), [])
            self.assertIn("aten.add.Tensor", self.operators(recording))
            backward = recording.sql("SELECT id FROM events WHERE site LIKE '%backward%'")
            self.assertEqual(backward, [])

    def test_the_environment_on_a_torch_that_the_recorder_does_not_fit(self):
        package = pathlib.Path(shardlens.__file__).parent.parent
        script = self.scratch / "plain.py"
        script.write_text("""import sys
sys.modules["shardlens._jobs"] = None
import torch.distributed.tensor
print(torch.distributed.tensor.DTensor.__name__)
""")
        starts = "import shardlens._autorecord, runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
        ran = self.ran("-c", starts, script, SHARDLENS_RECORD=self.scratch / "none", PYTHONPATH=str(package))
        self.assertEqual((ran.returncode, ran.stdout), (0, "DTensor\n"), ran.stderr)
        self.assertRegex(ran.stderr, "^SHARDLENS_RECORD: this rank is not recorded: .*_jobs.*\n$")


if __name__ == "__main__":
    unittest.main()
