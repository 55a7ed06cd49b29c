"""The recorder of jobs under torch's own DTensor: its recordings; the job is unchanged."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import WITHOUT_NUMPY, load_tests, warm_python  # noqa: F401

try:
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

# A vocabulary-parallel embedding, a column-wise and a row-wise linear layer. Prints a digest of the
# weights.
PROGRAM = """
import hashlib, os, signal, sys
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from squares import squares
if "--fake" in sys.argv:
    from torch.testing._internal.distributed.fake_pg import FakeStore
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
else:
    dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
torch.manual_seed(0)
model = parallelize_module(
    nn.Sequential(nn.Embedding(8, 4), nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)), mesh,
    {"0": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(0), use_local_output=False),
     "1": ColwiseParallel(input_layouts=Shard(0), use_local_output=False),
     "3": RowwiseParallel(use_local_output=False)})
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    loss = squares(model(torch.arange(6)))  # THE LOSS
    loss.backward()
    sgd.step()
dist.all_gather_into_tensor(torch.empty(4), torch.ones(2))
if "--thread" in sys.argv:
    import threading, aside
    beside = threading.Thread(target=aside.run, args=(mesh,))
    beside.start()
    beside.join()
if "--fork" in sys.argv:
    child = os.fork()
    if child == 0:
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    sys.exit(0)
if "--kill" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
if "--raise" in sys.argv:
    raise LookupError(os.environ.get("SHARDLENS_RECORD", "on purpose"))
whole = torch.cat([p.to_local().flatten() for p in model.parameters()])
sys.stdout.write(f"digest {hashlib.sha256(whole.detach().numpy().tobytes()).hexdigest()}\\n")
if "shardlens" not in sys.modules:  # nothing of ours is left to do, and torch's threads may abort an exit
    sys.stdout.flush()
    os._exit(0)
"""
SQUARES = """def squares(y):
    return y.pow(2).sum()
"""
ASIDE = """import torch
from torch.distributed.tensor import DTensor, Replicate, Shard
def run(mesh):
    DTensor.from_local(torch.ones(2), mesh, [Shard(0)]).redistribute(mesh, [Replicate()])
"""
RAISED = next(i for i, line in enumerate(PROGRAM.splitlines(), 1) if "raise LookupError" in line)
LOSS = next(i for i, line in enumerate(PROGRAM.splitlines(), 1) if "THE LOSS" in line)


class Job(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        cls.script = cls.folder / "train.py"
        cls.script.write_text(PROGRAM)
        (cls.folder / "squares.py").write_text(SQUARES)
        (cls.folder / "aside.py").write_text(ASIDE)

    def python(self, *arguments, executable=None, cwd=None, **environment):
        return subprocess.run([executable or warm_python(), *map(str, arguments)], capture_output=True, text=True,
                              cwd=cwd, env={**os.environ, "RANK": "0", "WORLD_SIZE": "2", **environment})

    def recorded(self, name, *arguments, values="none"):
        """Records PROGRAM as rank 0 of a fake process group of two. Returns the process and the recording."""
        folder = self.folder / name
        ran = self.python("-m", "shardlens", "record", "-o", folder, "--values", values, self.script,
                          "--fake", *arguments)
        return ran, shardlens.open(folder)

    def loop(self, name, *options, steps=12, **environment):
        """Records a loop of steps that use one parameter. Sends itself SIGUSR1 in step 5. Returns the process and
        the folder."""
        script = self.folder / "loop.py"
        script.write_text(f"""import os, signal, torch
from torch.distributed.tensor import DTensor, Shard, distribute_tensor, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
weight = distribute_tensor(torch.ones(4), mesh, [Shard(0)]).requires_grad_()
sgd = torch.optim.SGD([weight], lr=0.1)
for step in range({steps}):
    (weight * 2).to_local().sum().backward()
    if step == 4 and "--signal" in os.environ.get("GIVEN", ""):
        os.kill(os.getpid(), signal.SIGUSR1)
    sgd.step()
""")
        folder = self.folder / name
        return self.python("-m", "shardlens", "record", "-o", folder, *options, script, **environment), folder

    def steps_of(self, path):
        return [row.step for row in shardlens.open(path).sql("SELECT step FROM events WHERE kind = 'Step' ORDER BY id")]

    def test_only_selected_steps_are_recorded(self):
        ran, folder = self.loop("sampled", "--steps", "2..3,every=5", "--values", "stats")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.steps_of(folder), [2, 3, 5, 10])
        recording = shardlens.open(folder)
        self.assertIn("events of other steps than 2..3,every=5: not recorded", recording.limits)
        self.assertEqual({row.step for row in recording.sql("SELECT DISTINCT step FROM events")}, {2, 3, 5, 10})
        weight, = recording.sql("SELECT count(*) AS times FROM tensors WHERE name = 'distribute_tensor' OR name = 'weight'")
        self.assertGreaterEqual(weight.times, 1)  # made in step 1
        ran, _ = self.loop("wrong", "--steps", "3..2")
        self.assertEqual(ran.returncode, 1)
        self.assertIn('record: steps: got "3..2", expected a step', ran.stderr)

    def test_only_selected_ranks_are_recorded(self):
        for name, ranks, mesh, is_recorded in (("alone", "1", "", False), ("axis", "tp=0", "2:tp", True),
                                               ("other", "tp=1", "2:tp", False)):
            with self.subTest(ranks=ranks):
                ran, folder = self.loop(name, "--ranks", ranks, "--mesh", mesh, steps=2)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                self.assertEqual([each.name for each in folder.iterdir()], ["rank-0.shardlens"] if is_recorded else [])
        ran, _ = self.loop("unknown", "--ranks", "dp=0", "--mesh", "2:tp", steps=2)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("record: ranks: got the axis dp, expected one of tp", ran.stderr)

    def test_only_the_end_of_a_job_is_retained(self):
        ran, folder = self.loop("ring", "--keep", "2steps", GIVEN="--signal")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(sorted(each.name for each in folder.iterdir()), ["kept-signal", "rank-0.shardlens"])
        steps = self.steps_of(folder)
        self.assertEqual(steps, list(range(steps[0], 13)))
        self.assertTrue(8 <= steps[0] <= 11, steps)
        self.assertIn(5, self.steps_of(folder / "kept-signal"))

    def test_a_killed_job_leaves_its_end(self):
        script = self.folder / "killed.py"
        ran, folder = self.loop("rest", "--keep", "2steps")
        script.write_text((self.folder / "loop.py").read_text() + """
import shardlens._job
shardlens._job._current.flush()
os.kill(os.getpid(), signal.SIGKILL)
""")
        ran = self.python("-m", "shardlens", "record", "-o", folder, "--keep", "2steps", script)
        self.assertEqual(ran.returncode, -signal.SIGKILL)
        self.assertEqual(self.steps_of(folder)[-1], 12)
        ran = self.python("-m", "shardlens", "record", "-o", folder, script)  # replaces all of it
        self.assertEqual(self.steps_of(folder)[0], 1)
        self.assertEqual([each.name for each in folder.iterdir() if each.name.startswith(".")], [])

    def test_values_are_recorded_without_numpy(self):
        folder = self.folder / "plain"
        script = self.folder / "plain.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Shard, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
x = DTensor.from_local(torch.tensor([1 + 2j, 3j]), init_device_mesh("cpu", (2,)), [Shard(0)])
x.conj(), x[:0] + 1
""")
        ran = self.python("-W", "ignore", "-c", WITHOUT_NUMPY, "record", "-o", folder, "--values", "all", script,
                          executable=sys.executable)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        held = shardlens.open(folder).snapshot()["tensors"]
        self.assertEqual([(each["name"], each["locals"][0]["data"]) for each in held],
                         [("from_local", ["1+2j", "0+3j"]), ("_conj", ["1-2j", "0-3j"]), ("slice", []), ("add", [])])

    def test_an_in_place_argument_is_a_result_under_its_name(self):
        folder = self.folder / "written"
        script = self.folder / "written.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Shard, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
x = DTensor.from_local(torch.tensor([1., 2.]), init_device_mesh("cpu", (2,)), [Shard(0)])
torch._foreach_mul_([x], 3.)
x.add_(1)
""")
        ran = self.python("-m", "shardlens", "record", "-o", folder, "--values", "stats", script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        values = shardlens.open(folder).sql("SELECT events.name, min, max FROM events JOIN shard_values ON event = "
                                          "events.id ORDER BY events.id")
        self.assertEqual([(row.name, row.min, row.max) for row in values],
                         [("from_local", 1, 2), ("from_local", 3, 6), ("from_local", 4, 7)])

    def test_statistics_of_tensors_in_any_memory_order(self):
        folder = self.folder / "strided"
        script = self.folder / "strided.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Replicate, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=1, store=FakeStore())
x = DTensor.from_local(torch.tensor([[1., 2., 9.], [3., 0., 9.]]), init_device_mesh("cpu", (1,)), [Replicate()])
x.t(), x[:, :2], x[:, :1].expand(2, 4)
""")
        ran = self.python("-m", "shardlens", "record", "-o", folder, "--values", "stats", script, WORLD_SIZE="1")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = shardlens.open(folder).sql("SELECT events.name, shape, min, max, mean, zeros FROM events JOIN "
                                          "shard_values ON event = events.id ORDER BY events.id")
        self.assertEqual([tuple(row) for row in rows if row.name in ("t", "slice", "expand")][:2] +
                         [tuple(row) for row in rows if row.name == "expand"],
                         [("t", "[3,2]", 0, 9, 4, 1), ("slice", "[2,2]", 0, 3, 1.5, 1), ("expand", "[2,4]", 1, 3, 2, 0)])

    def test_errors_outside_of_operators_are_recorded_once_at_their_call(self):
        folder = self.folder / "borders"
        script = self.folder / "borders.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
x = DTensor.from_local(torch.ones(4), init_device_mesh("cpu", (2,)), [Shard(0)])
for refused in (lambda: x.redistribute(),
                lambda: DTensor.from_local(x),
                lambda: x.view(3)):
    try:
        refused()
        print("not refused")
    except RuntimeError:
        pass
distribute_tensor(x, placements=[Replicate()])
""")
        ran = self.python("-m", "shardlens", "record", "-o", folder, script)
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        recording = shardlens.open(folder)
        errors = recording.sql("SELECT name, parent, site FROM events WHERE kind = 'Error'")
        places = [(error.name.split(":")[0], recording.event(error.parent).name, json.loads(error.site)["line"])
                for error in errors]
        self.assertEqual(places, [
            ("RuntimeError", "step 1", 6), ("RuntimeError", "step 1", 7), ("RuntimeError", "aten.view", 8),
            ("RuntimeError", "step 1", 14)])

    def test_a_nested_or_following_optimizer_ends_no_further_step(self):
        script = self.folder / "optimizers.py"
        script.write_text("""import torch
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
mesh = init_device_mesh("cpu", (2,))
a, b = (distribute_tensor(torch.ones(2, 2), mesh, [Shard(0)]).requires_grad_() for _ in range(2))
class Outer(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})
        self.inner = torch.optim.SGD(parameters, lr=0.1)
    def step(self):
        self.inner.step()
optimizers = [Outer([a]), torch.optim.SGD([b], lr=0.1)]
for _ in range(3):
    (a * b).sum().backward()
    for optimizer in optimizers:
        optimizer.step()
""")
        ran = self.python("-m", "shardlens", "record", "-o", self.folder / "optimizers", script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        recording = shardlens.open(self.folder / "optimizers")
        self.assertEqual([step.name for step in recording.steps], ["step 1", "step 2", "step 3"])

    def test_the_gradient_of_to_local_is_named_as_that(self):
        script = self.folder / "gradient.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Shard, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
x = DTensor.from_local(torch.ones(2).requires_grad_(), init_device_mesh("cpu", (2,)), [Shard(0)])
x.to_local().sum().backward()
""")
        ran = self.python("-m", "shardlens", "record", "-o", self.folder / "gradient", script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        made = shardlens.open(self.folder / "gradient").sql("SELECT name FROM events WHERE kind = 'Result' ORDER BY id")
        self.assertEqual([row.name for row in made], ["from_local", "gradient of to_local"])

    def test_a_collective_after_a_backward_pass_is_not_of_it(self):
        script = self.folder / "after.py"
        script.write_text("""import torch
from torch.distributed import _functional_collectives
from torch.distributed.tensor import DTensor, Shard, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
mesh = init_device_mesh("cpu", (2,))
x = DTensor.from_local(torch.ones(2).requires_grad_(), mesh, [Shard(0)])
(x * x).sum().backward()
_functional_collectives.all_reduce(torch.ones(2), "sum", (mesh, 0))
""")
        ran = self.python("-m", "shardlens", "record", "-o", self.folder / "after", script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        sites = shardlens.open(self.folder / "after").sql(
            "SELECT site FROM events WHERE kind = 'Collective' ORDER BY id DESC LIMIT 1")
        site = json.loads(sites[0].site)
        self.assertEqual((site["line"], site["pass"]), (9, "forward"))

    def test_a_compiled_function_stays_one_graph(self):
        script = self.folder / "compiled.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Replicate, Shard, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore
torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
mesh = init_device_mesh("cpu", (2,))
@torch.compile(backend="aot_eager", fullgraph=True)
def gathered(x):
    return x.sin().redistribute(placements=[Replicate()]).to_local()
gathered(DTensor.from_local(torch.ones(2), mesh, [Shard(0)]))
layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
layers.compile(backend="aot_eager", fullgraph=True)
layers(torch.ones(2))
""")
        ran = self.python("-m", "shardlens", "record", "-o", self.folder / "compiled", script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        sent = shardlens.open(self.folder / "compiled").sql("SELECT name, site FROM events WHERE kind = 'Collective'")
        where_it_begins = 6
        self.assertEqual([(each.name, json.loads(each.site)["line"]) for each in sent],
                         [("all_gather", where_it_begins)])

    def test_ranks_of_torchrun_are_one_recording_and_compute_the_same(self):
        digests = []
        folder = self.folder / "ranks"
        for record in ([], ["-m", "shardlens", "record", "-o", folder, "--values", "all"]):
            ran = self.python("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2,
                              *record, self.script)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            digests.append(sorted(re.findall("[0-9a-f]{64}", ran.stdout)))
        self.assertEqual(len(digests[0]), 2)
        self.assertEqual(digests[0], digests[1])
        recording = shardlens.open(folder)
        self.assertEqual(recording.meta["hosted"], "0,1")
        self.assertEqual(recording.meta["mesh"], "2:tp")
        self.assertNotIn("arguments", recording.meta)
        collectives = recording.sql("SELECT DISTINCT name, ranks FROM events WHERE kind = 'Collective' "
                                    "AND name NOT IN ('scatter', 'broadcast')")
        self.assertEqual({(row.name, row.ranks) for row in collectives},
                         {("reduce_scatter", "0,1"), ("all_gather", "0,1"), ("all_reduce", "0,1")})
        relu = recording.sql("SELECT shard_values.rank, shape FROM shard_values JOIN events ON event = "
                             "events.id WHERE events.name = 'relu' AND step = 1 ORDER BY 1")
        self.assertEqual([(row.rank, json.loads(row.shape)) for row in relu], [(0, [6, 4]), (1, [6, 4])])

    def test_an_all_reduce_followed_by_a_slice_is_a_problem(self):
        folder = self.folder / "cut"
        script = self.folder / "cut.py"
        script.write_text("""import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, init_device_mesh
torch.distributed.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2,))
ones = torch.ones(4, 2, requires_grad=True)
terms = DTensor.from_local(ones, mesh, [Partial()])
whole = terms.redistribute(placements=[Replicate()])
part = whole.redistribute(placements=[Shard(0)])
at_once = terms.redistribute(placements=[Shard(0)])
part.sum().backward()
""")
        ran = self.python("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2,
                          "-m", "shardlens", "record", "-o", folder, "--values", "all", script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        recording = shardlens.open(folder)
        found, = (each for each in recording.problems if each.rule == "all-reduce-then-slice")
        self.assertEqual((found.file, found.line, found.times), (str(script), 8, 1))
        self.assertEqual(found.sentence, "from_local' is reduced on all ranks and then sharded: R -> S(0)")
        moves = recording.sql(
            "SELECT moves.name AS move, sources.name AS source, results.name AS result, made.placements, min, max "
            "FROM events AS moves JOIN events AS results ON results.parent = moves.id AND results.kind = 'Result' "
            "JOIN tensors AS sources ON sources.id = moves.subject JOIN tensors AS made ON made.id = results.subject "
            "JOIN shard_values ON event = results.id AND shard_values.rank = 1 ORDER BY moves.id")
        self.assertEqual([tuple(move) for move in moves], [
            ("P(sum) -> R", "from_local", "from_local'", '["R"]', 2, 2),
            ("R -> S(0)", "from_local'", "from_local''", '["S(0)"]', 2, 2),
            ("P(sum) -> S(0)", "from_local", "from_local'", '["S(0)"]', 2, 2),
            ("R -> R", "expand", "expand'", '["R"]', 1, 1),
            ("R -> R", "expand'", "expand''", '["R"]', 1, 1)])

    def test_fsdps_collectives_are_recorded_with_those_of_tensor_parallelism(self):
        example = pathlib.Path(__file__).absolute().parents[2] / "app" / "python" / "examples" / "fsdp.py"
        folder = self.folder / "fsdp"
        ran = self.python("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 4,
                          "-m", "shardlens", "record", "-o", folder, example, "--steps", 2)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        recording = shardlens.open(folder)
        self.assertEqual((recording.meta["hosted"], recording.meta["mesh"]), ("0-3", "2x2:dp,tp"))
        rows = recording.sql("SELECT name, ranks, process_group AS of, sequence, bytes, site FROM events "
                             "WHERE kind = 'Collective' AND step = 2 ORDER BY id")
        sites = [json.loads(row.site) for row in rows]

        def collectives(name, ranks, module, direction):
            return [(row.sequence, row.bytes) for row, site in zip(rows, sites)
                    if (row.name, row.ranks) == (name, ranks)
                    and (site.get("module"), site["pass"]) == (module, direction)]
        weights = 4 * (2 * 16 + 16 * 32 + 32 + 32 * 16 + 16)  # bytes of a block on one `tp` rank
        for ranks in ("0,2", "1,3"):  # each of both ranks sends half of the weights, and full gradients
            (first,), (second,) = (collectives("all_gather", ranks, block, "forward") for block in "01")
            self.assertEqual((first[1], second), (weights, (first[0] + 1, weights)))
            scattered = [row.bytes for row in rows if (row.name, row.ranks) == ("reduce_scatter", ranks)]
            self.assertEqual(scattered, [2 * weights] * 2)
        for ranks in ("0,1", "2,3"):
            reduced = [row.sequence for row in rows if (row.name, row.ranks, row.of) == ("all_reduce", ranks, ranks)]
            self.assertGreater(len(reduced), 1)
            self.assertEqual(reduced, list(range(reduced[0], reduced[0] + len(reduced))))

    def test_a_step_has_its_events(self):
        ran, recording = self.recorded("step")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(recording.meta["backend"], "DTensor of torch " + recording.meta["torch"])
        self.assertEqual([step.name for step in recording.steps], ["step 1", "step 2", "step 3"])

        def rows(what, where):
            return recording.sql(f"SELECT {what} FROM events WHERE step = 1 AND {where} ORDER BY id")
        masks = rows("kind, count", "kind LIKE 'Mask%'")
        self.assertEqual([tuple(row) for row in masks],
                         [("MaskMaterialized", 1), ("MaskApplied", 1), ("MaskReleased", 0)])
        self.assertIn("R -> MaskP(sum, [8, 4], 0)",
                      [row.name for row in rows("name", "kind = 'Redistribute'")])
        relu = json.loads(rows("site", "name = 'aten.relu'")[0].site)
        self.assertEqual((relu["line"], relu["module"], relu["pass"]), (LOSS, "2", "forward"))
        backward = json.loads(rows("site", "name = 'aten.threshold_backward'")[0].site)
        self.assertEqual((backward["line"], backward["pass"]), (LOSS, "backward"))
        again = recording.sql("SELECT DISTINCT verdict FROM events WHERE kind = 'CacheLookup' AND "
                              "step = 2 AND parent IN (SELECT id FROM events WHERE name = 'aten.relu')")
        self.assertEqual([row.verdict for row in again], ["Hit"])
        self.assertIn("aten.relu", rows("detail", "kind = 'CacheLookup' AND verdict = 'Miss' AND parent "
                                        "IN (SELECT id FROM events WHERE name = 'aten.relu')")[0].detail)
        self.assertEqual(recording.sql("SELECT count(*) AS n FROM shard_values")[0].n, 0)
        by_hand = recording.sql("SELECT name, ranks, bytes, site FROM events WHERE kind = 'Collective' AND "
                                "step = 3")
        self.assertEqual([tuple(row)[:3] for row in by_hand], [("all_gather", "0,1", 8)])
        self.assertEqual(json.loads(by_hand[0].site)["pass"], "forward")
        self.assertTrue({"0.weight", "3.bias"} <=
                        {row.name for row in recording.sql("SELECT name FROM tensors")})

    def test_it_has_the_sources_that_sites_name_and_no_scenario(self):
        _, recording = self.recorded("sources")
        squares = str(self.folder / "squares.py")
        site = json.loads(recording.sql("SELECT site FROM events WHERE name LIKE 'aten.pow%' LIMIT 1")[0].site)
        self.assertEqual((site["file"], site["line"]), (squares, 2))
        sources = {key: text for key, text in recording.meta.items() if key.startswith("source:")}
        self.assertEqual(sources, {f"source:{self.script}": PROGRAM, f"source:{squares}": SQUARES})
        self.assertEqual(recording.meta["path"], str(self.script))
        self.assertNotIn("scenario", recording.meta)

    def test_an_exception_is_recorded_and_reaches_the_program(self):
        ran, recording = self.recorded("raised", "--raise")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("LookupError: on purpose", ran.stderr)
        errors = recording.sql("SELECT name FROM events WHERE kind = 'Error'")
        self.assertEqual([error.name for error in errors], ["LookupError: on purpose"])
        self.assertEqual(self.place_of_error(recording), (str(self.script), RAISED))

    def place_of_error(self, recording):
        found, = (each for each in recording.problems if each.rule == "refused-step")
        return found.file, found.line

    def test_a_recording_that_does_not_begin_reports_why(self):
        ran = self.python("-m", "shardlens", "record", "-o", self.folder / "none", "--values", "some", self.script)
        self.assertEqual((ran.returncode, ran.stderr), (1, "record: values: got some, expected none, stats, hashes or all\n"))
        ran = self.python("-m", "shardlens", "record", "-o", self.script, self.script)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"^record: .*File exists: .*train\.py'\n$")

    def test_fewer_ranks_leave_nothing_of_an_earlier_run(self):
        for rank, ranks in (("2", "3"), ("0", "3"), ("0", "2")):
            self.python("-m", "shardlens", "record", "-o", self.folder / "again", self.script, "--fake", RANK=rank,
                        WORLD_SIZE=ranks)
            before = set(os.listdir(self.folder / "again"))
            (self.folder / "again" / "shardlens-manifest.json").touch()
            if ranks == "3":
                self.assertIn("rank-2.shardlens", before)  # from this run, though rank 2 started before rank 0
        self.assertEqual(before, {"rank-0.shardlens"})

    def test_a_fork_is_not_the_rank_and_an_exit_no_error(self):
        ran, recording = self.recorded("forked", "--fork")
        self.assertEqual((ran.returncode, ran.stderr.count("Traceback")), (0, 0))
        self.assertEqual(len(recording.steps), 3)
        self.assertEqual(recording.sql("SELECT name FROM events WHERE kind = 'Error'"), [])

    def test_operators_of_another_thread_are_not_recorded(self):
        ran, recording = self.recorded("threads", "--thread")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(recording.sql("SELECT name FROM events WHERE site LIKE '%aside.py%'"), [])

    def test_events_of_one_rank_are_included_and_others_may_join(self):
        _, recording = self.recorded("joined")
        self.assertEqual((recording.meta["hosted"], len(recording.steps)), ("0", 3))
        alone = len(recording)
        self.python("-m", "shardlens", "record", "-o", self.folder / "joined", self.script, "--fake",
                    RANK="1")
        recording.refresh()
        self.assertEqual((recording.meta["hosted"], len(recording.steps)), ("0,1", 3))
        self.assertGreaterEqual(len(recording), alone)
        self.assertEqual(recording.snapshot()["position"], len(recording))

    def test_a_killed_rank_leaves_a_file_that_opens(self):
        ran, recording = self.recorded("killed", "--kill")
        self.assertEqual(ran.returncode, -signal.SIGKILL)
        self.assertEqual([step.name for step in recording.steps][:1], ["step 1"])
        (died,) = [problem for problem in recording.problems if problem.rule == "process-died"]
        self.assertEqual((died.severity, died.events), ("error", [len(recording)]))
        self.assertRegex(died.sentence, "^rank.* died without closing ")

    def test_the_environment_records_a_rank_with_nothing_changed(self):
        package = pathlib.Path(shardlens.__file__).parent.parent
        pth = pathlib.Path(__file__).absolute().parents[2] / "app" / "python" / "shardlens-record.pth"
        starts = f"import runpy, sys; {pth.read_text().strip()}; sys.argv = sys.argv[1:]; " \
                 "runpy.run_path(sys.argv[0], run_name='__main__')"
        folder = self.folder / "environment"
        given = {"SHARDLENS_RECORD": str(folder), "PYTHONPATH": os.pathsep.join([str(package), str(self.folder)])}
        ran = self.python("-c", starts, self.script, "--fake", SHARDLENS_VALUES="some", **given)
        self.assertEqual(ran.returncode, 0)
        self.assertEqual(ran.stderr, "SHARDLENS_RECORD: this rank is not recorded: values: got some, expected none, "
                                     "stats, hashes or all\n")
        ran = self.python("-c", starts, self.script, "--fake", "--raise", **given)
        self.assertEqual(ran.returncode, 1)
        recording = shardlens.open(folder)
        self.assertEqual(len(recording.steps), 3)
        self.assertEqual(recording.sql("SELECT name FROM events WHERE kind = 'Error'")[0].name,
                         "LookupError: on purpose")
        self.assertEqual(self.place_of_error(recording), (str(self.script), RAISED))
        # A relative folder is that of the start, and its name need not be UTF-8.
        name = os.fsdecode(b"environment \xe2\x82")
        moves = "import os; os.chdir('/'); "
        ran = self.python("-c", starts.replace("runpy.run_path", moves + "runpy.run_path"), self.script, "--fake",
                          cwd=self.folder, **{**given, "SHARDLENS_RECORD": name})
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(len(shardlens.open(self.folder / name).steps), 3)
        ran = self.python("-c", starts, self.script, "--fake", **{**given, "SHARDLENS_RECORD": ""})
        self.assertEqual((ran.returncode, ran.stderr), (0, "SHARDLENS_RECORD: this rank is not recorded: got no folder, "
                                                           "expected SHARDLENS_RECORD=DIR\n"))
        # A process without RANK, such as the launcher of the ranks, is not recorded.
        alone = {**given, "SHARDLENS_RECORD": str(self.folder / "launcher"), "RANK": ""}
        environment = {key: value for key, value in {**os.environ, **alone}.items() if key != "RANK"}
        subprocess.run([warm_python(), "-c", starts, str(self.script), "--fake"], env=environment,
                       capture_output=True, check=True)
        self.assertFalse((self.folder / "launcher").exists())


if __name__ == "__main__":
    unittest.main()
