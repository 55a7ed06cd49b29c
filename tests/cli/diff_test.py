"""`diff`: the differences between two recordings."""
import json
import unittest

from support import GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario


class Differences(ProgramTest):
    def record(self, name, *steps, values="all", **more):
        self.write(name + ".json", scenario(*steps, **more))
        self.expect_exit(0, "run", "--record", name + ".shardlens", "--values", values, name + ".json")
        return name + ".shardlens"

    def differences(self, *paths):
        lines = self.expect_exit(1, "diff", "--json", *paths).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_none(self):
        one = self.record("one", TABLE, IDS, LOOKUP, GATHERED)
        other = self.record("other", TABLE, IDS, LOOKUP, GATHERED)
        self.assertEqual(self.expect_exit(0, "diff", one, other).stdout,
                         "4 steps in both, 0 only in A, 0 only in B\nno differences\n")
        self.assertEqual(self.expect_exit(0, "diff", "--json", one, other).stdout, "")

    def test_recordings_without_values(self):
        one, other = self.record("one", TABLE, IDS, LOOKUP), self.record("other", TABLE, IDS, LOOKUP, values="none")
        for left, right, omitted in ((one, other, "B has none"), (other, one, "A has none"),
                                     (other, other, "neither recording has any")):
            self.assertEqual(self.expect_exit(0, "diff", left, right).stdout,
                             "3 steps in both, 0 only in A, 0 only in B\n"
                             f"no differences; values were not compared: {omitted}\n")

    def test_a_step_put_in_and_a_value(self):
        one = self.record("one", TABLE, IDS, LOOKUP, GATHERED)
        table = {**TABLE, "data": [[1, 2], [3, 4], [5, 7]]}
        relu = {"id": "v", "call": "aten.relu", "args": ["$w"]}
        other = self.record("other", table, relu, IDS, LOOKUP, GATHERED)
        found = self.differences(one, other)
        self.assertEqual([(each["in"], each["sentence"]) for each in found], [
            ("program", "w = tensor([[1, 2], [3, 4], [5, 6]], S(0)) in A, "
                        "w = tensor([[1, 2], [3, 4], [5, 7]], S(0)) in B"),
            ("values", "w on rank 1 at [2, 1]: 6 and 7"),
            ("program", "only in B: v = aten.relu(w)"),
            ("values", "y on rank 1 at [0, 1]: 6 and 7"),
            ("values", "z on rank 0 at [0, 1]: 6 and 7"),
        ])
        self.assertEqual((found[2]["a"], found[2]["b"]["step"]), (None, 2))
        words = self.expect_exit(1, "diff", one, other).stdout
        self.assertIn("4 steps in both, 0 only in A, 1 only in B\n", words)
        self.assertIn("program: 2 differences\n  first: w = tensor(", words)

    def test_tolerance(self):
        one = self.record("one", TABLE)
        other = self.record("other", {**TABLE, "data": [[1, 2], [3, 4], [5, 6.003]]})
        found = [each for each in self.differences(one, other) if each["in"] == "values"]
        self.assertEqual([each["sentence"] for each in found], ["w on rank 1 at [2, 1]: 6 and 6.003"])
        self.assertIn("values: 1 difference\n", self.expect_exit(1, "diff", "--tolerance", "1e-4", one, other).stdout)
        self.assertNotIn("values:", self.expect_exit(1, "diff", "--tolerance", "1e-3", one, other).stdout)
        same = self.record("same", TABLE)
        self.expect_exit(0, "diff", "--tolerance", "0", one, same)
        for wrong in ("-1", "small", "nan"):
            self.assertIn(f"got {wrong}, expected a number of at least 0",
                          self.expect_exit(2, "diff", "--tolerance", wrong, one, other).stderr)

    def test_placements_and_their_collectives(self):
        one = self.record("one", TABLE, IDS, LOOKUP, GATHERED)
        other = self.record("other", TABLE, IDS, LOOKUP, {**GATHERED, "placements": ["S(0)"]})
        self.assertEqual([each["in"] for each in self.differences(one, other)],
                         ["program", "placements", "plans", "plans", "collectives"])

    def test_refusals(self):
        one = self.record("one", IDS)
        self.expect_refusal("no.shardlens does not exist", "diff", one, "no.shardlens")
        self.expect_refusal("B is required\nRun with --help for more information.", "diff", one)


if __name__ == "__main__":
    unittest.main()
