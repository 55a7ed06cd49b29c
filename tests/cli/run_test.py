"""`run`: its JSON answer, its text output and its exit codes."""
import json
import os
import subprocess
import unittest

from support import (DEADLINE, GALLERY, GATHERED, IDS, LOOKUP, PROGRAM, TABLE, ProgramTest, environment,
                     scenario)

REFUSED = {"id": "bad", "call": "aten.frobnicate", "args": ["$w"]}


class Answers(ProgramTest):
    def test_a_lookup_with_comments_in_its_file(self):
        text = json.dumps(scenario(TABLE, IDS, LOOKUP, GATHERED))
        name = self.write("a.json", "// a comment\n" + text.replace("[", "[ /* one */ ", 1))
        (answer,) = self.run_json(0, name)
        self.assertEqual((answer["shardlens"], answer["ok"], answer["error"]), (1, True, None))
        self.assertEqual(list(answer["results"]), ["w", "x", "y", "z"])
        self.assertEqual(answer["results"]["y"], {
            "shape": [2, 2], "dtype": "float32", "placements": ["MaskP(sum, [3, 2], 0)"],
            "locals": [{"rank": 0, "shape": [2, 2], "data": [0, 0, 1, 2]},
                       {"rank": 1, "shape": [2, 2], "data": [5, 6, 0, 0]}]})
        self.assertEqual([local["data"] for local in answer["results"]["z"]["locals"]],
                         [[5, 6, 1, 2], [5, 6, 1, 2]])
        (collective,) = answer["collectives"]
        self.assertEqual((collective["step"], collective["kind"], collective["count"]),
                         ("z", "all_reduce", 1))

    def test_a_refused_step_ends_its_scenario_only(self):
        lines = [scenario(TABLE, REFUSED, IDS), scenario(IDS)]
        name = self.write("a.jsonl", "\n\n".join(map(json.dumps, lines)) + "\n")
        refused, ran = self.run_json(1, name)
        self.assertFalse(refused["ok"])
        self.assertEqual(list(refused["results"]), ["w"])
        self.assertEqual(refused["error"]["step"], "bad")
        self.assertIn("frobnicate", refused["error"]["message"])
        self.assertTrue(ran["ok"])
        self.assertEqual(list(ran["results"]), ["x"])

    def test_several_files_in_order_and_the_worst_exit_code(self):
        bad = self.write("bad.json", scenario(REFUSED))
        good = self.write("good.json", scenario(IDS))
        self.assertEqual([answer["ok"] for answer in self.run_json(1, good, bad, good)],
                         [True, False, True])

    def test_a_step_without_id_is_called_by_its_position(self):
        nameless = {key: value for key, value in IDS.items() if key != "id"}
        (answer,) = self.run_json(0, self.write("a.json", scenario(TABLE, nameless)))
        self.assertEqual(list(answer["results"]), ["w", "step1"])

    def test_more_ranks_than_can_be_simulated(self):
        four = {"id": "a", "call": "tensor", "data": [1, 2, 3, 4], "placements": ["R"]}
        name = self.write("a.json", {**scenario(four), "mesh": {"shape": [65537]}})
        refused = self.expect_exit(2, "run", "--json", name)
        self.assertEqual(refused.stdout, "")
        self.assertIn("a.json: mesh: got 65537 ranks, expected at most 65536 a process; run --dry",
                      refused.stderr)
        self.expect_exit(0, "run", "--dry", "--json", name)

    def test_bytes_of_a_large_lookup(self):
        table = {"id": "w", "call": "tensor", "fill": "randn", "shape": [1000, 64],
                 "placements": ["S(0)"]}
        ids = {"id": "x", "call": "tensor", "fill": "randint", "low": 0, "high": 1000,
               "shape": [4096], "dtype": "int64", "placements": ["R"]}
        text = self.expect_exit(0, "run", self.write("a.json", scenario(table, ids, LOOKUP, GATHERED))
                                ).stdout
        self.assertRegex(text, r"plan .* by all_gather_rows over tp, each rank receives 512\.0 KiB")
        self.assertRegex(text, r"collective +all_gather over tp, .*, 1\.0 MiB sent")
        self.assertRegex(text, r"rather than adding partials .*: 1 collective, receives 1\.0 MiB")

    def test_the_gallery_runs(self):
        files = sorted(GALLERY.glob("*.json"))
        self.assertGreaterEqual(len(files), 2)
        files = [name for name in files if '"emulate"' not in name.read_text()]
        first, second = self.run_json(0, *files)[:2]
        self.assertEqual(first["results"]["z"]["locals"][3]["data"],
                         [0, 1, 2, 27, 28, 29, 12, 13, 14, 12, 13, 14, 6, 7, 8, 21, 22, 23])
        self.assertEqual(first["results"]["l"]["locals"][0]["data"], [252])
        self.assertEqual(
            [(c["step"], c["kind"], c["count"]) for c in first["collectives"]],
            [("z", "all_reduce", 1)])
        self.assertEqual(second["results"]["z"]["placements"], ["S(0)", "R"])

    def test_the_defects_that_the_gallery_shows_and_their_repair(self):
        for name, mode, step, message in [
                ("06-conflicting-masks", "torch-2.15", "e", "MaskBuffer has been materialized with "
                 "conflicting data: got another mask for v' on rank 1, expected that of "
                 "x', c, x', d"),
                ("07-one-mask-for-two-lookups", "before-131264", "d", "MaskBuffer has already been "
                 "materialized: got a mask for x', expected none while held by x', c"),
                ("08-another-tables-plan", "before-131264", "b_all", "MaskBuffer has not been "
                 "materialized: got refcount 0 for b, expected the mask of its lookup")]:
            with self.subTest(name=name):
                path = GALLERY / f"{name}-{mode}.json"
                (answer,) = self.run_json(1, path)
                self.assertEqual(answer["error"], {"step": step, "message": message})
                emulate = f'  "emulate": "{mode}",\n'
                self.assertIn(emulate, path.read_text())
                repaired = self.write("a.json", path.read_text().replace(emulate, ""))
                self.assertTrue(self.run_json(0, repaired)[0]["ok"])

    def test_holders_of_mask_buffers(self):
        (answer,) = self.run_json(0, GALLERY / "05-pending-lookups-and-their-masks.json")
        self.assertEqual(
            [(change["step"], change["id"], change["refcount"], change["holders"])
             for change in answer["mask_buffers"]],
            [("a", 1, 1, ["x'", "a"]), ("a_all", 1, 0, []),
             ("b", 2, 1, ["x'", "b"]), ("b_all", 2, 0, []),
             ("c", 3, 1, ["x'", "c"]), ("d", 3, 2, ["x'", "c", "x'", "d"]),
             ("e", 4, 1, ["v'", "e"]), ("c_all", 3, 1, ["x'", "d"]),
             ("d_all", 3, 0, []), ("e_all", 4, 0, [])])
        results = answer["results"]
        for again in ["d_all", "c_again"]:
            self.assertEqual(results[again], results["c_all"])
        self.assertEqual(results["e_all"]["locals"][2]["data"], [0, 1, 2, 27, 28, 29, 21, 22, 23])

    def test_words_cost_no_answer(self):
        """Text output builds no JSON answer. Its numbers, up to 64 MiB of float32 per rank, would
        take at least 256 MiB."""
        square = {"shape": [4096, 4096], "fill": "arange"}
        name = self.write("a.json", scenario(
            {"id": "x", "call": "tensor", **square, "placements": ["S(0)"]},
            {"id": "y", "call": "redistribute", "args": ["$x"], "placements": ["R"]}))
        nothing = self.write("b.json", scenario(IDS))
        self.assertLess(self.peak(name) - self.peak(nothing), 400 << 20)

    def peak(self, name):
        """Runs the scenario. Returns the peak resident memory of the process in bytes."""
        with subprocess.Popen([PROGRAM, "run", name], cwd=self.folder, env=environment(),
                              stdout=subprocess.DEVNULL) as run:
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(run.returncode, 0)
        return usage.ru_maxrss << 10

    def test_output_that_cannot_be_written(self):
        name = self.write("a.json", scenario(IDS))
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "run", "--json", name], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, '{"error":{"message":"standard output: could not be written"}}\n')


class Accounts(ProgramTest):
    def test_a_stepwise_lookup(self):
        steps = (TABLE, IDS, {**LOOKUP, "note": "Who has row 2?"}, GATHERED)
        name = self.write("a.json", scenario(*steps, title="A lookup", masking="stepwise"))
        text = self.expect_exit(0, "run", name).stdout
        self.assertNotIn("\033", text)
        lines = text.splitlines()
        self.assertEqual(lines[:2], [
            "A lookup", "a.json, mesh tp:2, 2 ranks (simulated), masking stepwise"])
        for line in [
            "  Who has row 2?",
            "  result            w: f32[3, 2](S(0)), [2, 2] on 0, [1, 2] on 1",
            "  operator          aten.embedding(w: f32[3, 2](S(0)), x: i64[2](R))",
            "    cache           strategy miss, the cache is empty",
            "  redistribute      y: MaskP(sum, [3, 2], 0) -> R, explicit",
            "    collective      all_reduce over tp, ranks {0,1}, 32 B sent",
            "    mask            buffer 1 released, refcount 0: its bits are dropped",
            "    result          z: f32[2, 2](R), [2, 2] on each rank",
        ]:
            self.assertIn(line, lines)
        self.assertTrue(lines[-1].startswith("4 steps ran; 1 all_reduce, 32 B sent; "), lines[-1])

    def test_of_two_files_stand_apart(self):
        name = self.write("a.json", scenario(IDS))
        text = self.expect_exit(0, "run", name, name).stdout
        self.assertEqual(text.count("\n\na.json, mesh tp:2, 2 ranks"), 1)

    def test_of_a_refusal(self):
        text = self.expect_exit(1, "run", self.write("a.json", scenario(TABLE, REFUSED))).stdout
        self.assertIn("\n  error             ", text)
        self.assertIn("\nrefused: ", text)
        self.assertIn("frobnicate", text.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
