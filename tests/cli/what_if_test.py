"""`what-if`: the cost of a program with other placements of one tensor."""
import json
import unittest

from support import GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario

BESIDE = {"id": "v", "call": "tensor", "data": [[1, 1], [1, 1], [1, 1]], "placements": ["S(1)"]}
SUM = {"id": "n", "call": "aten.add.Tensor", "args": ["$w", "$v"]}


class WhatIf(ProgramTest):
    def ranked(self, *args, code=0):
        lines = self.expect_exit(code, "what-if", "--json", *args).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def cost(self, steps, **more):
        """Returns the answer of a dry run of the program with its own placements."""
        self.write("written.json", scenario(*steps, **more))
        done = self.run_program("run", "--dry", "--json", "written.json")
        return json.loads(done.stdout)

    def test_each_placement_costs_as_a_dry_run(self):
        self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        ranked = self.ranked("a.json", "w")
        self.assertEqual([one["placements"] for one in ranked],
                         [["R"], ["S(1)"], ["S(0)"], ["P(sum)"]])
        self.assertEqual([one["now"] for one in ranked], [False, False, True, False])
        for one in ranked:
            dry = self.cost([TABLE | {"placements": one["placements"]}, IDS, LOOKUP, GATHERED])
            self.assertTrue(dry["ok"])
            self.assertAlmostEqual(one["microseconds"], dry["microseconds"], places=2)
            self.assertEqual(one["bytes"], sum(each["bytes"] for each in dry["collectives"]))
        self.assertEqual([one["held"] for one in ranked], [24, 12, 16, 24])

    def test_a_result_is_redistributed_behind_its_step(self):
        self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        whole = next(one for one in self.ranked("a.json", "y") if one["placements"] == ["S(0)"])
        dry = self.cost([TABLE, IDS, LOOKUP,
                         GATHERED | {"id": "p", "placements": ["S(0)"]},
                         GATHERED | {"args": ["$p"]}])
        self.assertAlmostEqual(whole["microseconds"], dry["microseconds"], places=2)

    def test_refused_placements_come_last_with_the_reason(self):
        self.write("a.json", scenario(TABLE, BESIDE, SUM, redistributions="explicit"))
        ranked = self.ranked("a.json", "w")
        self.assertEqual([one["placements"] for one in ranked],
                         [["S(1)"], ["R"], ["S(0)"], ["P(sum)"]])
        self.assertIsNone(ranked[1]["error"])
        self.assertEqual(ranked[2]["error"]["message"].split(":")[0], "step n")
        self.assertNotIn("microseconds", ranked[2])
        self.assertRegex(self.expect_exit(0, "what-if", "a.json", "w").stdout.splitlines()[-1],
                         r"^  P\(sum\) +refused: step n: ")

    def test_refused_in_every_placement(self):
        self.write("a.json", scenario(TABLE, {"id": "n", "call": "aten.view",
                                              "args": ["$w", [7]]}))
        self.assertEqual([one["error"] is None for one in self.ranked("a.json", "w", code=1)],
                         [False] * 4)

    def test_in_words(self):
        self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        lines = self.expect_exit(0, "what-if", "a.json", "w").stdout.splitlines()
        self.assertRegex(lines[0], r"^w: R is cheapest: 16 B less, .* us less than S\(0\) \(now\)$")
        self.assertEqual(lines[1], "4 placements, estimated by dry runs of the whole program, for rank 0")
        self.assertRegex(lines[-2], r"^  S\(0\) .* now$")

    def test_prints_its_progress_on_request(self):
        self.write("a.json", scenario(TABLE))
        done = self.expect_exit(0, "what-if", "--progress", "a.json", "w")
        self.assertEqual(done.stderr, "0 of 4\n1 of 4\n2 of 4\n3 of 4\n4 of 4\n")
        self.assertEqual(self.expect_exit(0, "what-if", "a.json", "w").stderr, "")

    def test_takes_the_topology_it_is_given(self):
        self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        self.write("slow.json", {"startup_us": 1000})
        fast, slow = self.ranked("a.json", "w"), self.ranked("--topology", "slow.json", "a.json", "w")
        self.assertLess(fast[2]["microseconds"], 1000)
        self.assertGreater(slow[2]["microseconds"], 1000)

    def test_refuses(self):
        name = self.write("a.json", scenario(TABLE))
        self.expect_refusal("a.json: got q, expected a tensor that a step of the program makes",
                            "what-if", name, "q")
        self.write_lines("two.jsonl", [scenario(TABLE), scenario(TABLE)])
        self.expect_refusal("two.jsonl: got 2 scenarios, expected one", "what-if", "two.jsonl", "w")
        early = self.write("b.json", scenario(TABLE | {"placements": ["S(5)"]}))
        done = self.expect_exit(2, "what-if", early, "w")
        self.assertIn("b.json: the unchanged program does not make w: step w: ", done.stderr)
        mesh = {"shape": [2] * 17}
        large = self.write("c.json", scenario(TABLE | {"placements": ["R"] * 17}) | {"mesh": mesh})
        self.expect_refusal("c.json: 2 dimensions on a mesh of 17 dimensions: got more than 100000 "
                            "placements, expected fewer", "what-if", large, "w")


if __name__ == "__main__":
    unittest.main()
