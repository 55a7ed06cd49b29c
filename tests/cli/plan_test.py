"""`plan`: its output, its exit codes, and the errors for invalid arguments."""
import json
import unittest

from support import ProgramTest, scenario

SMALL = ("--mesh", "2x2:dp,tp", "--shape", "16,16", "--dtype", "f32")
SWAP = (*SMALL, "--from", "S(0),S(1)", "--to", "S(1),S(0)")


class Plans(ProgramTest):
    def plan(self, *args, code=0):
        return json.loads(self.expect_exit(code, "plan", "--json", *args).stdout)

    def test_in_words(self):
        text = self.expect_exit(0, "plan", *SWAP).stdout
        self.assertNotIn("\033", text)
        self.assertEqual(text.splitlines()[:5], [
            "(S(0), S(1)) -> (S(1), S(0))", "f32[16, 16] on dp:2 x tp:2, 4 ranks", "",
            "min-cost: 1 collective, 14.7 us, 192 B received, 512 B peak memory",
            text.splitlines()[4]])
        self.assertRegex(text.splitlines()[4],
                         r"^after \d+ states?: greedy has 2 collectives, 18\.6 us, 512 B")
        self.assertIn("all_to_all  dp,tp     (S(1), S(0))  14.7 us    192 B", text)
        self.assertNotIn("decompose", text)

    def test_all_alternatives_in_words(self):
        text = self.expect_exit(0, "plan", *SWAP, "--all").stdout
        self.assertIn("  greedy  ", text)
        self.assertIn("  decompose  ", text)
        self.assertIn("  via ", text)

    def test_in_json(self):
        answer = self.plan(*SWAP)
        self.assertEqual(answer["mesh"], {"shape": [2, 2], "names": ["dp", "tp"]})
        self.assertEqual((answer["shape"], answer["dtype"]), ([16, 16], "float32"))
        self.assertEqual((answer["from"], answer["to"]), (["S(0)", "S(1)"], ["S(1)", "S(0)"]))
        plan = answer["plan"]
        self.assertEqual((plan["name"], plan["collectives"], plan["received_bytes"]),
                         ("min-cost", 1, 192))
        (step,) = plan["steps"]
        self.assertEqual((step["move"], step["mesh_dims"], step["from"], step["to"]),
                         ("all_to_all", ["dp", "tp"], ["S(0)", "S(1)"], ["S(1)", "S(0)"]))
        self.assertAlmostEqual(step["microseconds"], plan["microseconds"])
        self.assertEqual([other["name"] for other in answer["alternatives"]], ["greedy"])
        self.assertGreater(len(self.plan(*SWAP, "--all")["alternatives"]), 2)

    def test_each_planner(self):
        for planner, collectives, steps in [("min-cost", 1, 1), ("greedy", 2, 3),
                                            ("decompose", 2, 4)]:
            plan = self.plan(*SWAP, "--planner", planner)["plan"]
            self.assertEqual((plan["name"], plan["collectives"], len(plan["steps"])),
                             (planner, collectives, steps))

    def test_nothing_to_do(self):
        text = self.expect_exit(0, "plan", *SMALL, "--from", "R,S(0)", "--to", "R,S(0)").stdout
        self.assertIn("0 collectives, 0.0 us, 0 B received", text)

    def test_every_notation(self):
        plan = self.plan("--mesh", "2x2x2", "--shape", "[8, 8]", "--from",
                         "(SS(0, 2), S(0), MaskP(sum, [10, 3], 0))", "--to", "R, S(-2), P(sum)")
        self.assertEqual(plan["mesh"]["names"], ["d0", "d1", "d2"])
        self.assertEqual(plan["to"], ["R", "S(0)", "P(sum)"])
        self.assertEqual(plan["from"][2], "MaskP(sum, [10, 3], 0)")
        scalar = self.plan("--mesh", "2", "--shape", "[]", "--from", "P(sum)", "--to", "R")
        self.assertEqual(scalar["plan"]["received_bytes"], 4)

    def test_bytes_of_a_large_pending_lookup(self):
        args = ("--mesh", "4:tp", "--from", "MaskP(sum, [1000, 64], 0)", "--to", "R")
        large = self.plan("--shape", "4096,64", *args, "--all")
        (step,) = large["plan"]["steps"]
        self.assertEqual((step["move"], step["received_bytes"]), ("all_gather_rows", 3 << 18))
        self.assertIn(("adding partials", "all_reduce"),
                      [(other["name"], other["steps"][0]["move"])
                       for other in large["alternatives"]])
        (step,) = self.plan("--shape", "64,64", *args)["plan"]["steps"]
        self.assertEqual(step["move"], "all_reduce")

    def test_that_the_search_gave_up(self):
        swap = ("--shape", "16,16", "--from", "S(0),S(1)" + 7 * ",R", "--to",
                "S(1),S(0)" + 7 * ",R")
        why = "meshes of more than 8 dimensions are not searched"
        self.assertEqual(self.plan("--mesh", "x".join("222222222"), *swap)["caveat"], why)
        self.assertIn("a cheaper plan may exist: " + why,
                      self.expect_exit(0, "plan", "--mesh", "x".join("222222222"), *swap).stdout)
        self.assertIsNone(self.plan("--mesh", "2x2x1x1x1x1x1x1x1", *swap)["caveat"])

    def test_a_large_mesh_explores_few_states(self):
        plan = self.plan("--mesh", "64x8x16:pp,dp,tp", "--shape", "65536,8192", "--dtype",
                         "bfloat16", "--from", "S(0),S(1),P(sum)", "--to", "S(1),S(0),R", "--all")
        self.assertEqual(plan["explored"], 19)
        self.assertLessEqual(plan["plan"]["collectives"], 3)

    def test_refused(self):
        args = ("--mesh", "2", "--shape", "8", "--from", "P(sum)", "--to", "P(max)")
        message = ("Redistribution from one partial type (P(sum)) to another (P(max)) is "
                   "unsupported.")
        self.assertEqual(self.expect_exit(1, "plan", *args).stdout, f"refused: {message}\n")
        self.assertEqual(self.plan(*args, code=1),
                         {"shardlens": 1, "ok": False, "error": {"message": message}})


class Topologies(ProgramTest):
    def microseconds(self, topology):
        name = self.write("t.json", topology)
        out = self.expect_exit(0, "plan", "--json", "--mesh", "2", "--shape", "262144", "--from", "S(0)",
                               "--to", "R", "--topology", name).stdout
        return json.loads(out)["plan"]["microseconds"]

    def test_change_the_figures(self):
        self.assertAlmostEqual(self.microseconds({}), 6.6 + 2.7 + 1e6 / 2048 / 19.294, places=6)
        between = {"between": {"gb_per_s": 1, "latency_us": 4}}
        self.assertAlmostEqual(self.microseconds({"startup_us": 3, **between}), 7 + 1e6 / 2048)
        self.assertAlmostEqual(self.microseconds(
            {"ranks_per_host": 2, "inside": {"gb_per_s": 2}, **between}), 7.2 + 1e6 / 4096)
        self.assertAlmostEqual(self.microseconds('// ours\n{"startup_us": 0}'),
                               2.7 + 1e6 / 2048 / 19.294, places=6)

    def test_change_the_estimates_of_a_run(self):
        whole = {"id": "x", "call": "tensor", "fill": "arange", "shape": [4],
                 "placements": ["S(0)"]}
        run = self.write("a.json", scenario(whole, {"id": "y", "call": "redistribute",
                                                    "args": ["$x"], "placements": ["R"]}))
        topology = self.write("t.json", {"startup_us": 3000, "between": {"latency_us": 0}})
        self.assertNotIn("about 3.0 ms", self.expect_exit(0, "run", run).stdout)
        self.assertIn("about 3.0 ms", self.expect_exit(0, "run", run, "--topology", topology).stdout)
        self.expect_refusal("no.json: got no such file, expected a topology (.json)",
                            "run", run, "--topology", "no.json")

    def test_wrong(self):
        keys = "ranks_per_host, startup_us, inside, between"
        for topology, message in [
            ("{", 'got no JSON, expected a topology, for example {"ranks_per_host": 8}'),
            ([], f"got [], expected the file to be an object with any of {keys}"),
            ({"hosts": 1}, f'got "hosts" in the file, expected one of {keys}'),
            ({"inside": {"speed": 1}},
             'got "speed" in "inside", expected one of gb_per_s, latency_us'),
            ({"between": 4},
             'got 4, expected "between" to be an object with any of gb_per_s, latency_us'),
            ({"ranks_per_host": 0},
             'got "ranks_per_host": 0, expected a whole number of 1 or more'),
            ({"ranks_per_host": 1.5},
             'got "ranks_per_host": 1.5, expected a whole number of 1 or more'),
            ({"ranks_per_host": 5000000000},
             'got "ranks_per_host": 5000000000, expected a whole number of 1 or more'),
            ({"startup_us": -1}, 'got "startup_us": -1, expected a number of 0 or more'),
            ({"startup_us": "1"}, 'got "startup_us": "1", expected a number of 0 or more'),
            ({"inside": {"gb_per_s": 0}}, 'got "gb_per_s": 0, expected a number above 0'),
        ]:
            with self.subTest(topology=topology):
                name = self.write("t.json", topology)
                self.expect_refusal(f"t.json: {message}", "plan", *SWAP, "--topology", name)
        self.expect_refusal("no.json: got no such file, expected a topology (.json)",
                            "plan", *SWAP, "--topology", "no.json")


class Wrong(ProgramTest):
    def test_options(self):
        good = {"--mesh": "2x2", "--shape": "16,16", "--from": "R,R", "--to": "R,R"}
        for option, value, message in [
            ("--mesh", "2y2", "got 2y2, expected sizes as 2x4, perhaps with names as 2x4:dp,tp"),
            ("--mesh", "2x", "got 2x, expected sizes as 2x4, perhaps with names as 2x4:dp,tp"),
            ("--mesh", "2x0", "mesh shape: got size 0, expected at least 1"),
            ("--mesh", "2x2:dp", "mesh names: got 1, expected one for each of 2 dimensions"),
            ("--shape", "16,a", "got 16,a, expected the global shape, for example 16,32"),
            ("--shape", "16,-1", "got 16,-1, expected the global shape, for example 16,32"),
            ("--shape", "4294967296,4294967296",
             "got 4294967296,4294967296, expected less than 2^58 elements"),
            ("--dtype", "f31", "got f31, expected a dtype, for example float32 or f32"),
            ("--from", "R", "placements (R): got 1, expected one placement for each of the 2 mesh "
                            "dimensions"),
            ("--to", "R,S(2)", "placement S(2) on a tensor of 2 dimensions: expected a dimension "
                               "from -2 to 1"),
            ("--planner", "fast", "got fast, expected min-cost, greedy or decompose"),
        ]:
            with self.subTest(option=option, value=value):
                args = [word for pair in {**good, option: value}.items() for word in pair]
                self.expect_refusal(f"{option}: {message}", "plan", *args)

    def test_unreadable_placement(self):
        done = self.expect_exit(2, "plan", *SMALL, "--from", "Q,R", "--to", "R,R")
        self.assertTrue(done.stderr.startswith("shardlens: --from: unknown placement 'Q'"), done.stderr)

    def test_missing(self):
        self.expect_refusal("--mesh is required\nRun with --help for more information.", "plan")


if __name__ == "__main__":
    unittest.main()
