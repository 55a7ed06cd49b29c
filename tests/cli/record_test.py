"""Recordings: `replay` shows what `run --record` wrote."""
import contextlib
import json
import resource
import sqlite3
import subprocess
import unittest

from support import GALLERY, GATHERED, IDS, LOOKUP, PROGRAM, TABLE, ProgramTest, environment, scenario


class Recordings(ProgramTest):
    def record(self, name, code=0):
        (answer,) = self.run_json(code, "--record", "a.shardlens", name)
        return answer

    def replayed(self, *args):
        return json.loads(self.expect_exit(0, "replay", "--json", "a.shardlens", *args).stdout)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_end_with_the_results_of_the_run(self):
        answer = self.record(GALLERY / "01-vocabulary-parallel-embedding.json")
        self.assertEqual(self.files(), ["a.shardlens"])
        end = self.replayed()
        shown = {tensor["name"]: tensor for tensor in end["tensors"]}
        for name, result in answer["results"].items():
            with self.subTest(name=name):
                tensor = shown[name]
                self.assertEqual({key: tensor[key] for key in ("shape", "dtype", "placements")},
                                 {key: result[key] for key in ("shape", "dtype", "placements")})
                self.assertEqual([local["shape"] for local in tensor["locals"]],
                                 [local["shape"] for local in result["locals"]])
                if name == "y":  # the mask was applied in place after the answer took the values
                    continue
                self.assertEqual([local["data"] for local in tensor["locals"]],
                                 [local["data"] for local in result["locals"]])

    def test_have_the_requested_values(self):
        name = self.write("a.json", scenario(TABLE))
        for level, has in (("none", set()), ("stats", {"statistics"}), ("all", {"data"})):
            with self.subTest(level=level):
                self.run_json(0, "--record", "a.shardlens", "--values", level, name)
                locals_ = self.replayed()["tensors"][0]["locals"]
                self.assertEqual({key for local in locals_ for key in local} - {"rank", "shape"}, has)
                self.assertEqual(len(locals_), 2 if has else 0)

    def test_have_the_values_of_some_ranks_steps_and_tensors(self):
        name = self.write("a.json", scenario(TABLE, IDS))
        for rules, kept in ((["all:rank=1"], {("w", 1), ("x", 1)}),
                            (["all", "none:step=1"], {("x", 0), ("x", 1)}),
                            (["stats", "none:tensor=x", "none:rank=0"], {("w", 1)})):
            with self.subTest(rules=rules):
                options = [word for rule in rules for word in ("--values", rule)]
                self.run_json(0, "--record", "a.shardlens", *options, name)
                self.assertEqual({(tensor["name"], local["rank"])
                                  for tensor in self.replayed()["tensors"]
                                  for local in tensor["locals"]}, kept)

    def test_info_shows_what_was_not_recorded(self):
        self.record(self.write("a.json", scenario(TABLE)))
        with contextlib.closing(sqlite3.connect(self.folder / "a.shardlens")) as connection:
            connection.execute("DELETE FROM meta WHERE key='sealed_pages'")
            connection.execute("INSERT INTO meta VALUES ('limits', ?)", ("plans: none\nvalues: dropped",))
            connection.commit()
        info = json.loads(self.expect_exit(0, "info", "--json", "a.shardlens").stdout)
        self.assertEqual(info["limits"], ["plans: none", "values: dropped"])
        self.assertIn("\nlimits      plans: none\n            values: dropped\n",
                      self.expect_exit(0, "info", "a.shardlens").stdout)

    def run_on_a_small_disk(self, *args):
        def allow_little():
            resource.setrlimit(resource.RLIMIT_FSIZE, (400 << 10, 400 << 10))
        return subprocess.run([PROGRAM, *args], cwd=self.folder, env=environment(), preexec_fn=allow_little,
                              restore_signals=False, capture_output=True, text=True, check=False)

    # A run continues on a full disk and keeps the recording so far. `trim` removes its partial copy.
    def test_end_where_the_disk_is_full(self):
        steps = [{"id": f"t{i}", "call": "tensor", "fill": "randn", "seed": i, "shape": [16384],
                  "placements": ["S(0)"]} for i in range(14)]
        name = self.write("a.json", scenario(*steps))
        ran = self.run_on_a_small_disk("run", "--record", "a.shardlens", "--values", "all", name)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("14 steps ran", ran.stdout)
        self.assertRegex(ran.stderr, r"^shardlens: --record: cannot write .*a\.shardlens: ")
        info = self.expect_exit(0, "info", "a.shardlens").stdout
        self.assertRegex(info, r"(?m)^events +[1-9]\d* of \d+ steps?")
        self.expect_exit(0, "run", "--record", "whole.shardlens", "--values", "all", name)
        part = self.run_on_a_small_disk("trim", "whole.shardlens", "--steps", "1-14", "--to", "part.shardlens")
        self.assertEqual(part.returncode, 2)
        self.assertRegex(part.stderr, r"^shardlens: --to: cannot write .*part\.shardlens: ")
        self.assertEqual(self.files(), ["a.json", "a.shardlens", "whole.shardlens"])

    def test_refuse_values_that_are_no_level_or_go_nowhere(self):
        name = self.write("a.json", scenario(TABLE))
        self.assertIn("--values: got some, expected none, stats, hashes or all", self.expect_exit(
            2, "run", "--record", "a.shardlens", "--values", "some", name).stderr)
        self.assertIn("--values requires --record", self.expect_exit(2, "run", "--values", "all", name).stderr)

    def test_are_shown_at_every_position(self):
        steps = (TABLE, IDS, LOOKUP, GATHERED)
        self.record(self.write("a.json", scenario(*steps, masking="stepwise")))
        end = self.replayed()["positions"]
        steps = []
        for position in range(end + 1):
            shown = self.replayed("--event", position)
            self.assertEqual((shown["position"], shown["positions"]), (position, end))
            steps.append(shown["step"])
        self.assertEqual(steps[0], 0)
        self.assertEqual(sorted(set(steps[1:])), [1, 2, 3, 4])
        self.assertEqual(self.replayed("--event", end), self.replayed())
        self.assertEqual(self.replayed("--step", 3), self.replayed("--event", 3))  # the earlier name
        self.assertEqual(self.replayed("--event", 0)["tensors"], [])

    def test_list_the_holders_of_mask_buffers(self):
        answer = self.record(GALLERY / "05-pending-lookups-and-their-masks.json")
        ends = dict(self.rows("SELECT step, max(id) FROM events GROUP BY step", "a.shardlens"))
        names = list(answer["results"])
        held = {}
        for step, name in enumerate(names, 1):
            for change in answer["mask_buffers"]:
                if change["step"] == name:
                    held[change["id"]] = (change["refcount"], change["holders"])
            if name not in ["d", "c_all", "e_all"]:
                continue
            with self.subTest(step=name):
                shown = self.replayed("--event", ends[step])["buffers"]
                self.assertEqual({buffer["id"]: (buffer["refcount"], buffer["holders"])
                                  for buffer in shown}, held)

    def test_show_the_emulation(self):
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED, emulate="torch-2.15"))
        self.record(name)
        meta = dict(self.rows("SELECT key, value FROM meta", "a.shardlens"))
        self.assertEqual((meta["masking"], meta["emulate"]), ("stepwise", "torch-2.15"))

    def test_know_the_meshes_of_their_tensors_and_why_a_plan_was_chosen(self):
        self.record(GALLERY / "03-redistribution.json")
        end = {tensor["name"]: tensor for tensor in self.replayed()["tensors"]}
        self.assertNotIn("mesh", end["whole"])
        self.assertEqual(end["back"]["mesh"],
                         {"shape": [3], "names": ["pp"], "ranks": [0, 1, 3]})
        self.assertEqual([local["rank"] for local in end["back"]["locals"]], [0, 1, 3])
        text = self.expect_exit(0, "replay", "a.shardlens").stdout
        self.assertIn("    rank 2  not in the tensor's mesh\n", text)
        details = self.rows("SELECT detail FROM events WHERE kind='Plan' ORDER BY id", "a.shardlens")
        merged = json.loads(details[0][0])[0]
        self.assertEqual((merged["axis"], merged["move"], merged["from"], merged["to"]),
                         ("dp_tp", "all_gather", "S(0), S(0)", "R, R"))
        self.assertEqual((merged["after"], merged["bytes"]), ("(R, R)", 96.0))
        alternatives = merged["explained"]["alternatives"]
        self.assertEqual([each["chosen"] for each in alternatives], [True] + [False] * (len(alternatives) - 1))
        self.assertEqual((alternatives[0]["name"], alternatives[0]["collectives"]), ("min-cost", 1))
        greedy = [each for each in alternatives if each["name"] == "greedy"]
        self.assertEqual([each["collectives"] for each in greedy], [2])
        self.assertGreater(greedy[0]["microseconds"], alternatives[0]["microseconds"])
        axes = self.rows("SELECT name, json_extract(detail, '$.axis') FROM events"
                         " WHERE kind='Collective' ORDER BY id", "a.shardlens")
        self.assertEqual(axes[:2], [("scatter", "dp_tp"), ("all_gather", "dp_tp")])
        self.assertEqual(axes[-1], ("all_gather", "pp"))

    def test_answer_sql(self):
        self.record(self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED)))
        sql = "SELECT name, bytes FROM events WHERE kind='Collective' ORDER BY id"
        found = self.rows(sql, "a.shardlens")
        self.assertEqual([name for name, _ in found], ["all_reduce"])
        words = self.expect_exit(0, "query", sql, "a.shardlens").stdout
        self.assertEqual(words, "name\tbytes\n" + "".join(f"{name}\t{bytes}\n" for name, bytes in found))
        self.assertEqual(self.expect_exit(1, "query", "SELECT 1 WHERE 0", "a.shardlens").stdout, "")
        done = self.expect_exit(2, "query", "SELECT nome FROM events", "a.shardlens")
        self.assertEqual(done.stderr, "shardlens: SQL: no such column: nome, at character 8\n")

    def test_can_be_queried(self):
        self.record(self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED)))
        words = self.expect_exit(0, "query", "kind:collective", "a.shardlens").stdout.splitlines()
        self.assertEqual(words[0], "event\tstep\tline\tkind\twhat\tnote")
        self.assertEqual([line.split("\t")[3] for line in words[1:]], ["collective"])
        output = self.expect_exit(0, "query", "--json", "cache:miss step:3", "a.shardlens").stdout
        events = [json.loads(line) for line in output.splitlines()]
        self.assertEqual({(event["kind"], event["step"]) for event in events}, {("CacheLookup", 3)})
        self.assertEqual(self.expect_exit(1, "query", "op:relu", "a.shardlens").stdout, "")
        self.assertEqual(
            self.expect_exit(2, "query", "implicit bytes>1M", "a.shardlens").stderr,
            "shardlens: query: bytes: got 1M, expected an amount such as 4096, 1MB or 1.5KiB\n"
            "  implicit bytes>1M\n           ^^^^^^^^\n")

    def test_show_equals_the_output_of_the_run(self):
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        output = self.expect_exit(0, "run", "--record", "a.shardlens", name).stdout
        self.assertEqual(self.expect_exit(0, "show", "a.shardlens").stdout, output)
        text = self.expect_exit(0, "show", "a.shardlens", "--filter", "kind:collective").stdout
        lines = [line.split()[0] for line in text.splitlines()[2:] if line]
        self.assertEqual(lines, ["4", "redistribute", "collective"])
        text = self.expect_exit(0, "show", "a.shardlens", "--step", "1", "--values").stdout
        self.assertIn("    rank 1 [1, 2]  5 6\n", text)
        self.assertNotIn("embedding", text)
        events = self.expect_exit(0, "show", "--json", "a.shardlens", "--tensor", "x", "--rank", "0").stdout
        self.assertEqual({json.loads(line)["step"] for line in events.splitlines()}, {2, 3})
        self.assertEqual(self.expect_exit(1, "show", "a.shardlens", "--step", "9").stdout, "")
        refusal = self.expect_exit(2, "show", "a.shardlens", "--step", "last").stderr
        self.assertIn("--filter: step: got last, expected a number", refusal)

    def test_ranks_are_selected_by_their_place_in_the_mesh(self):
        self.record(self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED)))
        some = self.expect_exit(0, "show", "--json", "a.shardlens", "--ranks", "tp=1").stdout
        self.assertEqual(some, self.expect_exit(0, "show", "--json", "a.shardlens", "--rank", "1").stdout)
        query = ("query", "--json", "kind:collective", "a.shardlens")
        self.assertEqual(self.expect_exit(0, *query, "--ranks", "tp=*").stdout, self.expect_exit(0, *query).stdout)
        self.assertEqual(self.expect_exit(0, "query", "--json", "kind:collective rank:(tp=0)", "a.shardlens").stdout,
                         self.expect_exit(0, *query, "--ranks", "0").stdout)
        self.expect_exit(0, "export", "a.shardlens", "--to", "one.json", "--ranks", "tp=1")
        events = json.loads((self.folder / "one.json").read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual({event["pid"] for event in events}, {1})
        for arguments, message in (
                (("problems", "a.shardlens", "--ranks", "dp=1"), "got the axis dp, expected one of tp"),
                (("show", "a.shardlens", "--ranks", "tp=2"), "got tp=2, expected coordinates from 0 to 1"),
                (("query", "mm", "a.shardlens", "--ranks", "7"), "got rank 7, expected ranks from 0 to 1"),
                (("show", "a.shardlens", "--ranks", "some"), 'got "some", expected ranks such as 0-3,8'),
                (("query", "SELECT 1", "a.shardlens", "--ranks", "0"), "expected with terms"),
                (("export", "a.shardlens", "--to", "a.csv", "--ranks", "0"), "expected with trace only")):
            with self.subTest(arguments=arguments):
                self.assertIn("--ranks: " + message, self.expect_exit(2, *arguments).stderr)

    def test_show_their_properties(self):
        self.record(self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED)))
        info = json.loads(self.expect_exit(0, "info", "--json", "a.shardlens").stdout)
        rows = self.rows("SELECT kind, count(*) FROM events GROUP BY kind", "a.shardlens")
        self.assertEqual(info["kinds"], dict(rows))
        self.assertEqual((info["mesh"], info["hosted"], info["steps"]), ("2:tp", "0,1", 4))
        self.assertEqual((info["error"], info["difference"], info["grows"]), (None, None, False))
        words = self.expect_exit(0, "info", "a.shardlens").stdout
        self.assertIn("mesh        2:tp\n", words)
        bad = {"id": "bad", "call": "redistribute", "args": ["$none"], "placements": ["R"]}
        self.record(self.write("b.json", scenario(IDS, bad)), code=1)
        error = json.loads(self.expect_exit(0, "info", "--json", "a.shardlens").stdout)["error"]
        self.assertEqual(error["step"], 2)

    def test_report_errors(self):
        self.record(self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED)))
        self.assertEqual(self.expect_exit(0, "problems", "a.shardlens").stdout, "no problems\n")
        self.assertEqual(self.expect_exit(0, "problems", "--json", "a.shardlens").stdout, "")
        bad = {"id": "bad", "call": "redistribute", "args": ["$none"], "placements": ["R"]}
        answer = self.record(self.write("b.json", scenario(IDS, bad)), code=1)
        words = self.expect_exit(1, "problems", "a.shardlens").stdout
        message = answer["error"]["message"]
        self.assertTrue(words.startswith(f"error: {message} [refused-step]\n  event "), words)
        lines = self.expect_exit(1, "problems", "--json", "a.shardlens").stdout.splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([(each["rule"], each["times"]) for each in found], [("refused-step", 1)])

    def test_are_compared_with_expected_values(self):
        self.record(self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED)))
        self.write("good.txt", "# one\nexactly 1 kind:collective\nno implicit bytes>0\n")
        done = self.expect_exit(0, "lint", "a.shardlens", "--expect", "good.txt")
        self.assertEqual(done.stdout, "no problems\n")
        self.write("bad.txt", "no kind:operator op:embedding per step\nno kind:collective")
        done = self.expect_exit(1, "lint", "--json", "a.shardlens", "--expect", "bad.txt")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([each["sentence"] for each in found], [
            "step 3: got 1, expected no kind:operator op:embedding per step (line 1)",
            "got 1, expected no kind:collective (line 2)"])
        self.expect_refusal(".: got a folder, expected a file of expectations", "lint", "a.shardlens", "--expect", ".")
        self.write("wrong.txt", "no colour:red")
        refusal = self.expect_exit(2, "lint", "a.shardlens", "--expect", "wrong.txt").stderr
        self.assertTrue(refusal.startswith("shardlens: wrong.txt: line 1: got the field colour, expected"), refusal)
        bad = {"id": "bad", "call": "redistribute", "args": ["$none"], "placements": ["R"]}
        self.record(self.write("b.json", scenario(IDS, bad)), code=1)
        self.expect_exit(1, "lint", "a.shardlens")
        self.expect_exit(0, "lint", "a.shardlens", "--allow", "refused-step")
        self.assertIn("--allow: got everything, expected refused-step,",
                      self.expect_exit(2, "lint", "a.shardlens", "--allow", "everything").stderr)

    def test_of_the_gallery_fail_lint_for_a_stated_reason(self):
        (path,) = GALLERY.glob("04-*.json")
        self.expect_exit(0, "run", "--record", "a.shardlens", path)
        found = [json.loads(line) for line in self.expect_exit(1, "lint", "--json", "a.shardlens").stdout.splitlines()]
        self.assertEqual([(each["rule"], each["sentence"]) for each in found], [
            ("implicit-redistribution", "implicit redistribution before aten._foreach_add_.List: "
                                        "tableGrad (P(sum), S(0)) -> (R, S(0)), 576 B sent"),
            ("implicit-redistribution", "implicit redistribution before aten._foreach_add_.List: "
                                        "upGrad (P(sum), S(1)) -> (R, S(1)), 256 B sent")])
        self.expect_exit(0, "lint", "a.shardlens", "--allow", "implicit-redistribution")

    def test_are_printed_as_text(self):
        self.record(self.write("a.json", scenario(TABLE, IDS)))
        text = self.expect_exit(0, "replay", "a.shardlens", "--event", "2").stdout
        self.assertIn("position 2 of 4, step 1, line 1\n", text)
        self.assertIn("    rank 1 [1, 2]  5 6\n", text)

    def test_do_not_change_the_output(self):
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED, masking="stepwise"))
        plain = self.expect_exit(0, "run", name).stdout
        self.assertEqual(self.expect_exit(0, "run", "--record", "a.shardlens", name).stdout, plain)

    def test_of_a_refused_step_keep_the_earlier_events(self):
        bad = {"id": "bad", "call": "redistribute", "args": ["$none"], "placements": ["R"]}
        answer = self.record(self.write("a.json", scenario(IDS, bad)), code=1)
        end = self.replayed()
        self.assertEqual(end["error"], answer["error"]["message"])
        self.assertEqual([tensor["name"] for tensor in end["tensors"]], ["x"])

    def test_replace_an_older_one(self):
        name = self.write("a.json", scenario(TABLE, IDS))
        self.record(name)
        self.record(self.write("a.json", scenario(IDS)))
        self.assertEqual([tensor["name"] for tensor in self.replayed()["tensors"]], ["x"])

    def test_events_outside_are_refused(self):
        self.record(self.write("a.json", scenario(IDS)))
        for event in ("3", "-1"):
            self.expect_refusal(f"--event: got {event}, expected 0 to 2, the events of a.shardlens",
                                "replay", "a.shardlens", "--event", event)
        self.expect_exit(0, "replay", "a.shardlens", "--event", "2")

    def test_that_cannot_be_written_leave_nothing(self):
        name = self.write("a.json", scenario(IDS))
        self.expect_refusal(f"--record: cannot write {self.folder.resolve()}/no/a.shardlens: the folder "
                            f"{self.folder.resolve()}/no does not exist",
                            "run", "--json", "--record", "no/a.shardlens", name)
        self.expect_refusal(f"--record: cannot write {self.folder.resolve()}/a.json: "
                            "it exists and is not a Shardlens recording", "run", "--record", name, name)
        self.assertEqual(self.files(), ["a.json"])
        self.assertEqual(json.loads((self.folder / name).read_text()), scenario(IDS))

    def test_hold_one_run(self):
        name = self.write("a.json", scenario(IDS))
        self.expect_refusal("--record: got 2 scenarios, expected one: a recording holds one run",
                            "run", "--record", "a.shardlens", name, name)
        self.assertEqual(self.files(), ["a.json"])

    def test_a_scenario_is_no_recording_and_a_recording_no_scenario(self):
        name = self.write("a.json", scenario(IDS))
        self.record(name)
        self.expect_exit(2, "replay", name)
        self.expect_refusal("a.shardlens: got a recording (for shardlens replay), "
                            "expected a scenario (.json or .jsonl)", "run", "a.shardlens")


if __name__ == "__main__":
    unittest.main()
