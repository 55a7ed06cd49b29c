"""Small jobs of each kind of parallelism: recorded and plain, on the same ranks."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens
from support import load_tests, start_ranks  # noqa: F401

try:
    import torch.distributed.tensor  # noqa: F401
    import shardlens._jobs  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

PROGRAMS = pathlib.Path(__file__).absolute().parents[1] / "jobs/programs"
sys.path.append(str(PROGRAMS))
RANKS, STEPS, WIDTH, FLOAT = 4, 2, 16, 4
# Runs programs, each plain and then recorded, on one of the ranks. Prints the digests.
EACH = """
import importlib, json, os, sys
import torch, torch.distributed as dist
import shardlens
from models import digest
folder, steps, width, *names = sys.argv[1:]
rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks)
digests = {}
for name in names:
    module = importlib.import_module(name)
    plain = digest(module.train(int(steps), int(width)))
    with shardlens.record(f"{folder}/{name}", values="all", program=module.__file__):
        digests[name] = plain, digest(module.train(int(steps), int(width)))
sys.stdout.write(json.dumps(digests))
dist.barrier()
dist.destroy_process_group()
"""
NAMES = ["tensor_parallel", "fsdp", "hsdp", "tp_fsdp", "ddp", "zero", "megatron", "pipeline", "experts", "compiled",
         "context_parallel", "language_model"]


def setUpModule():
    """Runs all programs on four ranks, once for all tests."""
    global _folder, _digests
    from warm_python import warm_python
    held = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(held.cleanup)
    _folder = pathlib.Path(held.name)
    python = warm_python("torch.distributed.tensor.parallel", "torch.distributed.fsdp", "torch.distributed.pipelining",
                         "torch.distributed.optim")
    ranks = start_ranks(RANKS, [python, "-c", EACH, _folder, str(STEPS), str(WIDTH), *NAMES],
                        [str(PROGRAMS), *sys.path], stdout=subprocess.PIPE)
    ended = [(*rank.communicate(), rank.returncode) for rank in ranks]
    for rank, (_, complaint, code) in enumerate(ended):
        if code != 0:
            raise RuntimeError(f"rank {rank} ended with {code}: {complaint}")
    _digests = [json.loads(printed) for printed, _, _ in ended]


def parameters(of, *, width=WIDTH):
    """Returns the number of parameters of a model of the programs."""
    return sum(math.prod(each.shape) for each in of(width).parameters())


class Programs(unittest.TestCase):
    def check(self, name, expected, steps=STEPS):
        """Checks that the program computed the same bits, that no problem is found, and the steps and collectives.
        `expected` has (kind, ranks) -> (count, bytes that all ranks sent). Returns the recording."""
        for rank, digests in enumerate(_digests):
            plain, recorded = digests[name]
            self.assertEqual(plain, recorded, f"rank {rank}")
        recording = shardlens.open(_folder / name)
        self.assertEqual([str(each) for each in recording.problems], [])
        self.assertEqual([row.name for row in recording.sql("SELECT name FROM events WHERE kind = 'Step' ORDER BY id")],
                         [f"step {step + 1}" for step in range(steps)])
        self.assertEqual(json.loads("[%s]" % recording.meta["hosted"].replace("-", ",")), [0, RANKS - 1])
        rows = recording.sql("SELECT name, ranks, count(*) AS n, sum(bytes) AS bytes FROM events "
                             "WHERE kind = 'Collective' AND ranks = process_group GROUP BY 1, 2")
        self.assertEqual({(row.name, row.ranks): (row.n, row.bytes) for row in rows}, expected)
        return recording

    def modules(self, recording, kind, passed="forward"):
        """Returns the modules of the collectives of a kind and a pass, sorted."""
        rows = recording.sql(f"SELECT DISTINCT site FROM events WHERE kind = 'Collective' AND name = '{kind}'")
        sites = [json.loads(row.site) for row in rows]
        return sorted({site.get("module", "") for site in sites if site.get("pass") == passed})

    def test_tensor_parallel(self):
        from tensor_parallel import BATCH, BLOCKS, LENGTH
        x = BATCH * LENGTH * WIDTH * FLOAT  # bytes of an activation
        bias, sharded = WIDTH, 12 * WIDTH ** 2 + 4 * WIDTH  # of a block: elements that are replicated, and sharded
        recording = self.check("tensor_parallel", {
            # Forward: out and down. Backward: query, key, value and up.
            ("all_reduce", "0-3"): (STEPS * BLOCKS * 6, STEPS * BLOCKS * 6 * x * RANKS),
            ("scatter", "0-3"): (BLOCKS * 7, BLOCKS * sharded * FLOAT),
            ("broadcast", "0-3"): (BLOCKS, BLOCKS * bias * FLOAT * RANKS)})
        self.assertEqual(self.modules(recording, "all_reduce"), ["0", "1"])
        self.assertEqual(self.modules(recording, "all_reduce", "backward"),
                         [f"{block}.{name}" for block in range(BLOCKS) for name in ("key", "query", "up", "value")])

    def test_fsdp(self):
        from fsdp import BLOCKS, HEADS
        from models import Block
        size = parameters(lambda width: Block(width, HEADS)) * FLOAT
        norms = len(list(Block(WIDTH, HEADS).parameters())) * BLOCKS
        recording = self.check("fsdp", {
            ("all_gather", "0-3"): (STEPS * BLOCKS * 2, STEPS * BLOCKS * 2 * size),
            ("reduce_scatter", "0-3"): (STEPS * BLOCKS, STEPS * BLOCKS * size * RANKS),
            ("all_reduce", "0-3"): (STEPS, STEPS * norms * FLOAT * RANKS)})
        self.assertEqual(self.modules(recording, "all_gather"), ["0", "1"])

    def test_hsdp(self):
        from hsdp import LAYERS
        from models import Feedforward
        size, times = parameters(Feedforward) * FLOAT, STEPS * LAYERS
        self.check("hsdp", {(kind, ranks): expected for kind, groups, expected in (
            ("all_gather", ("0,1", "2,3"), (2 * times, 2 * times * size)),
            ("reduce_scatter", ("0,1", "2,3"), (times, times * size * 2)),
            ("all_reduce", ("0,2", "1,3"), (times, times * size))) for ranks in groups})

    def test_tensor_parallel_with_fsdp(self):
        from tp_fsdp import BATCH, LAYERS, TP
        x, times = BATCH * WIDTH * FLOAT, STEPS * LAYERS
        sharded, bias = (8 * WIDTH ** 2 + 4 * WIDTH) * FLOAT, WIDTH * FLOAT  # bytes, of a layer
        size = sharded // TP + bias  # of a rank of a pair, before FSDP
        reduced = STEPS * (2 * LAYERS - 1)  # the input needs no gradient
        recording = self.check("tp_fsdp", {(kind, ranks): expected for kind, groups, expected in (
            ("all_reduce", ("0,1", "2,3"), (reduced, reduced * x * TP)),
            ("scatter", ("0,1", "2,3"), (3 * LAYERS, LAYERS * sharded)),
            ("broadcast", ("0,1", "2,3"), (LAYERS, LAYERS * bias * TP)),
            ("all_gather", ("0,2", "1,3"), (2 * times, 2 * times * size)),
            ("reduce_scatter", ("0,2", "1,3"), (times, times * size * 2))) for ranks in groups})
        self.assertEqual(self.modules(recording, "all_reduce"), ["0", "1"])
        self.assertEqual(self.modules(recording, "all_reduce", "backward"), ["1.up"])

    def test_language_model(self):
        from language_model import BATCH, BLOCKS, LENGTH, TP, WORDS
        x, column = BATCH * LENGTH * WIDTH * FLOAT, WIDTH * FLOAT  # bytes
        sharded, table = (12 * WIDTH ** 2 + 4 * WIDTH) * FLOAT, WORDS * column  # of a block; of embedding and output
        size = BLOCKS * (sharded // TP + 5 * column), table + 2 * column  # of a rank of a pair: blocks, and the rest
        gathered = STEPS * (BLOCKS * (4 + 4 + 2) + 2)  # forward, again, backward; output and embedding
        reduced = STEPS * (BLOCKS * (2 + 1 + 4) + 2)  # again without `down`, whose output the gradient does not need
        norms, loss = STEPS * 2 * (2 * BLOCKS + 1), STEPS * 3
        recording = self.check("language_model", {(kind, ranks): expected for kind, groups, expected in (
            ("all_gather", ("0,1", "2,3"), (gathered, gathered * x)),
            ("reduce_scatter", ("0,1", "2,3"), (reduced, reduced * x * TP)),
            ("all_reduce", ("0,1", "2,3"), (norms + loss, (norms * column + loss * BATCH * LENGTH * FLOAT) * TP)),
            ("scatter", ("0,1", "2,3"), (7 * BLOCKS + 2, BLOCKS * sharded + 2 * table)),
            ("broadcast", ("0,1", "2,3"), (BLOCKS, BLOCKS * column * TP)),
            ("all_gather", ("0,2", "1,3"), (STEPS * (2 * BLOCKS + 1), STEPS * (2 * size[0] + size[1]))),
            ("reduce_scatter", ("0,2", "1,3"), (STEPS * (BLOCKS + 1), STEPS * sum(size) * 2))) for ranks in groups})
        masks = recording.sql("SELECT kind, count(*) AS n FROM events WHERE kind LIKE 'Mask%' GROUP BY 1")
        # The embedding, the loss, and its gradient, whose mask is freed without a release.
        self.assertEqual({row.kind: row.n for row in masks},
                         {"MaskMaterialized": 3 * STEPS, "MaskApplied": 2 * STEPS, "MaskReleased": 3 * STEPS})

    def ddp(self, name, layers, optimizers=0):
        """Checks a program under DDP, which broadcasts once what it needs for itself."""
        from models import Feedforward
        size = layers * parameters(Feedforward) * FLOAT * RANKS
        recording = shardlens.open(_folder / name)
        rows = recording.sql("SELECT name, bytes, site, ranks FROM events WHERE kind = 'Collective'")
        own = [row.bytes for row in rows if row.name == "broadcast" and "ZeroRedundancyOptimizer" not in row.site]
        self.assertIn(size, own)
        broadcasts = len(own) + STEPS * optimizers, sum(own) + STEPS * size * (optimizers > 0)
        return self.check(name, {("all_reduce", "0-3"): (STEPS, STEPS * size), ("broadcast", "0-3"): broadcasts,
                                 ("all_gather", "0-3"): (1, 8 * RANKS)})

    def test_ddp_with_accumulation(self):
        from ddp import LAYERS
        recording = self.ddp("ddp", LAYERS)
        self.assertEqual(self.modules(recording, "all_reduce", "backward"), [""])

    def test_zero(self):
        from models import Feedforward
        from zero import LAYERS
        each = LAYERS * len(list(Feedforward(WIDTH).parameters()))  # every parameter is broadcast by its owner
        recording = self.ddp("zero", LAYERS, optimizers=each)
        self.assertIn("ZeroRedundancyOptimizer", self.modules(recording, "broadcast", None))

    def test_megatron(self):
        from megatron import BATCH, LAYERS, TP
        x, part = BATCH * WIDTH * FLOAT, 4 * WIDTH // TP
        size = LAYERS * (2 * WIDTH * part + part) * FLOAT
        summed = STEPS * (2 * LAYERS - 1)
        recording = self.check("megatron", {("all_reduce", ranks): expected for groups, expected in (
            (("0,1", "2,3"), (summed, summed * x * TP)),
            (("0,2", "1,3"), (STEPS * 3 * LAYERS, STEPS * size * 2))) for ranks in groups})
        self.assertEqual(self.modules(recording, "all_reduce"), ["", "0", "1"])

    def between(self, recording):
        """Returns the sends and receives: (kind, from, to) -> list of the bytes of each."""
        found = {}
        for row in recording.sql("SELECT name, ranks, bytes FROM events WHERE kind = 'Collective' AND "
                                 "ranks != process_group ORDER BY id"):
            kind, _, between = row.name.partition(" ")
            one, other = map(int, between.replace("<-", "->").split("->"))
            self.assertEqual(row.ranks, str(one))
            found.setdefault((kind, one, other), []).append(row.bytes)
        return found

    def test_pipeline(self):
        from pipeline import BATCH, MICROBATCHES
        recording = self.check("pipeline", {("all_reduce", "0-3"): (3, 3 * FLOAT * RANKS)})
        found = self.between(recording)
        x, times = BATCH * WIDTH * FLOAT, STEPS * MICROBATCHES
        near = [(one, other) for one in range(RANKS) for other in range(RANKS) if abs(one - other) == 1]
        self.assertEqual(sorted(found), sorted((kind, *pair) for kind in ("send", "recv") for pair in near))
        for one, other in near:
            self.assertEqual(found["send", one, other].count(x), times)
            self.assertEqual(len(found["send", one, other]), len(found["recv", other, one]))

    def test_context_parallel(self):
        from context_parallel import BATCH, HEADS, LENGTH
        from models import Block
        model = Block(WIDTH, HEADS)
        recording = self.check("context_parallel", {("all_reduce", "0-3"): (
            STEPS * len(list(model.parameters())), STEPS * parameters(lambda width: model) * FLOAT * RANKS)})
        found, x = self.between(recording), 2 * BATCH * LENGTH * WIDTH * FLOAT  # keys and values
        expected = {}
        for rank in range(RANKS):
            for by in (1, -1):  # forward, backward
                expected["send", rank, (rank + by) % RANKS] = [x] * STEPS * (RANKS - 1)
                expected["recv", rank, (rank - by) % RANKS] = [0] * STEPS * (RANKS - 1)
        self.assertEqual(found, expected)

    def test_experts(self):
        from experts import TOKENS
        sizes, tokens = RANKS * 8, TOKENS * WIDTH * FLOAT  # that a rank sends
        recording = self.check("experts", {
            # The sizes; forward, there and back; backward, back, because the tokens need no gradient.
            ("all_to_all", "0-3"): (STEPS * 4, STEPS * (sizes + 3 * tokens) * RANKS)})
        self.assertEqual(self.modules(recording, "all_to_all"), ["Experts"])
        self.assertEqual(self.modules(recording, "all_to_all", "backward"), ["Experts"])

    def test_compiled(self):
        from compiled import BATCH, LAYERS
        x, reduced = BATCH * WIDTH * FLOAT, STEPS * (2 * LAYERS - 1)
        sharded, bias = (8 * WIDTH ** 2 + 4 * WIDTH) * FLOAT, WIDTH * FLOAT
        self.check("compiled", {("all_reduce", "0-3"): (reduced, reduced * x * RANKS),
                                ("scatter", "0-3"): (3 * LAYERS, LAYERS * sharded),
                                ("broadcast", "0-3"): (LAYERS, LAYERS * bias * RANKS)})


if __name__ == "__main__":
    unittest.main()
