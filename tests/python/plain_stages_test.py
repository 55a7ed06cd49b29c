"""Pipelines with tensor parallelism, and optimizers of slices, of plain tensors: placements and planted faults."""
import sys
import unittest

try:
    import shardlens
    import torch.distributed  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from plain_programs import PlainTest, problems_of
from support import load_tests, recorded_on_four_ranks  # noqa: F401

# Copies of a model that exchange rows with a neighbour in both directions, which are no stages.
NEIGHBOURS = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    torch.manual_seed(10 * step + rank)
    batch, rows = torch.randn(3, 4), torch.empty(3, 4)
    if rank % 2 == 0:
        dist.send(batch, rank + 1)
        dist.recv(rows, rank + 1)
    else:
        dist.recv(rows, rank - 1)
        dist.send(batch, rank - 1)
    model(torch.cat([batch, rows])).pow(2).mean().backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= 4
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
"""


# The last rank reduces its last gradient after the optimizer has read it, in the next step of the recording.
LATE = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.manual_seed(1)
model = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def reduce(parameters):
    for parameter in parameters:
        dist.all_reduce(parameter.grad)
        parameter.grad /= 4
for step in range(2):
    torch.manual_seed(10 * step + dist.get_rank())
    optimizer.zero_grad()
    model(torch.randn(7, 4)).pow(2).mean().backward()
    late = 1 if dist.get_rank() == 3 else 2
    reduce(list(model.parameters())[:late])
    optimizer.step()
    reduce(list(model.parameters())[late:])
dist.destroy_process_group()
"""


# Returns the rule and the first words of each problem.
def found(recording):
    return {(each.rule, each.sentence.split(" ")[0]) for each in problems_of(recording)}


class Pipelines(PlainTest):
    def run_with(self, fault):
        return self.recorded("pipeline", fault, values="hashes")

    def test_each_stage_has_its_placements(self):
        recording = self.run_with("none")
        self.assertEqual(problems_of(recording), [])
        wrong = []
        for each in recording.placements():
            self.assertEqual(each.axis, "tp")
            self.assertIn(each.ranks, ("0,1", "2,3"))
            name = each.tensor.removesuffix(".grad")
            right = "S(0)" if name.endswith("up") else "S(1)" if name.endswith("down") else "R"
            if each.placement != right:
                wrong.append(each)
        self.assertEqual(wrong, [])
        ranks = {(each.tensor, each.ranks) for each in recording.placements()}
        self.assertLessEqual({("blocks.0.up", "0,1"), ("blocks.0.up", "2,3"), ("inlet.weight", "0,1"),
                              ("outlet.weight", "2,3")}, ranks)
        self.assertNotIn(("outlet.weight", "0,1"), ranks)
        ledgers = {(each.gradient, each.ranks) for each in recording.ledgers()}
        self.assertLessEqual({("blocks.0.up.grad", "0,1"), ("blocks.0.up.grad", "2,3")}, ledgers)
        self.assertEqual(recording.sql("SELECT DISTINCT ranks FROM placements WHERE name = 'blocks.0.up'"),
                         [("0,1",), ("2,3",)])

    def test_a_copy_that_differs(self):
        first = problems_of(self.run_with("copy"))[0]
        self.assertEqual(first.rule, "parameters-differ")
        self.assertRegex(first.sentence, r"^blocks.1.shift differs over tp \(ranks 2,3\), .* on rank 2 and rank 3")

    def test_a_missing_reduction(self):
        rules = {rule for rule, _ in found(self.run_with("missing"))}
        self.assertTrue(rules & {"missing-reduction", "gradients-differ"}, rules)

    def test_a_gradient_that_differs(self):
        sentences = [each.sentence for each in problems_of(self.run_with("gradient")) if "gradient" in each.rule]
        self.assertTrue(any("shift.grad differs over tp (ranks 2,3)" in each for each in sentences), sentences)

    def test_a_reduction_over_the_axis_of_copies(self):
        self.assertIn("reduced-copies", {rule for rule, _ in found(self.run_with("axis"))})


class Neighbours(unittest.TestCase):
    def test_copies_that_exchange_messages_are_no_stages(self):
        folder, _ = recorded_on_four_ranks(self, NEIGHBOURS, "--plain", "--values", "hashes")
        recording = shardlens.open(folder)
        self.assertEqual(problems_of(recording), [])
        self.assertEqual({each.ranks for each in recording.placements()}, {None})
        self.assertEqual({each.placement for each in recording.placements() if each.role == "gradient"}, {"R"})


class Late(unittest.TestCase):
    def test_a_reduction_after_the_optimizer_on_one_rank(self):
        folder, _ = recorded_on_four_ranks(self, LATE, "--plain")
        self.assertEqual([(each.rule, each.sentence) for each in problems_of(shardlens.open(folder))], [
            ("gradient-read-early",
             "the optimizer reads bias.grad before its reduction over world (ranks 0-3) is complete on rank 3")])


class Routed(PlainTest):
    def test_experts_are_no_copies_without_values(self):
        recording = self.recorded("routed", values="none")
        self.assertEqual(problems_of(recording), [])
        placements = {(each.tensor, each.axis): each.placement for each in recording.placements()}
        self.assertEqual(placements["block.experts.up", "ep"], None)
        self.assertEqual(placements["block.experts.up.grad", "ep"], None)

    def test_tokens_stay_rows(self):
        recording = self.recorded("routed", values="hashes")
        self.assertEqual(problems_of(recording), [])
        outputs = {(each.tensor, each.axis): each.placement for each in recording.placements() if each.role == "output"}
        self.assertEqual(set(outputs.values()), {"S(0)"}, outputs)
        self.assertIn(("block.experts", "ep"), outputs)
        weights = {each.tensor: each.placement for each in recording.placements() if each.axis == "ep"}
        self.assertEqual((weights["block.experts.up"], weights["block.norm.weight"]), ("S(0)", "R"))


class SlicedGradients(PlainTest):
    def run_with(self, fault):
        return self.recorded("sliced_gradients", fault, values="hashes")

    def test_slices_have_placements(self):
        recording = self.run_with("none")
        self.assertEqual(problems_of(recording), [])
        placements = {(each.tensor, each.axis): each.placement for each in recording.placements()}
        for tensor in ("AdamW.0", "AdamW.0.grad"):
            self.assertEqual((placements[tensor, "slices"], placements[tensor, "copies"]), ("S(0)", "R"))
        self.assertEqual(placements["0.weight", "slices"], "R")

    def test_a_copy_that_differs(self):
        rules = found(self.run_with("copy"))
        self.assertEqual(rules, {("parameters-differ", "2.bias")})

    def test_a_missing_reduction(self):
        self.assertIn(("missing-reduction", "AdamW.0.grad"), found(self.run_with("missing")))

    def test_a_reduction_that_one_rank_ignores(self):
        first = problems_of(self.run_with("last"))[0]
        self.assertEqual(first.rule, "missing-reduction")
        self.assertEqual(first.sentence, "AdamW.0.grad is not summed over slices (ranks 0,1|2,3) before the optimizer's "
                         "step on rank 3: only the remaining ranks use the result")

    def test_a_reduction_over_the_axis_of_slices(self):
        self.assertIn(("reduced-shards", "AdamW.0.grad"), found(self.run_with("axis")))


if __name__ == "__main__":
    unittest.main()
