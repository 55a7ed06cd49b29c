"""`run --dry`: placements, bytes and estimated times, also on meshes larger than this machine."""
import json
import unittest

from support import GALLERY, IDS, LOOKUP, TABLE, ProgramTest, scenario

LARGE = {"shape": [64, 8, 16], "names": ["dp", "cp", "tp"]}
VOCABULARY = {"id": "w", "call": "tensor", "fill": "randn", "shape": [1 << 27, 4096],
              "dtype": "bfloat16", "placements": ["R", "R", "S(0)"], "requires_grad": True}
TOKENS = {"id": "x", "call": "tensor", "fill": "randint", "high": 1 << 27, "dtype": "int64",
          "shape": [1024, 8192], "placements": ["S(0)", "S(1)", "R"]}
REDUCED = {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["S(0)", "S(1)", "R"]}


class DryRuns(ProgramTest):
    def dry(self, *args, code=0):
        lines = self.expect_exit(code, "run", "--dry", "--json", *args).stdout.splitlines()
        return [json.loads(line) for line in lines]

    # The table alone has 1 TiB.
    def test_of_a_mesh_larger_than_this_machine(self):
        self.write("a.json", scenario(VOCABULARY, TOKENS, LOOKUP, REDUCED) | {"mesh": LARGE})
        answer, = self.dry("a.json")
        self.assertTrue(answer["ok"], answer["error"])
        table, pending, whole = (answer["results"][name] for name in "wyz")
        self.assertEqual(table["locals"], [{"rank": 0, "shape": [8388608, 4096]}])
        self.assertEqual(pending["placements"],
                         ["S(0)", "S(1)", "MaskP(sum, [134217728, 4096], 0)"])
        self.assertEqual(whole["locals"], [{"rank": 0, "shape": [16, 1024, 4096]}])
        one, = answer["collectives"]
        self.assertEqual((one["step"], one["kind"], one["count"]), ("z", "all_gather", 1))
        self.assertEqual(one["bytes"], 1024 * 4096 * 2)
        self.assertAlmostEqual(one["microseconds"], answer["microseconds"], places=2)

    def test_takes_the_topology_it_is_given(self):
        self.write("a.json", scenario(VOCABULARY, TOKENS, LOOKUP, REDUCED) | {"mesh": LARGE})
        self.write("one.json", {"ranks_per_host": 16, "startup_us": 1,
                                "inside": {"gb_per_s": 1, "latency_us": 2},
                                "between": {"gb_per_s": 0.5, "latency_us": 3}})
        self.write("two.json", {"ranks_per_host": 8, "startup_us": 1,
                                "inside": {"gb_per_s": 1, "latency_us": 2},
                                "between": {"gb_per_s": 0.5, "latency_us": 3}})
        inside, = self.dry("--topology", "one.json", "a.json")
        between, = self.dry("--topology", "two.json", "a.json")
        # Gathers 128 MiB over 16 ranks: each rank sends 15/16 of it, in 15 hops.
        share = 15 / 16 * (128 << 20) / (1 << 30) * 1e6
        self.assertAlmostEqual(inside["microseconds"], 1 + 15 * 2 + share, places=2)
        self.assertAlmostEqual(between["microseconds"], 1 + 15 * 3 + share / 0.5, places=2)

    def test_no_clock_counts_farther_than_the_slowest_link(self):
        self.write("a.json", scenario(VOCABULARY, TOKENS, LOOKUP, REDUCED) | {"mesh": LARGE})
        self.write("slow.json", {"between": {"gb_per_s": 1e-300}})
        answer, = self.dry("--topology", "slow.json", "a.json")
        one, = answer["collectives"]
        self.assertEqual(one["microseconds"], 9e15)

    def test_each_scenario_has_its_own_time(self):
        lookup = scenario(TABLE, IDS, LOOKUP, {"call": "redistribute", "args": ["$y"],
                                               "placements": ["R"]})
        self.write_lines("two.jsonl", [lookup, lookup])
        first, second = self.dry("two.jsonl")
        self.assertGreater(first["microseconds"], 0)
        self.assertEqual(first, second)

    # Checks that a dry run has the collectives, placements and shapes of the run with data. Returns
    # the collectives of the run: (step, kind, count).
    def sends_what_a_run_with_data_sends(self, file):
        real = json.loads(self.expect_exit(0, "run", "--json", file).stdout)
        answer, = self.dry(file)
        self.assertTrue(answer["ok"], f"{file}: {answer['error']}")
        kinds = [[(one["step"], one["kind"], one["count"]) for one in each["collectives"]]
                 for each in (real, answer)]
        self.assertEqual(kinds[0], kinds[1], file)
        for name, result in real["results"].items():
            self.assertEqual(answer["results"][name]["placements"], result["placements"])
            self.assertEqual(answer["results"][name]["locals"][0]["shape"],
                             result["locals"][0]["shape"])
        return kinds[0]

    def test_sends_as_a_run_with_data(self):
        for file in sorted([*GALLERY.glob("0[1-49]*.json"), *GALLERY.glob("1[013-6]*.json")]):
            self.sends_what_a_run_with_data_sends(file)

    # Causal attention: queries are sharded over one mesh dimension, keys and values over the other.
    def test_attends_as_a_run_with_data_does(self):
        steps = [{"id": name, "call": "tensor", "fill": "randn", "shape": [2, 2, 6, 4],
                  "placements": placements, "requires_grad": True}
                 for name, placements in (("q", ["S(2)", "R"]), ("k", ["R", "S(2)"]),
                                          ("v", ["R", "S(2)"]))]
        steps += [{"id": "y", "call": "aten.scaled_dot_product_attention",
                   "args": ["$q", "$k", "$v", None, 0.0, True]},
                  {"id": "l", "call": "aten.sum", "args": ["$y"]},
                  {"id": "b", "call": "backward", "args": ["$l"]},
                  *({"id": "g" + name, "call": "grad", "args": ["$" + name]} for name in "qkv")]
        file = self.write("a.json", scenario(*steps) | {"mesh": {"shape": [2, 2]}})
        sent = self.sends_what_a_run_with_data_sends(file)
        self.assertEqual(sent[0], ("y", "all_reduce", 2))

    # Redistributing a large lookup moves its rows. After another operator has read the lookup, its
    # partial values are reduced instead.
    def test_plans_as_a_run_with_data(self):
        table = {"id": "w", "call": "tensor", "fill": "randn", "shape": [1000, 64],
                 "placements": ["S(0)"]}
        ids = {"id": "x", "call": "tensor", "fill": "randint", "high": 1000, "shape": [4096],
               "dtype": "int64", "placements": ["R"]}
        cut = {"id": "c", "call": "redistribute", "args": ["$y"], "placements": ["S(0)"]}
        view = {"id": "v", "call": "aten.view", "args": ["$y", [64, 64, 64]]}
        again = {"id": "a", "call": "redistribute", "args": ["$y"], "placements": ["R"]}
        small = {"id": "s", "call": "tensor", "data": [1, 9], "dtype": "int64",
                 "placements": ["R"]}
        few = [small, {"id": "f", "call": "aten.embedding", "args": ["$w", "$s"]},
               {"id": "g", "call": "redistribute", "args": ["$f"], "placements": ["R"]}]
        steps = [table, ids, LOOKUP, REDUCED | {"placements": ["R"]}, cut, view, again, *few]
        name = self.write("a.json", scenario(*steps) | {"mesh": {"shape": [4]}})
        plans = [[line.split(", each")[0] for line in self.expect_exit(0, "run", *how, name).stdout
                  .splitlines() if line.startswith("    plan ")] for how in ([], ["--dry"])]
        self.assertEqual(plans[0], plans[1])
        self.assertEqual([line.split(" by ")[1].split(" ")[0] for line in plans[0]],
                         ["all_gather_rows", "all_to_all_rows", "all_reduce", "all_reduce"])
        self.assertIn("all_reduce", self.expect_exit(0, "run", "--dry", name).stdout)

    def test_in_words(self):
        self.write("a.json", scenario(VOCABULARY, TOKENS, LOOKUP, REDUCED) | {"mesh": LARGE})
        text = self.expect_exit(0, "run", "--dry", "a.json").stdout
        self.assertIn("mesh dp:64 x cp:8 x tp:16, 8192 ranks (dry)", text)
        self.assertIn("estimated as if each rank owned equally many rows; the ids decide", text)
        self.assertRegex(text, r"1 all_gather, 8\.0 MiB sent; estimated: 6\.1 ms")

    def test_a_recording_has_the_estimated_times(self):
        self.write("a.json", scenario(VOCABULARY, TOKENS, LOOKUP, REDUCED) | {"mesh": LARGE})
        answer, = self.dry("--record", "a.shardlens", "a.json")
        (took,), = self.rows("SELECT duration FROM events WHERE kind = 'Collective'", "a.shardlens")
        self.assertAlmostEqual(took / 1e3, answer["microseconds"], places=2)

    def test_refuses_to_be_on_processes_too(self):
        self.write("a.json", scenario(TABLE))
        done = self.expect_exit(2, "run", "--dry", "--backend", "gloo", "a.json")
        self.assertIn("--backend excludes --dry", done.stderr)


if __name__ == "__main__":
    unittest.main()
