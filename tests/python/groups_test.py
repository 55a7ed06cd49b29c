"""The recorder of jobs on four ranks: process groups, submeshes, sends and receives."""
import json
import sys
import unittest

import shardlens
from support import recorded_on_four_ranks

try:
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

SETUP = """
import torch, torch.distributed as dist
from torch.distributed import _functional_collectives as funcol
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, init_device_mesh
dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
"""


class Groups(unittest.TestCase):
    def record(self, body):
        """Records the body on four ranks; returns the recording and the path of the script."""
        folder, script = recorded_on_four_ranks(self, SETUP + body + "\ndist.destroy_process_group()\n",
                                                "--values", "all")
        return shardlens.open(folder), script

    def collectives(self, recording):
        return [tuple(row) for row in recording.sql(
            "SELECT name, ranks, process_group, sequence, bytes FROM events WHERE kind = 'Collective' ORDER BY id")]

    def test_a_submesh_is_one_on_each_replica(self):
        recording, script = self.record("""
tp = mesh["tp"]
terms = DTensor.from_local(torch.full((4,), float(rank)), tp, [Partial()])
whole = terms.redistribute(placements=[Replicate()])
dist.all_reduce(torch.ones(1), group=tp.get_group())
if rank >= 2:
    copies = DTensor.from_local(torch.full((2,), float(rank)), tp, [Replicate()])  # the bug
""")
        self.assertEqual(recording.meta["mesh"], "2x2:dp,tp")
        self.assertEqual(sorted(self.collectives(recording)), [
            ("all_reduce", "0,1", "0,1", 1, 32), ("all_reduce", "0,1", "0,1", 2, 8),
            ("all_reduce", "2,3", "2,3", 1, 32), ("all_reduce", "2,3", "2,3", 2, 8)])
        dimensions = recording.sql("SELECT mesh_dim FROM events WHERE kind = 'Collective' AND sequence = 1")
        self.assertEqual([row.mesh_dim for row in dimensions], [1, 1], "tp is dimension 1 of the whole mesh")
        axes = recording.sql("SELECT DISTINCT sequence, axis FROM collectives ORDER BY sequence")
        self.assertEqual([tuple(row) for row in axes], [(1, "tp"), (2, "tp")], "also the call of the program")
        mesh = recording.sql("SELECT mesh FROM tensors WHERE name = 'from_local' LIMIT 1")[0].mesh
        self.assertEqual(json.loads(mesh), {"shape": [2], "names": ["tp"], "ranks": [0, 1, 2, 3]})
        values = recording.sql("SELECT shard_values.rank, max FROM shard_values JOIN events ON event = events.id "
                               "WHERE events.name = 'from_local''' ORDER BY 1")
        self.assertEqual([tuple(row) for row in values], [(0, 1), (1, 1), (2, 5), (3, 5)])
        line = next(at for at, text in enumerate(script.read_text().splitlines(), 1) if "# the bug" in text)
        self.assertEqual([(each.rule, each.line, each.sentence) for each in recording.problems], [
            ("copies-differ", line, "copies of from_local differ: 3 on rank 3 at [0], 2 on rank 2")])

    def test_a_rank_that_calls_a_line_once_more_is_no_difference(self):
        recording, script = self.record("""
def local(value):
    return DTensor.from_local(torch.full((2,), float(value)), mesh, [Replicate(), Replicate()])
first = local(1)
if rank == 1:
    local(9)
local(2) + first
for number in range(3):
    if rank == 1 and number == 1:
        local(7)
    number = local(number)
    number + number
DTensor.from_local(torch.full((2,), float(rank == 3)), mesh, [Replicate(), Replicate()])  # the bug
""")
        line = next(at for at, text in enumerate(script.read_text().splitlines(), 1) if "# the bug" in text)
        self.assertEqual([(each.rule, each.line, each.sentence) for each in recording.problems], [
            ("copies-differ", line, "copies of from_local differ: 1 on rank 3 at [0], 0 on rank 0")])

    def test_the_default_group_is_that_of_a_mesh_of_one_dimension(self):
        for names, axis in ((("fsdp",), "fsdp"), (("fsdp", "ep"), "")):
            with self.subTest(names):
                recording, _ = self.record(f"""
for name in {names}:
    whole = init_device_mesh("cpu", (4,), mesh_dim_names=(name,))
    DTensor.from_local(torch.ones(1), whole, [Shard(0)])
dist.all_reduce(torch.ones(1), group=whole.get_group())
""")
                self.assertEqual(recording.meta["mesh"], "4:fsdp")
                self.assertEqual([row.axis for row in recording.sql("SELECT axis FROM collectives")], [axis])
                self.assertEqual(self.collectives(recording), [("all_reduce", "0-3", "0-3", 1, 16)])

    def test_the_whole_mesh_is_one_collective_of_all_groups(self):
        recording, _ = self.record("""
terms = DTensor.from_local(torch.ones(4), mesh, [Replicate(), Partial()])
terms.redistribute(placements=[Replicate(), Replicate()])
dist.all_reduce(torch.ones(1), group=mesh.get_group("tp"))
""")
        self.assertEqual(self.collectives(recording), [
            ("all_reduce", "0,1|2,3", "0,1|2,3", 1, 64),
            ("all_reduce", "0,1", "0,1", 2, 8), ("all_reduce", "2,3", "2,3", 2, 8)])
        self.assertEqual(recording.problems, [])
        self.assertEqual(len(recording.query("kind:collective group:2,3")), 2)
        self.assertEqual(len(recording.query("kind:collective group:0,1")), 2)

    def test_sends_and_receives_are_paired_beside_the_collectives(self):
        recording, _ = self.record("""
for _ in range(2):
    if rank == 0:
        dist.send(torch.ones(2), 1)
        dist.send(torch.ones(3), 2, tag=7)
    elif rank in (1, 2):
        dist.recv(torch.empty(1 + rank), 0, tag=7 if rank == 2 else 0)
    dist.all_reduce(torch.ones(1))
sent, received = torch.ones(4), torch.empty(4)
for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, sent, (rank + 1) % 4),
                                    dist.P2POp(dist.irecv, received, (rank - 1) % 4)]):
    work.wait()
dist.scatter(torch.empty(1), [torch.ones(1)] * 4 if rank == 0 else None)
""")
        self.assertEqual([str(problem) for problem in recording.problems], [])
        calls = self.collectives(recording)
        self.assertEqual([call for call in calls if call[0] in ("all_reduce", "scatter")], [
            ("all_reduce", "0-3", "0-3", 1, 16), ("all_reduce", "0-3", "0-3", 2, 16),
            ("scatter", "0-3", "0-3", 3, 16)])
        between = sorted(call for call in calls if "->" in call[2])
        self.assertEqual([call for call in between if call[2].startswith("0->1 ")], [
            ("recv 1<-0", "1", "0->1 tag 0", 1, 0), ("recv 1<-0", "1", "0->1 tag 0", 2, 0),
            ("recv 1<-0", "1", "0->1 tag 0", 3, 0), ("send 0->1", "0", "0->1 tag 0", 1, 8),
            ("send 0->1", "0", "0->1 tag 0", 2, 8), ("send 0->1", "0", "0->1 tag 0", 3, 16)])
        self.assertEqual([call[3:] for call in between if call[0] == "send 0->2"], [(1, 12), (2, 12)])
        self.assertEqual([call[3:] for call in between if call[0] == "recv 2<-0"], [(1, 0), (2, 0)])

    def test_barriers_are_collectives_that_send_nothing(self):
        recording, _ = self.record("dist.barrier()\ndist.monitored_barrier()")
        self.assertEqual([str(problem) for problem in recording.problems], [])
        self.assertEqual(self.collectives(recording), [
            ("barrier", "0-3", "0-3", 1, 0), ("barrier", "0-3", "0-3", 2, 0)])

    def test_the_recording_says_that_waits_of_ddp_are_missing(self):
        body = """
model = torch.nn.Linear(2, 2)
model = torch.nn.parallel.DistributedDataParallel(model) if WRAPPED else model
model(torch.ones(1, 2)).sum().backward()
dist.barrier()
"""
        recording, _ = self.record(body.replace("WRAPPED", "True"))
        self.assertIn("all_reduce", [call[0] for call in self.collectives(recording)])
        self.assertEqual(recording.meta["limits"], "waits for the gradients of DistributedDataParallel: not "
                         "recorded, because its reducer waits in C++")
        recording, _ = self.record(body.replace("WRAPPED", "False"))
        self.assertNotIn("limits", recording.meta)

    def test_local_operators_of_the_namespace_are_no_collectives(self):
        recording, _ = self.record("""
made = funcol.all_gather_tensor_autograd(torch.ones(2, requires_grad=True), 0, dist.group.WORLD)
made.sum().backward()
""")
        self.assertEqual([call[:2] for call in self.collectives(recording)],
                         [("all_gather", "0-3"), ("reduce_scatter", "0-3")])


if __name__ == "__main__":
    unittest.main()
