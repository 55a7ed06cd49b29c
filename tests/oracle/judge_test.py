"""The judge accepts a right answer, and reports each change that makes the answer wrong."""
import argparse
import copy
import unittest

import replay
from judge import complaints
from whole import are_close, whole


def tensor(placements, locals_, shape, dtype="float32"):
    return {"shape": shape, "dtype": dtype, "placements": placements,
            "locals": [{"rank": rank, "shape": list(part), "data": data}
                       for rank, (part, data) in enumerate(locals_)]}


def case():
    scenario = {"mesh": {"shape": [2]}, "steps": [
        {"id": "a", "call": "tensor"}, {"id": "b", "call": "redistribute"},
        {"call": "backward"}, {"id": "g", "call": "grad"}]}
    results = {"a": tensor(["S(0)"], [([2], [1, 2]), ([1], [3])], [3]),
               "b": tensor(["R"], [([3], [1, 2, 3])] * 2, [3]),
               "g": tensor(["R"], [([3], [5, 6, 7])] * 2, [3])}
    collectives = [{"step": "b", "kind": "all_gather", "count": 1},
                   {"step": "step2", "kind": "all_reduce", "count": 1}]
    expect = {"ok": True, "results": results, "collectives": collectives, "error": None}
    return {"scenario": scenario, "expect": expect}


class Judge(unittest.TestCase):
    def verdict(self, change, **more):
        given = case()
        answer = copy.deepcopy(given["expect"])
        change(answer, answer["results"])
        return "; ".join(complaints(given | more, answer))

    def test_equal_answers(self):
        def near(answer, results):
            results["b"]["locals"][1]["data"] = [1.00001, 2, 3]

        def fewer(answer, results):
            answer["collectives"].pop()
            results["g"] = tensor(["P(sum)"], [([3], [1, 1, 1]), ([3], [4, 5, 6])], [3])

        def lighter_gradient(answer, results):
            results["g"] = tensor(["S(0)"], [([2], [5, 6]), ([1], [7])], [3])

        for change in (lambda answer, results: None, near, fewer, lighter_gradient):
            self.assertEqual(self.verdict(change), "")

    def test_unequal_answers(self):
        def value(answer, results):
            results["b"]["locals"][1]["data"][2] = 3.1

        def placement(answer, results):
            results["b"] = tensor(["S(0)"], [([2], [1, 2]), ([1], [3])], [3])

        def lighter_but_wrong(answer, results):
            results["g"] = tensor(["S(0)"], [([2], [5, 6]), ([1], [8])], [3])

        def not_a_layout(answer, results):
            results["g"] = tensor(["S(0)"], [([1], [5]), ([2], [6, 7])], [3])

        def one_more(answer, results):
            answer["collectives"][0]["count"] = 2

        def heavier(answer, results):
            answer["collectives"][0]["kind"] = "all_reduce"

        def refused(answer, results):
            answer |= {"ok": False, "error": {"step": "b", "message": "no"}}

        for change, why in [
            (value, "b: rank 1 has other values"),
            (placement, "b: placements ['S(0)'], not ['R']"),
            (lighter_but_wrong, "g under ['S(0)'] is another tensor"),
            (not_a_layout, "g: part 0 of 3 has length 1, not 2"),
            (one_more, "b: 2 collectives so far, DTensor 1"),
            (heavier, "b: {'all_reduce': 1}, where DTensor needs {'all_gather': 1}"),
            (lambda answer, results: answer["collectives"].pop(0), "b names no collective"),
            (lambda answer, results: results.pop("a"), "a is missing"),
            (lambda answer, results: results["a"].update(dtype="int64"), "dtype int64"),
            (refused, "b is refused: no"),
        ]:
            with self.subTest(why=why):
                self.assertIn(why, self.verdict(change))
        self.assertEqual(complaints(case(), None), ["no answer"])

    def test_refusals(self):
        must = {"must_refuse": {"step": "b", "words": ["10", "Index"]}}

        def refuse(step, message):
            def change(answer, results):
                answer |= {"ok": False, "error": {"step": step, "message": message}}
            return change

        self.assertEqual(self.verdict(refuse("b", "index 10"), **must), "")
        self.assertIn("a is refused, not b", self.verdict(refuse("a", "index 10"), **must))
        self.assertIn("does not say 'Index'", self.verdict(refuse("b", "10"), **must))
        self.assertIn("expected a refusal", self.verdict(lambda a, r: None, **must))

    def test_where_dtensor_fails_the_plain_result_counts(self):
        dense = {"upstream_wrong": True, "dense": {"g": {"shape": [3], "data": [5, 6, 7]}}}
        self.assertEqual(self.verdict(lambda answer, results: None, **dense), "")
        dense["dense"]["g"]["data"] = [5, 6, 8]
        self.assertIn("g under ['R'] is another", self.verdict(lambda a, r: None, **dense))


class Launch(unittest.TestCase):
    def test_the_backend_is_passed_on(self):
        options = argparse.Namespace(program="p", torchrun="t", backend=None)
        self.assertEqual(replay.in_one_process(options), ["p", "run", "--json"])
        self.assertEqual(replay.on_processes(options, 2)[-4:], ["run", "--backend", "gloo", "--json"])
        options.backend = "nccl"
        self.assertEqual(replay.in_one_process(options), ["p", "run", "--backend", "nccl", "--json"])
        self.assertEqual(replay.on_processes(options, 2)[-4:], ["run", "--backend", "nccl", "--json"])


class Whole(unittest.TestCase):
    def test_half_precision_has_a_wider_tolerance(self):
        self.assertTrue(are_close([1.001], [1], "float16"))
        self.assertFalse(are_close([1.001], [1], "float32"))
        self.assertFalse(are_close([1.01], [1], "float16"))
        self.assertTrue(are_close([1.01], [1], "bfloat16"))

    def test_parts_are_joined_from_the_right(self):
        strided = tensor(["SS(0, 2)", "S(0)"], [([2], [0, 1]), ([2], [4, 5]), ([2], [2, 3]),
                                                ([2], [6, 7])], [8])
        self.assertEqual(whole(strided, [2, 2]), list(range(8)))
        columns = tensor(["P(sum)", "S(1)"], [([2, 2], [1, 2, 4, 5]), ([2, 1], [3, 6]),
                                              ([2, 2], [9, 8, 6, 5]), ([2, 1], [7, 4])], [2, 3])
        self.assertEqual(whole(columns, [2, 2]), [10] * 6)

    def test_replicas_must_agree(self):
        with self.assertRaisesRegex(ValueError, "replicas differ"):
            whole(tensor(["R"], [([1], [1]), ([1], [2])], [1]), [2])


if __name__ == "__main__":
    unittest.main()
