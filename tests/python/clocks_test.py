"""The clocks of recorded jobs: late ranks, waits, and the durations of collectives."""
import json
import re
import sys
import types
import unittest

import shardlens
from support import recorded_on_four_ranks

try:
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
    from shardlens._job.flights import Flights
    from shardlens._job.marks import GpuMarks
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

# The ranks start apart. `late(rank)` makes a rank late.
SETUP = """
import time
import torch, torch.distributed as dist
from torch.distributed.tensor import DTensor, Partial, Replicate, init_device_mesh
dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
time.sleep(0.3 * rank)
def late(one):
    if rank == one:
        time.sleep(0.5)
ones = torch.ones(8)
dist.all_reduce(ones)
"""
LATE = """
for _ in range(3):
    dist.all_reduce(ones)
    late(3)
    dist.all_reduce(ones)  # SYNCHRONOUS
for _ in range(3):
    dist.all_reduce(ones)
    late(2)
    work = dist.all_reduce(ones, async_op=True)  # ASYNCHRONOUS
    work.wait()
terms = DTensor.from_local(ones, mesh["tp"], [Partial()])
for _ in range(3):
    terms.redistribute(placements=[Replicate()]).to_local() + 1
    late(1)
    whole = terms.redistribute(placements=[Replicate()])  # IN ONE GROUP
    (whole + 1).to_local()
"""
ORDINARY = """
for _ in range(5):
    work = dist.all_reduce(ones, async_op=True)
    DTensor.from_local(ones, mesh["tp"], [Replicate()]) + 1
    work.wait()
dist.all_reduce(torch.ones(2), async_op=True)  # nothing waits for it
"""


class Clocks(unittest.TestCase):
    def record(self, body):
        """Records the body on four ranks; returns the folder of the recording and the script's lines."""
        folder, _ = recorded_on_four_ranks(
            self, SETUP + body + "\ndist.barrier()\ndist.destroy_process_group()\n")
        return folder, (SETUP + body).splitlines()

    def test_a_late_rank_is_named_with_its_line(self):
        folder, lines = self.record(LATE)
        recording = shardlens.open(folder)
        line = {each: next(at for at, text in enumerate(lines, 1) if f"# {each}" in text)
                for each in ("SYNCHRONOUS", "ASYNCHRONOUS", "IN ONE GROUP")}
        found = [(each.rule, each.line, re.sub(r"\d+\.\d ms", "", each.sentence)) for each in recording.problems]
        self.assertEqual(sorted(found), sorted([
            ("late-rank", line[place], f"{rank} arrives  later than the first rank at {collective}, "
             "on average over 3 collectives")
            for place, rank, collective in (("SYNCHRONOUS", "rank 3", "all_reduce"),
                                            ("ASYNCHRONOUS", "rank 2", "all_reduce"),
                                            ("IN ONE GROUP", "rank 1", "all_reduce over tp"))]))
        # Rank 0 was blocked for as long as rank 3 was late, and rank 3 was not.
        for rank, least in ((0, 3 * 400_000_000), (3, 0)):
            own = shardlens.open(folder / f"rank-{rank}.shardlens")
            exposed = own.sql("SELECT sum(exposed) AS sum, max(exposed - duration) AS over FROM events "
                              f"WHERE kind = 'Collective' AND line = {line['SYNCHRONOUS']}")[0]
            self.assertGreaterEqual(exposed.sum, least)
            self.assertLessEqual(exposed.over, 0)

    def test_ranks_that_start_apart_are_not_late(self):
        folder, _ = self.record(ORDINARY)
        recording = shardlens.open(folder)
        self.assertEqual(recording.problems, [])
        self.assertEqual(recording.sql("SELECT id FROM events WHERE duration IS NULL"), [])
        own = shardlens.open(folder / "rank-1.shardlens")
        apart = own.sql("SELECT exposed < duration AS overlaps, parent FROM events WHERE kind = 'Collective' ORDER BY id")
        self.assertEqual([row.overlaps for row in apart[1:6]], [1] * 5)
        operators = own.sql("SELECT kind FROM events WHERE id IN (SELECT parent FROM events WHERE name = 'aten.add')")
        self.assertNotIn("Collective", [row.kind for row in operators])
        clock = json.loads(own.meta["clock"])
        self.assertEqual(len(clock["anchors"]), 2)
        self.assertLess(clock["anchors"][0]["at"], clock["anchors"][1]["at"])
        self.assertNotIn("clock", recording.meta)


# Records what Flights reports to the recorder.
class FakeRecorder:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args: self.calls.append((name, *args))


# The parts of torch.cuda that GpuMarks uses. Marks are numbered; the stream has reached `reached`.
class FakeGpu:
    def __init__(self):
        self.made, self.reached, self.capturing = 0, 0, False

    def is_current_stream_capturing(self):
        return self.capturing

    def current_stream(self, device):
        return f"stream of {device}"

    def Event(self, enable_timing):  # noqa: N802
        assert enable_timing
        return FakeMark(self)


class FakeMark:
    def __init__(self, gpu):
        self.gpu = gpu
        self.number = None

    def record(self, stream):
        assert stream == "stream of cuda:1"
        self.gpu.made += 1
        self.number = self.gpu.made

    def query(self):
        return self.number <= self.gpu.reached

    def elapsed_time(self, other):
        return (other.number - self.number) * 0.5  # milliseconds


class OnGpu(unittest.TestCase):
    def setUp(self):
        self.gpu = FakeGpu()
        self.recorder = FakeRecorder()
        self.watches = types.SimpleNamespace(around=lambda *args, **kwargs: None)
        self.flights = Flights(self.recorder, self.watches, GpuMarks(self.gpu))
        self.device = torch.device("cuda:1")

    def wait(self, flight, work):
        self.flights._works[id(work)] = work, flight
        self.assertEqual(self.flights._wait_work(lambda work: "waited", work), "waited")

    def test_marks_on_the_stream_measure_a_collective(self):
        flight = self.flights.begin(7, self.device)  # at 1
        self.wait(flight, types.SimpleNamespace())  # from 2 to 3
        self.flights.poll()
        self.assertEqual(self.recorder.calls, [], "the stream has not reached the last mark")
        self.gpu.reached = 3
        self.flights.poll()
        self.assertEqual(self.recorder.calls, [("completed", 7, 1_000_000, 500_000)])

    def test_a_collective_without_a_work_ends_with_its_call(self):
        self.flights.enqueued(self.flights.begin(8, self.device), None)
        self.gpu.reached = 2
        self.flights.close()
        self.assertEqual(self.recorder.calls, [("enqueued", 8), ("completed", 8, 500_000, 500_000)])

    def test_a_work_for_which_nothing_waits_is_asked_but_not_in_a_capture(self):
        done = types.SimpleNamespace(is_completed=lambda: True)
        self.flights._works[id(done)] = done, self.flights.begin(6, self.device)
        self.gpu.capturing = True
        self.flights.poll()
        self.assertEqual(self.recorder.calls, [])
        self.gpu.capturing = False
        self.flights.poll()
        self.assertEqual(self.recorder.calls, [("completed", 6)])
        self.assertEqual(self.flights._works, {}, "the work is no longer kept")

    def test_a_stream_that_is_captured_takes_no_marks(self):
        flight = self.flights.begin(9, self.device)
        self.gpu.capturing = True
        self.wait(flight, types.SimpleNamespace())
        self.flights.poll()
        self.assertEqual(self.recorder.calls, [("completed", 9)])
        self.assertEqual(self.gpu.made, 1)


if __name__ == "__main__":
    unittest.main()
