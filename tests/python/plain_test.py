"""Placements that are inferred for the plain tensors of jobs: all that are stated are right."""
import math
import sys
import tempfile
import unittest
import unittest.mock

try:
    import shardlens
    import torch.distributed.tensor  # noqa: F401
    from shardlens import _jobs
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from shardlens._job import summaries
from shardlens._job.tensors import Tensors, has_memory
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.multiprocessing.reductions import StorageWeakRef
from plain_programs import PlainTest, problems_of
from support import load_tests, recorded_on_four_ranks  # noqa: F401

# The work of Gloo's reduce_scatter never reports that it is complete.
SCATTERS = """
import gc, torch, torch.distributed as dist
dist.init_process_group("gloo")
for _ in range(20):
    dist.reduce_scatter_tensor(torch.empty(1), torch.ones(4))
watch, = (each for each in gc.get_objects() if type(each).__name__ == "PlainWatch")
assert len(watch._pending) == 1, watch._pending
dist.destroy_process_group()
"""

# FSDP2 frees the unsharded parameters after each use.
FSDP = """
import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
torch.manual_seed(dist.get_rank())
for layer in (*model, model):
    fully_shard(layer)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model(torch.randn(2, 4)).sum().backward()
    optimizer.step()
dist.destroy_process_group()
"""


# The placement along tp of a tensor of megatron.py.
def tp_of(tensor, is_sequence_parallel):
    name = tensor.tensor.removesuffix(".grad")
    if tensor.role == "output":
        if name.endswith(("qkv", "up", "head", "Model")):
            return "S(2)"
        return "S(0)" if is_sequence_parallel else "R"
    if name == "embedding.weight" or name.endswith(tuple(
            f"{layer}.{part}" for layer in ("qkv", "up", "head") for part in ("weight", "bias"))):
        return "S(0)"
    return "S(1)" if name.endswith(("out.weight", "down.weight")) else "R"


# Returns a recorder of one rank, and the path of its file.
def recorder(test, values):
    path = test.enterContext(tempfile.TemporaryDirectory()) + "/rank-0.shardlens"
    return _jobs.JobRecorder(path, [values], rank=0, ranks=1, meta={"path": ""}, libraries=[],
                             gradient_node=lambda: None, next_node=int), path


class Overlaps(unittest.TestCase):
    def test_a_tensor_is_inside_if_all_of_it_was_written(self):
        whole = torch.zeros(4, 4)
        views = {"whole": whole, "rows": whole[:2], "row": whole[1], "column": whole[:, 0], "last": whole[3],
                 "ints": whole[0].view(torch.int32)}
        tensors = _jobs.PlainTensorIds(recorder(self, "none")[0], AsyncCollectiveTensor, StorageWeakRef)
        for name, tensor in views.items():
            tensors.number(tensor, name)
        found = {name: is_inside for _, name, is_inside in tensors.overlapping(views["rows"])}
        self.assertEqual(found, {"whole": False, "rows": True, "row": True, "column": False, "ints": False})
        found = {name: is_inside for _, name, is_inside in tensors.overlapping(views["column"])}
        self.assertFalse(any(found.values()))

    def test_tensors_of_the_engine_are_refused(self):
        with self.assertRaisesRegex(ValueError, "got plain, expected a job"):
            shardlens.record("unused", plain=True)


class Memory(unittest.TestCase):
    def test_a_storage_may_be_too_small_for_a_tensor(self):
        whole = torch.zeros(4, 4)
        rows = whole[:2]
        self.assertTrue(has_memory(whole) and has_memory(rows) and has_memory(torch.zeros(0)))
        whole.untyped_storage().resize_(rows.nbytes)
        self.assertTrue(has_memory(rows))
        self.assertFalse(has_memory(whole))


class Hashes(unittest.TestCase):
    TENSORS = [
        torch.arange(100.0), torch.arange(7), torch.zeros(0), torch.tensor(2.5), torch.tensor([0.0, -0.0, 1.0]),
        torch.tensor([1.0, math.nan, -math.inf]), torch.full((3,), math.nan), torch.tensor([True, False, True]),
        torch.arange(12.0).view(3, 4).t(), torch.arange(12.0)[1::2], torch.arange(40.0)[1:],
        torch.arange(9, dtype=torch.int8)[3:], torch.arange(5, dtype=torch.bfloat16), torch.ones(3, dtype=torch.cfloat),
        torch.arange(6, dtype=torch.float16).view(torch.int16), torch.tensor([1 + 2j, 3]).conj()]

    def test_are_the_same_in_memory_and_on_a_device(self):
        jobs, path = recorder(self, "hashes")
        tensors, pending = Tensors(jobs, keeps_elements=True), summaries.Summaries(jobs)
        jobs.next_step("step 1")
        for tensor in self.TENSORS:
            for name in ("memory", "device"):
                number = jobs.plain_tensor(name, str(tensor.dtype).removeprefix("torch."), list(tensor.shape))
                jobs.result(name, number, tensor.nbytes, "{}")
                tensors.record_value(number, tensor) if name == "memory" else pending.add(number, tensor)
        pending.collect()
        jobs.close()
        rows = {name: shardlens.open(path).sql(
            "SELECT event - (name = 'device'), v.shape, min, max, mean, nans, zeros, hash FROM shard_values AS v "
            f"JOIN tensors ON tensors.id = tensor WHERE name = '{name}' ORDER BY event") for name in ("memory", "device")}
        self.assertEqual(len(rows["memory"]), len(self.TENSORS))
        for tensor, memory, device in zip(self.TENSORS, rows["memory"], rows["device"]):
            self.assertEqual(str(tuple(memory)), str(tuple(device)), tensor)

    def test_do_not_depend_on_strides(self):
        jobs, path = recorder(self, "hashes")
        tensors = Tensors(jobs, keeps_elements=True)
        whole = torch.arange(12.0).view(3, 4)
        for tensor in (whole, whole.t().contiguous().t(), whole.repeat(1, 2)[:, :4], whole.t()):
            number = jobs.plain_tensor("x", "float32", list(tensor.shape))
            jobs.result("x", number, tensor.nbytes, "{}")
            tensors.record_value(number, tensor)
        jobs.close()
        first, *same, other = [row.hash for row in shardlens.open(path).sql("SELECT hash FROM shard_values ORDER BY id")]
        self.assertEqual(same, [first, first])
        self.assertNotEqual(other, first)

    def test_are_collected_in_a_program_without_steps(self):
        jobs = unittest.mock.Mock()
        pending = summaries.Summaries(jobs)
        with unittest.mock.patch.object(summaries, "_MOST_PENDING", 3):
            for number in range(7):
                pending.add(number, torch.ones(2))
        self.assertEqual([call.args[1] for call in jobs.summary.call_args_list], list(range(6)))

    def test_are_not_read_while_a_cuda_graph_is_captured(self):
        jobs, gpu = unittest.mock.Mock(), torch.device("cuda")
        pending, tensors = summaries.Summaries(jobs), Tensors(recorder(self, "hashes")[0], keeps_elements=True)
        tensors._jobs = jobs
        pending.add(1, torch.ones(2))
        with unittest.mock.patch.object(torch.cuda, "is_current_stream_capturing", return_value=True), \
                unittest.mock.patch.object(torch.Tensor, "device", gpu):
            pending.collect()
            tensors.record_value(2, torch.ones(2))
        jobs.summary.assert_not_called()
        jobs.value.assert_not_called()
        pending.collect()
        jobs.summary.assert_called_once()

    def test_of_chunks_add_up(self):
        tensor = torch.randn(1000)
        whole = summaries._summary(tensor)
        with unittest.mock.patch.object(summaries, "_CHUNK", 7):
            self.assertTrue(torch.equal(summaries._hash(tensor), whole[0]))


class Plain(PlainTest):
    def check(self, found, truth, least):
        """Checks that no stated placement differs from truth(tensor), and the share of those that are stated."""
        wrong = [each for each in found if each.placement not in (None, truth(each))]
        self.assertEqual(wrong, [])
        stated = sum(each.placement is not None for each in found)
        self.assertGreaterEqual(stated, least * len(found))
        self.assertTrue(all(each.because for each in found if each.placement))

    def check_megatron(self, *arguments):
        recording = self.recorded("megatron", *arguments)
        is_sequence_parallel = bool(arguments)

        def truth(tensor):
            if tensor.axis == "tp":
                return tp_of(tensor, is_sequence_parallel)
            return "S(1)" if tensor.role == "output" else "R"
        found = recording.placements()
        self.assertEqual(len(found), 160)
        self.check(found, truth, 0.95)
        return recording

    def test_transformer(self):
        recording = self.check_megatron()
        self.assertEqual(problems_of(recording), [])
        named = recording.placements(["mine=0,1|2,3"])
        self.assertEqual({each.axis for each in named}, {"mine", "dp"})
        with self.assertRaisesRegex(ValueError, "axis: got 'tp'"):
            recording.placements(["tp"])

    def test_transformer_with_sequence_parallelism(self):
        recording = self.check_megatron("--sp")
        norm = next(each for each in recording.placements() if each.tensor == "norm" and each.axis == "tp")
        self.assertRegex(norm.because, r"^all_gather at script\.py:\d+$")

    def test_data_parallelism(self):
        def truth(tensor):
            return "S(0)" if tensor.role == "output" else "R"
        recording = self.recorded("ddp")
        self.check(recording.placements(), truth, 0.95)
        self.assertEqual(problems_of(recording), [])

    def test_distributed_data_parallel(self):
        """The reducer's bucket, to which it writes each gradient, carries the placements of its parts."""
        def truth(tensor):
            return "S(0)" if tensor.role == "output" else "R"
        for arguments in ((), ("--view",)):
            recording = self.recorded("wrapped", *arguments, values="hashes")
            self.assertEqual(len(recording.placements()), 18)
            self.check(recording.placements(), truth, 1)
            self.assertEqual(problems_of(recording), [])
            entries = recording.ledgers()[-1].entries
            self.assertEqual([(each.kind, each.factor) for each in entries],
                             [("computed", None), ("accumulated", None), ("scaled", 0.25), ("reduced", None),
                              ("read", None)])

    def test_gradients_that_distributed_data_parallel_does_not_reduce(self):
        for bug, name in (("--ignore", "3.bias"), ("--unreduced", "0.weight")):
            problem = problems_of(self.recorded("wrapped", bug, values="hashes"))[0]
            self.assertEqual(problem.rule, "missing-reduction")
            self.assertRegex(problem.sentence, rf"^module\.{name}\.grad is not summed over world \(ranks 0-3\) before")

    # Records ddp.py with a planted bug. Returns its problems, and checks that nothing wrong is stated.
    def planted(self, bug):
        recording = self.recorded("ddp", bug)
        stated = {each.tensor: each.placement for each in recording.placements() if each.role == "parameter"}
        self.assertLessEqual(set(stated.values()), {None, "R"})
        return [(each.rule, each.sentence) for each in problems_of(recording)]

    def test_missing_reduction(self):
        (rule, sentence), = self.planted("--unreduced")
        self.assertEqual(rule, "missing-reduction")
        self.assertRegex(sentence, r"^0\.weight\.grad is not summed over world \(ranks 0-3\) before the optimizer's step: ")

    def test_parameters_that_differ(self):
        (rule, sentence), = self.planted("--diverged")
        self.assertEqual(rule, "parameters-differ")
        self.assertRegex(
            sentence, r"^0\.weight differs over world \(ranks 0-3\), but its gradient does not \(-?[\d.e+-]+ on rank \d, "
                      r"-?[\d.e+-]+ on rank \d, at local element 0\)$")

    def test_second_reduction(self):
        self.assertEqual(self.planted("--twice"), [
            ("reduced-twice", "an all_reduce over world (ranks 0-3) sums what another one has reduced already")])

    def test_collectives_that_never_report_their_end(self):
        """The recorder does not retain them: a program without an optimizer of torch has any number of them."""
        recorded_on_four_ranks(self, SCATTERS, "--plain")

    def test_parameters_that_fsdp_frees(self):
        folder, _ = recorded_on_four_ranks(self, FSDP, "--plain", "--values", "all")
        recording = shardlens.open(folder)
        self.assertEqual([str(each) for each in problems_of(recording)], [])
        self.assertEqual([step.name for step in recording.steps], ["step 1", "step 2"])
        self.assertEqual([(each.tensor, each.placement) for each in recording.placements()],
                         [("0", "S(0)"), ("1", "S(0)"), ("FSDPSequential", "S(0)")])

    def test_gradients_that_differ(self):
        (rule, sentence), = self.planted("--scaled")
        self.assertEqual(rule, "gradients-differ")
        self.assertRegex(sentence, r"differs over world \(ranks 0-3\) at the optimizer's step, but its parameter does not")

    def test_gradients_that_are_read_before_their_reduction(self):
        for bug in ("--late", "--async"):
            (rule, sentence), = self.planted(bug)
            self.assertEqual(rule, "gradient-read-early")
            self.assertRegex(sentence, r"^the optimizer reads 0\.weight\.grad before its reduction over world "
                                       r"\(ranks 0-3\) is complete")

    # Records perceptron.py with a planted bug. Returns the rules of its problems with their sentences.
    def perceptron(self, *bug):
        recording = self.recorded("perceptron", *bug)
        return {each.rule: each.sentence for each in problems_of(recording)}, recording

    def test_healthy_perceptron(self):
        def truth(tensor):
            name = tensor.tensor.removesuffix(".grad")
            if tensor.axis == "tp":
                return {"up": "S(0)", "down": "S(1)"}.get(name, "R")
            return "S(0)" if tensor.role == "output" else "R"
        problems, recording = self.perceptron()
        self.assertEqual(problems, {})
        self.check(recording.placements(), truth, 0.95)
        ledgers = {each.gradient: each for each in recording.ledgers()}
        self.assertEqual(ledgers["up.grad"].summary, "summed over dp, divided by 2")
        kinds = [(each.kind, each.axes, each.then["dp"]) for each in ledgers["up.grad"].entries]
        self.assertEqual(kinds, [("computed", [], "P(sum)"), ("reduced", ["dp"], "R"), ("scaled", [], "R"),
                                 ("read", [], "R")])

    def test_reduction_over_the_wrong_axis(self):
        problems, _ = self.perceptron("--wrong-axis")
        self.assertEqual(problems, {"reduced-shards": "down.grad is reduced over tp (ranks 0,1|2,3), along which its "
                                                      "parameter is sharded"})

    def test_sum_of_copies(self):
        problems, _ = self.perceptron("--copies")
        self.assertRegex(problems.get("reduced-copies", ""), r"^bias\.grad is summed over tp \(ranks 0,1\|2,3\), along "
                                                             "which the ranks have equal copies")

    def test_slices_that_are_the_same(self):
        problems, _ = self.perceptron("--same-slice")
        self.assertRegex(problems.get("same-slice", ""), r"^up is sharded over tp \(ranks 0,1\|2,3\)")

    def test_random_numbers(self):
        problems, _ = self.perceptron("--other-numbers")
        self.assertRegex(problems.get("random-differs", ""), r"draws different random numbers over tp")
        self.assertNotIn("random-agrees", problems)
        problems, _ = self.perceptron("--same-numbers")
        self.assertRegex(problems.get("random-agrees", ""), r"draws the same random numbers over tp")
        self.assertNotIn("random-differs", problems)

    def test_uneven_shards(self):
        def truth(tensor):
            name = tensor.tensor.removesuffix(".grad")
            return {"up": "S(0)", "down": "S(1)"}.get(name, "R")
        recording = self.recorded("uneven")
        self.check(recording.placements(), truth, 0.95)
        self.assertEqual(problems_of(recording), [])

    def test_lists_of_exchanges(self):
        def truth(tensor):
            return "S(0)" if tensor.role == "output" else "R"
        recording = self.recorded("exchanges")
        self.check(recording.placements(), truth, 0.95)
        self.assertEqual(problems_of(recording), [])

    def test_tables(self):
        recording = self.recorded("ddp")
        self.assertEqual(recording.sql("SELECT DISTINCT placement, evidence FROM placements WHERE role = 'parameter'"),
                         [("R", "equal values")])
        self.assertEqual(recording.sql("SELECT kind, over, factor FROM ledger WHERE gradient = '0.bias.grad' LIMIT 4"),
                         [("computed", "", None), ("reduced", "world (ranks 0-3)", None), ("scaled", "", 0.25),
                          ("read", "", None)])

    def test_experts(self):
        def truth(tensor):
            if tensor.role == "output":
                # Dimension 1 has the tokens of each rank of ep, and of these those of each rank of dp.
                return {"experts": {"ep": "S(0)", "dp": "SS(1, 2)"}}.get(tensor.tensor, {"ep": "S(1)", "dp": "S(1)"})[
                    tensor.axis]
            return "S(0)" if tensor.axis == "ep" and "experts" in tensor.tensor else "R"
        found = self.recorded("experts").placements()
        self.check(found, truth, 0.95)

    def test_experts_that_are_equal_at_first(self):
        recording = self.recorded("equal_experts")
        found = {each.tensor: each.placement for each in recording.placements() if each.role == "parameter"}
        self.assertEqual((found["0.weight"], found["0.weight#2"]), ("S(0)", "R"))
        self.assertEqual([each.sentence for each in recording.problems if "0.weight " in each.sentence], [])

    def test_less_values(self):
        def truth(tensor):
            return "S(0)" if tensor.role == "output" else "R"
        self.check(self.recorded("ddp", values="stats").placements(), truth, 0.95)
        self.check(self.recorded("ddp", values="none").placements(), truth, 0)

    def test_hashes(self):
        """What is inferred from hashes is what is inferred from all values: also uneven, and on two axes."""
        for program in ("ddp", "uneven", "megatron"):
            with self.subTest(program=program):
                recording = self.recorded(program, values="hashes")
                expected = self.recorded(program)
                self.assertEqual(problems_of(recording), [])
                found = {(each.tensor, each.role, each.axis): each for each in recording.placements()}
                for each in expected.placements():
                    self.assertEqual(found[(each.tensor, each.role, each.axis)].placement, each.placement, each)
                if program == "ddp":
                    self.assertRegex(found[("0.weight", "parameter", "world")].because,
                                     r"^equal hashes on ranks 0-3 at step 1 at script\.py:\d+$")

    def test_hashes_that_differ_on_the_last_rank(self):
        for bug, rule in (("--diverged", "parameters-differ"), ("--scaled", "gradients-differ")):
            (problem,) = problems_of(self.recorded("ddp", bug, values="hashes"))
            self.assertEqual(problem.rule, rule)
            self.assertRegex(problem.sentence, r"other hashes on rank 0 and rank [123], .*; record with --values all "
                                               r"to see elements\)$")


if __name__ == "__main__":
    unittest.main()
