"""`history`: the events that changed one element of a tensor."""
import json
import unittest

from support import GALLERY, GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario


class Histories(ProgramTest):
    def record(self, *steps, **more):
        self.write("a.json", scenario(*steps, masking="stepwise", **more))
        self.expect_exit(0, "run", "--record", "a.shardlens", "a.json")

    def history(self, *args):
        lines = self.expect_exit(0, "history", "--json", *args, "a.shardlens").stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_of_a_masked_lookup(self):
        self.record(TABLE, IDS, LOOKUP, GATHERED)
        found = self.history("y[0, 1]")
        self.assertEqual([(each["what"], each["tensor"], each["title"].split(":")[0]) for each in found], [
            ("produced", "y", "aten.embedding"),
            ("masked", "y", "mask #1 materialized"),
            ("produced", "y", "result y"),
            ("moved", "y", "redistribute y"),
            ("masked", "y", "mask #1 applied to y"),
            ("reduced", "y", "all_reduce over tp"),
            ("masked", "y", "mask #1 released"),
            ("moved", "z", "result z"),
        ])
        # The id is 2: rank 0 has rows 0 and 1 of the table, rank 1 has row 2.
        self.assertEqual(found[2]["places"], [
            {"rank": 0, "index": [0, 1], "value": "2", "masked": True},
            {"rank": 1, "index": [0, 1], "value": "6", "masked": False}])
        self.assertEqual([place["value"] for place in found[4]["places"]], ["0", "6"])
        self.assertEqual([place["value"] for place in found[7]["places"]], ["6", "6"])

    def test_is_the_same_from_a_derived_tensor(self):
        self.record(TABLE, IDS, LOOKUP, GATHERED)
        self.assertEqual(self.history("z[0, 1]"), self.history("y[0, 1]"))

    def test_shows_the_place_of_the_element_in_a_shard(self):
        self.record(TABLE, {"id": "r", "call": "redistribute", "args": ["$w"], "placements": ["S(1)"]})
        made, *_, moved = self.history("w[2, 1]")
        self.assertEqual((made["places"], moved["places"]), (
            [{"rank": 1, "index": [0, 1], "value": "6", "masked": False}],
            [{"rank": 1, "index": [2, 0], "value": "6", "masked": False}]))

    def test_of_the_tensor_of_a_step(self):
        self.record({**IDS, "id": "x"}, {**IDS, "id": "x", "data": [7, 8]})
        values = [self.history("x[1]", *more)[0]["places"][0]["value"]
                  for more in [(), ("--step", 1), ("--step", 2)]]
        self.assertEqual(values, ["8", "0", "8"])

    def test_in_words(self):
        self.record(TABLE, IDS, LOOKUP, GATHERED)
        lines = self.expect_exit(0, "history", "y[0,1]", "a.shardlens").stdout.splitlines()
        self.assertEqual(lines[0], "y[0, 1]  f32[2, 2] MaskP(sum, [3, 2], 0)")
        self.assertIn("    2 (masked) at [0, 1] of rank 0; 6 at [0, 1] of rank 1", lines)
        self.assertEqual(lines[-1], "    6 at [0, 1] of ranks 0, 1")

    def test_of_values_that_were_not_captured(self):
        self.write("a.json", scenario(IDS))
        self.expect_exit(0, "run", "--record", "a.shardlens", "--values", "none", "a.json")
        self.assertIn("not captured at [1] of ranks 0, 1", self.expect_exit(0, "history", "x[1]", "a.shardlens").stdout)

    def test_refusals(self):
        self.record(IDS)
        for element, message in [
            ("x", "got x, expected an element, for example y[3, 1]"),
            ("x[a]", "got x[a], expected an element, for example y[3, 1]"),
            ("x[2]", "got x[2], expected an index in [2]"),
            ("x[-1]", "got x[-1], expected an index in [2]"),
            ("x[0, 0]", "got x[0, 0], expected an index in [2]"),
            ("q[0]", "got q, expected a tensor of the recording"),
        ]:
            self.expect_refusal(message, "history", element, "a.shardlens")
        self.expect_refusal("got x, expected a tensor of the recording that step 4 made",
                            "history", "--step", 4, "x[0]", "a.shardlens")

    def test_of_the_gallery(self):
        for path in sorted(GALLERY.glob("0[1-5]*.json")):
            self.run_program("run", "--record", "g.shardlens", path)
            done = self.expect_exit(0, "query", "--json", "kind:result", "g.shardlens")
            last = json.loads(done.stdout.splitlines()[-1])
            shape = json.loads(last["note"][last["note"].index("["):])
            element = last["name"] + json.dumps([0] * len(shape))
            self.assertTrue(self.expect_exit(0, "history", element, "g.shardlens").stdout, element)


if __name__ == "__main__":
    unittest.main()
