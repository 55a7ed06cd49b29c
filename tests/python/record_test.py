"""The recording of a Python program: its contents, two in one process, and access from Python."""
import inspect
import json
import pathlib
import sys
import tempfile
import unittest

import shardlens

try:
    import torch
    from shardlens.tensor import (DTensor, LocalTensor, Partial, Replicate, Shard, distribute_module,
                                  distribute_tensor, init_device_mesh)
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from torch import nn

MESH = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))


def errors_of(recording):
    return recording.sql("SELECT * FROM events WHERE kind = 'Error'")


def cut(name, module, mesh):
    for key, value in list(module._parameters.items()):
        placed = distribute_tensor(value.data, mesh, [Replicate(), Shard(0)])
        module._parameters[key] = nn.Parameter(placed)


def model():
    return distribute_module(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)), MESH, cut)


def train(model, steps):
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    x = distribute_tensor(torch.ones(8, 4), MESH, [Shard(0), Replicate()])
    for _ in range(steps):
        loss = model(x).pow(2).sum()
        loss.backward()
        sgd.step()
    return loss


LINES, FIRST = inspect.getsourcelines(train)
FORWARD = FIRST + next(i for i, line in enumerate(LINES) if "loss = model(x)" in line)


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.paths = [pathlib.Path(cls.folder.name, f"{name}.shardlens") for name in "ab"]
        for path in cls.paths:
            made = model()
            with shardlens.record(path, values="stats"):
                loss = train(made, 2)
                cls.explained = shardlens.explain(loss)
        cls.recording = shardlens.open(cls.paths[1])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def sites(self, operator):
        rows = self.recording.sql("SELECT site FROM events WHERE kind = 'Operator' AND name = "
                                  f"'{operator}' AND step = 1 ORDER BY id")
        return [json.loads(row.site) for row in rows]

    def test_an_operator_has_its_site(self):
        forward = self.sites("aten.relu")
        self.assertEqual(len(forward), 1)
        self.assertEqual(forward[0], {"file": str(pathlib.Path(__file__).absolute()), "line": FORWARD,
                                      "module": "1", "pass": "forward", "caller": "train"})

    def test_a_gradient_has_the_site_of_its_forward_call(self):
        backward = self.sites("aten.threshold_backward")
        self.assertEqual([(site["line"], site["module"], site["pass"]) for site in backward],
                         [(FORWARD, "1", "backward")])

    def test_an_optimizers_step_is_neither(self):
        sites = [json.loads(row.site) for row in self.recording.sql(
            "SELECT site FROM events WHERE kind = 'Operator' AND site LIKE '%SGD%'")]
        self.assertTrue(sites)
        self.assertTrue(all(site["module"] == "SGD" and "pass" not in site for site in sites))

    def test_a_step_ends_where_the_optimizers_does(self):
        self.assertEqual([(step.name, step.step) for step in self.recording.steps],
                         [("step 1", 1), ("step 2", 2)])

    def test_an_optimizer_in_another_one_or_after_it_ends_no_step_of_its_own(self):
        class Outer(torch.optim.Optimizer):
            def __init__(self, parameters):
                super().__init__(parameters, {})
                self.inner = torch.optim.SGD(parameters, lr=0.1)

            def step(self):
                self.inner.step()
        path = pathlib.Path(self.folder.name, "optimizers.shardlens")
        with shardlens.record(path, values="none"):
            a, b = (distribute_tensor(torch.ones(2, 2), MESH, [Shard(0), Replicate()]).requires_grad_()
                    for _ in range(2))
            optimizers = [Outer([a]), torch.optim.SGD([b], lr=0.1)]
            for _ in range(3):
                (a * b).sum().backward()
                for optimizer in optimizers:
                    optimizer.step()
        recording = shardlens.open(path)
        self.assertEqual([step.name for step in recording.steps], ["step 1", "step 2", "step 3"])

    def test_an_error_between_steps_belongs_to_the_step_that_ran(self):
        path = pathlib.Path(self.folder.name, "between.shardlens")
        with shardlens.record(path):
            made = model()
            train(made, 1)
            with self.assertRaisesRegex(RuntimeError, "only accepts torch.Tensor"):
                DTensor.from_local(next(made.parameters()), MESH)
            train(made, 1)
        recording = shardlens.open(path)
        error, = errors_of(recording)
        self.assertEqual(recording.event(error.parent).name, "step 1")
        self.assertEqual([step.name for step in recording.steps], ["step 1", "step 2"])

    def test_a_tree_of_modules_is_walked_once_and_when_it_changes(self):
        walks = []

        class Watched(nn.Sequential):
            def named_modules(self, *arguments, **named):
                walks.append(self)
                return super().named_modules(*arguments, **named)
        watched = distribute_module(Watched(nn.Linear(4, 4), nn.ReLU()), MESH, cut)
        x = distribute_tensor(torch.ones(8, 4), MESH, [Shard(0), Replicate()])
        path = pathlib.Path(self.folder.name, "walked.shardlens")
        walks.clear()
        with shardlens.record(path, values="none"):
            for _ in range(3):
                watched(x)
            once = len(walks)
            watched.append(distribute_module(nn.Linear(4, 4), MESH))
            watched(x)
            watched(x)
            twice = len(walks) - once
            watched[0]._parameters["bias"] = nn.Parameter(distribute_tensor(torch.ones(4), MESH))
            watched(x)
        self.assertEqual((once, twice, len(walks)), (2, 2, 6))  # named_parameters() calls it, too
        names = [row.name for row in shardlens.open(path).sql("SELECT name FROM tensors")]
        self.assertIn("2.weight", names)
        self.assertEqual(names.count("0.bias"), 2)

    def test_it_begins_with_the_distributed_tensors(self):
        path = pathlib.Path(self.folder.name, "made.shardlens")
        with shardlens.record(path):
            distribute_tensor(torch.ones(4), MESH, [Shard(0), Replicate()])
            terms = DTensor.from_local(torch.ones(4), MESH, [Partial(), Replicate()])
            shardlens.tensor.zeros(4, device_mesh=MESH)
            terms.to_local()
            terms.redistribute(placements=[Replicate()] * 2).to_local()  # does not read partial values
        recording = shardlens.open(path)
        made = recording.sql("SELECT kind, name FROM events WHERE parent IS NULL OR parent IN "
                             "(SELECT id FROM events WHERE kind = 'Step')")
        self.assertEqual([tuple(row) for row in made if row.kind in ("Result", "Operator")],
                         [("Result", "distribute_tensor"), ("Result", "from_local"), ("Result", "zeros"),
                          ("Operator", "to_local")])
        self.assertEqual([problem.rule for problem in recording.problems], ["partial-read"])

    def test_a_second_recording_stands_by_itself(self):
        first = shardlens.open(self.paths[0])
        said = [[(event.kind, event.name) for event in recording.events]
                for recording in (first, self.recording)]
        self.assertEqual(said[0], said[1])
        names = {row.name for row in self.recording.sql("SELECT name FROM tensors")}
        self.assertIn("0.weight", names)

    def test_values_and_snapshots(self):
        self.assertGreater(self.recording.sql("SELECT count(*) AS n FROM shard_values")[0].n, 0)
        self.assertEqual(self.recording.snapshot(0)["position"], 0)
        self.assertEqual(self.recording.snapshot()["position"], len(self.recording))
        self.assertEqual(set(self.recording.caches()), {"strategy_cache", "plan_cache"})
        self.assertEqual(self.recording.meta["mesh"], "2x2:dp,tp")

    def test_it_has_the_program_and_no_scenario(self):
        path = str(pathlib.Path(__file__).absolute())
        sources = [key for key in self.recording.meta if key.startswith("source:")]
        self.assertEqual(sources, [f"source:{path}"])
        self.assertEqual(self.recording.meta[sources[0]], pathlib.Path(path).read_text())
        self.assertNotIn("scenario", self.recording.meta)

    def test_queries_and_problems(self):
        found = self.recording.query("op:relu kind:operator")
        self.assertTrue(found)
        self.assertTrue(all("relu" in self.recording.event(event).name for event in found))
        with self.assertRaisesRegex(ValueError, "got the field colour"):
            self.recording.query("colour:red")
        for problem in self.recording.problems:
            self.assertTrue(problem.sentence and problem.advice and problem.events)

    def test_a_notebook_shows_a_summary(self):
        shown = self.recording._repr_html_()
        for part in (f"<b>Recording</b> {self.paths[1]}: {len(self.recording)} events, 2 steps, mesh 2x2:dp,tp",
                     f"<td>record_test.py:{FORWARD}</td><td>2</td>", "<th>operators</th>", "<tr><td>1</td>"):
            self.assertIn(part, shown)
        path = pathlib.Path(self.folder.name, "empty.shardlens")
        with shardlens.record(path):
            pass
        self.assertIn("0 events, 0 steps, mesh 2x2:dp,tp, backend simulated<p>no problems</p></div>",
                      shardlens.open(path)._repr_html_())

    def test_a_notebook_shows_problems_where_they_are_and_ten_steps(self):
        path = pathlib.Path(self.folder.name, "<b>.shardlens")
        with shardlens.record(path) as recording:
            for step in range(12):
                recording.step(f"number {step}")
                copies = LocalTensor([torch.full((2,), float(rank)) for rank in range(4)])
                DTensor.from_local(copies, MESH, [Replicate(), Replicate()]) + 1
        shown = shardlens.open(path)._repr_html_()
        line = inspect.getsourcelines(type(self).test_a_notebook_shows_problems_where_they_are_and_ten_steps)[1] + 6
        self.assertIn(f"<td>record_test.py:{line}</td><td>1</td>", shown)  # where they begin to differ
        self.assertIn("copies of from_local differ: 1 on rank 1 at [0], 0 on rank 0", shown)
        self.assertIn("/&lt;b&gt;.shardlens: ", shown)
        self.assertIn("<tr><td>10</td>", shown)
        self.assertNotIn("<tr><td>11</td>", shown)
        self.assertIn("<p>and 2 steps more</p>", shown)

    def test_explain(self):
        lines = self.explained.splitlines()
        self.assertEqual(lines[0], "sum: torch.float32 [] is (P(sum), P(sum)) on mesh 2x2 (dp, tp)")
        self.assertIn("Produced by:", lines)
        self.assertIn(f"{pathlib.Path(__file__).absolute()}:{FORWARD}", lines[-1])

    def test_the_history_of_an_element(self):
        path = pathlib.Path(self.folder.name, "history.shardlens")
        row = init_device_mesh("cpu", (4,))
        with shardlens.record(path):
            x = distribute_tensor(torch.arange(4.0), row, [Shard(0)])
            y = (x + 1).redistribute(placements=[Replicate()])
            live = shardlens.history(y, -1)
            with self.assertRaisesRegex(IndexError, r"got the index \[4\], expected one in \[4\]"):
                shardlens.history(y, 4)
        self.assertEqual([(each.what, each.tensor) for each in live],
                         [("produced", "add")] * 2 + [("moved", "add")] * 2
                         + [("moved", "add'")])
        self.assertEqual(live[1].places, [(3, (0,), "4", False)])
        self.assertEqual(live[4].places, [(rank, (3,), "4", False) for rank in range(4)])
        self.assertIn("all_gather", live[3].sentence)
        self.assertEqual(shardlens.open(path).history("add[3]")[1], live[1])
        with self.assertRaisesRegex(ValueError, "got z, expected a tensor of the recording"):
            shardlens.open(path).history("z[0]")
        with self.assertRaisesRegex(ValueError, "history: got a tensor and no recording"):
            shardlens.history(y, 0)
        with self.assertRaisesRegex(TypeError, "history: got a plain tensor"):
            shardlens.history(torch.ones(1), 0)

    def test_an_error_is_recorded_and_reaches_the_program(self):
        path = pathlib.Path(self.folder.name, "error.shardlens")
        with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
            with shardlens.record(path):
                train(model(), 1)
                self.fail_on_purpose()
        recording = shardlens.open(path)
        self.assertEqual([error.name for error in errors_of(recording)], ["ZeroDivisionError: on purpose"])
        line = inspect.getsourcelines(self.fail_on_purpose)[1] + 1
        found, = (each for each in recording.problems if each.rule == "refused-step")
        self.assertEqual((found.file, found.line), (__file__, line))

    def fail_on_purpose(self):
        raise ZeroDivisionError("on purpose")

    def test_the_error_of_an_operator_is_recorded_once_at_its_call(self):
        path = pathlib.Path(self.folder.name, "refused.shardlens")
        with self.assertRaisesRegex(IndexError, "got 5"):
            with shardlens.record(path):
                x = distribute_tensor(torch.ones(4, 4), MESH, [Replicate(), Shard(0)])
                with self.assertRaisesRegex(RuntimeError, "is invalid for input of size 16"):
                    x.view(3, 3)
                with self.assertRaisesRegex(RuntimeError, "got mixed torch.Tensor and DTensor"):
                    x + torch.ones(4, 4)
                x.select(5, 0)
        recording = shardlens.open(path)
        line = inspect.currentframe().f_lineno - 5
        recorded_errors = [(error.name, recording.event(error.parent).name, json.loads(error.site)["line"])
                           for error in errors_of(recording)]
        self.assertEqual(recorded_errors, [
            ("RuntimeError: shape '[3, 3]' is invalid for input of size 16", "aten.view", line),
            ("RuntimeError: aten.add.Tensor: got mixed torch.Tensor and DTensor, need to convert all "
             "torch.Tensor to DTensor before calling distributed operators!", "aten.add.Tensor", line + 2),
            ("IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)",
             "aten.select.int", line + 3)])

    def test_errors_outside_of_operators_are_recorded_once_at_their_call(self):
        path = pathlib.Path(self.folder.name, "borders.shardlens")
        with self.assertRaisesRegex(ValueError, "must have the same length"):
            with shardlens.record(path):
                x = distribute_tensor(torch.ones(4, 4), MESH, [Replicate(), Shard(1)])
                with self.assertRaisesRegex(RuntimeError, "placements is needed"):
                    x.redistribute()
                with self.assertRaisesRegex(RuntimeError, "on a tensor of 2 dimensions"):
                    x.redistribute(placements=[Replicate(), Shard(3)])
                with self.assertRaisesRegex(RuntimeError, "Target 9 is out of bounds"):
                    nn.functional.cross_entropy(x, distribute_tensor(torch.tensor([0, 9, 1, 2]), MESH))
                with self.assertRaisesRegex(RuntimeError, "only accepts torch.Tensor"):
                    DTensor.from_local(x, MESH)
                with self.assertRaisesRegex(RuntimeError, "leaf tensors"):
                    distribute_tensor(torch.ones(4, requires_grad=True) * 2, MESH)
                x.redistribute(placements=[Replicate()])
        recording = shardlens.open(path)
        line = inspect.currentframe().f_lineno - 11
        recorded_errors = [(error.name.split(":")[0], recording.event(error.parent).name,
                            json.loads(error.site)["line"]) for error in errors_of(recording)]
        self.assertEqual(recorded_errors, [
            ("RuntimeError", "step 1", line), ("RuntimeError", "step 1", line + 2),
            ("RuntimeError", "cross_entropy", line + 4), ("RuntimeError", "step 1", line + 6),
            ("RuntimeError", "step 1", line + 8), ("ValueError", "step 1", line + 9)])

    def test_refusals(self):
        with shardlens.record(pathlib.Path(self.folder.name, "one.shardlens")):
            with self.assertRaisesRegex(RuntimeError, "record: got a second recording"):
                shardlens.record(pathlib.Path(self.folder.name, "two.shardlens")).__enter__()
        with self.assertRaisesRegex(RuntimeError, "bogus"):
            shardlens.record(pathlib.Path(self.folder.name, "x.shardlens"), "bogus").__enter__()
        with self.assertRaisesRegex(TypeError, "explain: got a plain tensor"):
            shardlens.explain(torch.ones(1))
        for ask in (lambda: shardlens.explain(None), lambda: shardlens.history(None, 0)):
            with self.assertRaisesRegex(TypeError, "^(explain|history): got None, expected a sharded tensor$"):
                ask()
        for ranks in ("4", 2.0, None):
            with self.assertRaisesRegex(TypeError, f"^init: got ranks {ranks!r}, expected a whole number$"):
                shardlens.init(ranks)

    def test_caches_are_counted(self):
        before = shardlens.cache_info()["strategy"]
        train(model(), 2)
        after = shardlens.cache_info()["strategy"]
        self.assertGreater(after.hits, before.hits)


if __name__ == "__main__":
    unittest.main()
