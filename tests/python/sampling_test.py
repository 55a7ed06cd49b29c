"""Operators that are recorded in some steps only: `record --operators`."""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import shardlens
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore
    from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from plain_programs import PlainTest
from support import load_tests  # noqa: F401


class Counting(TorchDispatchMode):
    """Counts the operators of the program."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


class Sampling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
        cls.addClassCleanup(dist.destroy_process_group)

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self, steps):
        for _ in range(steps):
            self.model(torch.ones(2, 4)).sum().backward()
            for parameter in self.model.parameters():
                dist.all_reduce(parameter.grad)
            self.optimizer.step()
            self.optimizer.zero_grad()

    def record(self, operators, run, plain=True, **options):
        """Records run() in this process. Returns the recording."""
        with shardlens.record(self.folder, "none", plain=plain, operators=operators, **options) as self.recorder:
            run()
        self.assertEqual(_get_current_dispatch_mode_stack(), [])
        return shardlens.open(self.folder)

    def counts(self, recording):
        """Returns for each step whether its operators are recorded, and the numbers of operators and collectives."""
        found = collections.defaultdict(lambda: [None, 0, 0])
        for row in recording.sql("SELECT step, kind, verdict, name FROM events ORDER BY id"):
            if row.kind == "Step":
                found[row.step][0] = row.verdict != "Off"
            found[row.step][1] += row.kind == "Operator" and not row.name.startswith("c10d.")
            found[row.step][2] += row.kind == "Collective"
        return dict(found)

    def steps(self, recording):
        return [step for step, (is_recorded, *_) in self.counts(recording).items() if is_recorded]

    def test_collectives_are_recorded_in_all_steps(self):
        whole = self.counts(self.record("", lambda: self.train(4)))
        found = self.counts(recording := self.record("1,every=4", lambda: self.train(9)))
        self.assertEqual(list(found), list(range(1, 10)))
        for step, (is_recorded, operators, collectives) in found.items():
            self.assertEqual((is_recorded, collectives), (step in (1, 4, 8), 4), step)
            self.assertEqual(operators, whole[min(step, 4)][1] if is_recorded else 0, step)
        self.assertEqual(recording.limits, ["operators of other steps than 1,every=4: not recorded"])
        self.assertEqual(recording.problems, [])

    def test_of_dtensors(self):
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        weight = distribute_tensor(torch.ones(4), mesh, [Shard(0)]).requires_grad_()
        optimizer = torch.optim.SGD([weight], lr=0.1)

        def train():
            for _ in range(5):
                (weight * 2).redistribute(placements=[Replicate()]).sum().backward()
                optimizer.step()
        recording = self.record("2,4", train, plain=False)
        found = self.counts(recording)
        self.assertEqual({step: recorded for step, (recorded, *_) in found.items()},
                         {1: False, 2: True, 3: False, 4: True, 5: False})
        self.assertEqual([collectives for *_, collectives in found.values()], [1] * 5)
        self.assertEqual({operators for recorded, operators, _ in found.values() if not recorded}, {0})
        rows = recording.sql("SELECT DISTINCT step FROM events WHERE kind NOT IN ('Step', 'Collective')")
        self.assertEqual({row.step for row in rows}, {2, 4})
        # A parameter that unrecorded operators have written is another tensor.
        used = recording.sql("SELECT step, subject FROM events WHERE kind = 'Redistribute' ORDER BY id")
        self.assertEqual(len({row.subject for row in used}), len(used))

    def test_modes_of_the_program_stay_in_place(self):
        def train():
            with outer:
                self.train(3)
                with inner:
                    self.train(4)
                self.train(3)
        outer, inner = Counting(), Counting()
        train()
        alone = outer.count, inner.count
        outer, inner = Counting(), Counting()
        recording = self.record("1,2,every=5", train)
        self.assertEqual((outer.count, inner.count), alone)
        self.assertEqual(self.steps(recording), [1, 2, 5, 10])

    def test_gradients_of_several_batches_are_one_step(self):
        def train():
            for _ in range(6):
                for _ in range(3):
                    self.model(torch.ones(2, 4)).sum().backward()
                self.optimizer.step()
        found = self.counts(self.record("2..3", train))
        self.assertEqual([recorded for recorded, *_ in found.values()], [False, True, True, False, False, False])
        self.assertEqual(found[2][1], found[3][1])

    def test_several_optimizers_have_the_steps_of_a_whole_recording(self):
        other = torch.nn.Linear(4, 4)
        second = torch.optim.SGD(other.parameters(), lr=0.1)

        def at_once():
            for _ in range(4):
                (self.model(torch.ones(2, 4)) + other(torch.ones(2, 4))).sum().backward()
                self.optimizer.step()
                second.step()

        def in_turns():
            for _ in range(4):
                self.model(torch.ones(2, 4)).sum().backward()
                self.optimizer.step()
                other.weight.pow(2).sum().backward()
                second.step()
        for train in (at_once, in_turns):
            for plain in (True, False):
                whole = self.counts(self.record("", train, plain=plain))
                sampled = self.counts(self.record("1,every=3", train, plain=plain))
                if plain:
                    self.assertEqual(list(sampled), list(whole))
                    for step in (1, 3):
                        self.assertEqual(sampled[step], whole[step], (train.__name__, step))

    def test_explicit_steps(self):
        def train():
            for _ in range(4):
                self.train(2)
                self.recorder.step()
        recording = self.record("2", train)
        self.assertEqual(self.steps(recording), [2])

    def test_an_optimizer_that_runs_in_the_backward_pass(self):
        def train():
            for _ in range(4):
                self.model(torch.ones(2, 4)).sum().backward()
        last = self.model[0].weight

        def step(parameter):
            self.optimizer.step()
            self.optimizer.zero_grad()
        handle = last.register_post_accumulate_grad_hook(step)
        self.addCleanup(handle.remove)
        self.assertEqual(self.steps(self.record("2,4", train)), [2, 4])

    def test_a_wrong_option_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, 'operators: got "x", expected a step'):
            shardlens.record(self.folder, operators="x").__enter__()
        self.assertEqual(_get_current_dispatch_mode_stack(), [])

    def test_info_names_the_steps(self):
        self.record("1..3,every=5", lambda: self.train(11))
        program = os.environ.get("SHARDLENS_PROGRAM") or pathlib.Path(shardlens.__file__).parents[2] / "bin/shardlens"
        if not os.path.exists(program):
            self.skipTest("no program shardlens")
        ran = subprocess.run([program, "info", self.folder], capture_output=True, text=True, check=True)
        self.assertIn("operators   recorded in steps 1-3,5,10\n", ran.stdout)


class Placements(PlainTest):
    def test_are_those_of_the_whole_recording(self):
        for program in ("ddp", "megatron"):
            whole = self.placements(program)
            for operators in ("1,3", "2"):
                found = self.placements(program, "--operators", operators)
                self.assertLessEqual(set(found), set(whole))
                differing = {key for key, placement in found.items() if placement not in (None, whole[key])}
                self.assertEqual(differing, set(), (program, operators))
                self.assertTrue(any(found.values()), (program, operators))

    def placements(self, program, *options):
        """Returns the placements by tensor, role and axis. Values are recorded as hashes."""
        recording = self.recorded(program, options=options, values="hashes")
        return {(each.tensor, each.role, each.axis): each.placement for each in recording.placements()}


if __name__ == "__main__":
    unittest.main()
