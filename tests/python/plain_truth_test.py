"""Programs whose true placements are known: at least 95 % are stated, none is wrong, and a planted fault is found."""
import sys
import unittest

try:
    import shardlens  # noqa: F401
    import torch.distributed  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from plain_programs import PlainTest, problems_of
from support import load_tests  # noqa: F401


class Truth(PlainTest):
    # Checks the placements of a program: its tensors along all axes, and how many of them are stated.
    def check(self, program, truth, count, stated):
        recording = self.recorded(program, values="hashes")
        self.assertEqual([each.sentence for each in problems_of(recording)], [])
        found = recording.placements()
        wrong = [each for each in found if each.placement not in (None, truth(each, each.tensor.removesuffix(".grad")))]
        self.assertEqual(wrong, [])
        known = [each for each in found if each.placement is not None]
        self.assertEqual((len(found), len(known)), (count, stated))
        self.assertGreaterEqual(stated, 0.95 * count)

    # Checks that the last rank's changed copy, and the reduction that it ignores, are found. Gradients that are
    # computed with a changed copy differ, too.
    def check_faults(self, program, copy, gradient):
        found = {(each.rule, each.sentence.split(" ")[0]) for each in problems_of(
            self.recorded(program, "copy", values="hashes"))}
        self.assertEqual({each for each in found if each[0] != "gradients-differ"}, {("parameters-differ", copy)})
        found = {(each.rule, each.sentence.split(" ")[0]) for each in problems_of(
            self.recorded(program, "missing", values="hashes"))}
        self.assertIn(("missing-reduction", gradient), found)
        self.assertLessEqual(found, {("missing-reduction", gradient), ("gradients-differ", gradient)})

    def test_ring_attention(self):
        def truth(tensor, _):
            return "S(1)" if tensor.role == "output" else "R"
        self.check("ring_attention", truth, 22, 22)
        self.check_faults("ring_attention", "head.bias", "head.weight.grad")

    def test_vocabulary(self):
        def truth(tensor, name):
            if tensor.axis == "dp":
                return "S(0)" if tensor.role == "output" else "R"
            if tensor.role == "output":
                return "S(1)" if name in ("4", "Sequential") else "R"
            return "S(0)" if name in ("0.weight", "4.weight") else "R"
        self.check("vocabulary", truth, 36, 36)
        self.check_faults("vocabulary", "2.bias", "2.weight.grad")

    def test_clipped_gradients(self):
        def truth(tensor, name):
            if tensor.axis == "dp":
                return "S(0)" if tensor.role == "output" else "R"
            return "S(0)" if name.endswith("up") else "S(1)" if name.endswith("down") else "R"
        self.check("clipped", truth, 70, 70)

    def test_hidden_state(self):
        def truth(tensor, name):
            if tensor.axis == "dp":
                return "S(0)" if tensor.role == "output" else "R"
            return "S(1)" if name.startswith("cell") else "R"
        self.check("gru", truth, 26, 26)
        self.check_faults("gru", "head.bias", "head.weight.grad")

    def test_one_head_per_rank(self):
        inner = {"1.inlet": "S(2)", "1.core": "S(1)", "1.outlet": "P(sum)"}
        weights = {"1.inlet.weight": "S(0)", "1.inlet.bias": "S(0)", "1.outlet.weight": "S(1)"}

        def truth(tensor, name):
            if tensor.axis == "dp":
                return "S(0)" if tensor.role == "output" else "R"
            return (inner if tensor.role == "output" else weights).get(name, "R")
        self.check("one_head", truth, 52, 52)

    def test_averaged_parameters(self):
        for how in ("all", "neighbours"):
            recording = self.recorded("averaged", how, values="hashes")
            self.assertEqual([each.sentence for each in problems_of(recording)], [])

    def test_owned_parameters(self):
        def truth(tensor, _):
            return "S(0)" if tensor.role == "output" else "R"
        self.check("owners", truth, 23, 23)

    def test_routed_tokens(self):
        def truth(tensor, name):
            if tensor.role == "output":
                return "S(0)"
            return "S(0)" if tensor.axis == "ep" and "experts" in name else "R"
        self.check("routed", truth, 44, 44)


if __name__ == "__main__":
    unittest.main()
