"""`run --check`: compares the results with those of the same program on plain tensors."""
import json
import unittest

from support import GALLERY, GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario

REFUSED = {"id": "bad", "call": "aten.frobnicate", "args": ["$w"]}
# Emulates PyTorch 2.15: the second reduction of pending lookup y uses the mask of lookup b.
OTHER_IDS = {"id": "v", "call": "tensor", "data": [0, 1], "dtype": "int64", "placements": ["R"]}
OTHER = {"id": "b", "call": "aten.embedding", "args": ["$w", "$v"]}
AGAIN = {"id": "again", "call": "redistribute", "args": ["$y"], "placements": ["R"]}
OF_IT = {"id": "n", "call": "aten.neg", "args": ["$again"]}
SPOILT = scenario(TABLE, IDS, OTHER_IDS, LOOKUP, GATHERED, OTHER, AGAIN, OF_IT,
                  emulate="torch-2.15")


class Check(ProgramTest):
    def verdicts(self, answer):
        return {check["result"]: check["ok"] for check in answer["check"]}

    def test_the_gallery_agrees(self):
        files = sorted(GALLERY.glob("*.json"))
        self.assertGreaterEqual(len(files), 5)
        for name in files:
            if '"emulate"' in name.read_text():
                continue
            (answer,) = self.run_json(0, "--check", name)
            verdicts = self.verdicts(answer)
            self.assertEqual(list(verdicts), list(answer["results"]))
            given = {step["id"] for step in json.loads(name.read_text())["steps"]
                     if step["call"] == "from_locals"}
            self.assertEqual({result: ok for result, ok in verdicts.items() if not ok},
                             dict.fromkeys(given))

    def test_the_defects_of_the_gallery(self):
        """Only in 08 does a result differ before the refused step: b, the input of that step."""
        for name, differing in [("06-conflicting-masks-torch-2.15", []),
                                ("07-one-mask-for-two-lookups-before-131264", []),
                                ("08-another-tables-plan-before-131264", ["b"])]:
            (answer,) = self.run_json(1, "--check", GALLERY / f"{name}.json")
            self.assertEqual([each for each, ok in self.verdicts(answer).items() if not ok],
                             differing)

    def test_names_the_first_bad_result(self):
        text = self.expect_exit(1, "run", "--check", self.write("a.json", SPOILT)).stdout
        lines = text.splitlines()
        self.assertIn("  check             z matches plain torch", lines)
        (again,) = (line for line in lines if line.startswith("  check             again "))
        self.assertRegex(again, "again differs from plain torch by 6 [(]relative 1[)] at \\[0, 1\\] on rank 0: got 0, "
                                "expected 6, rounding explains [0-9.]+e-06$")
        self.assertEqual(lines[-1], "first bad result: again of step 7, line 1; "
                                    "2 of 8 results differ from plain torch")

    def test_reports_no_differences(self):
        parts = {"id": "p", "call": "from_locals", "locals": [{"data": [1]}, {"data": [2]}],
                 "placements": ["P(sum)"]}
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, parts))
        lines = self.expect_exit(0, "run", "--check", name).stdout.splitlines()
        self.assertIn("  check             p is not checked: its parts were given one by one", lines)
        self.assertEqual(lines[-1], "checked: no difference in 3 results; 1 not checked")
        self.assertNotIn("check", self.expect_exit(0, "run", name).stdout)

    def test_of_a_refused_program_reports_the_earlier_comparisons(self):
        name = self.write("a.json", scenario(TABLE, IDS, REFUSED))
        lines = self.expect_exit(1, "run", "--check", name).stdout.splitlines()
        self.assertTrue(lines[-2].startswith("refused: "), lines[-2])
        self.assertEqual(lines[-1], "checked: no difference in 2 results")
        (answer,) = self.run_json(1, "--check", name)
        self.assertEqual(answer["check"], [{"result": "w", "largest": 0, "ok": True},
                                           {"result": "x", "largest": 0, "ok": True}])

    def test_is_recorded(self):
        name = self.write("a.json", SPOILT)
        self.expect_exit(1, "run", "--check", "--record", "a.shardlens", name)
        last = json.loads(self.expect_exit(0, "replay", "a.shardlens", "--json").stdout)
        self.assertEqual(last["event"], {"kind": "Check", "name": "n", "verdict": "Differs"})
        self.assertEqual(len(last["tensors"]), 10)

    def test_of_several_scenarios(self):
        name = self.write_lines("a.jsonl", [SPOILT, scenario(TABLE)])
        spoilt, sound = self.run_json(1, "--check", name)
        self.assertFalse(self.verdicts(spoilt)["again"])
        self.assertEqual(self.verdicts(sound), {"w": True})

    def test_is_refused_where_not_all_ranks_are_here(self):
        name = self.write("a.json", scenario(TABLE))
        (done,) = self.run_processes(1, "--check", name)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "shardlens: --check: got backend gloo, expected simulated: "
                                      "results are compared where one process has all ranks\n")
        self.expect_refusal("--check excludes --dry\nRun with --help for more information.",
                            "run", "--dry", "--check", name)


if __name__ == "__main__":
    unittest.main()
