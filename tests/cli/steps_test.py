"""`--steps`: commands that read some steps of a recording."""
import contextlib
import csv
import json
import pathlib
import shutil
import sqlite3
import unittest

from support import GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario

FORMAT_4 = pathlib.Path(__file__).parents[1] / "trace" / "format_4.shardlens"


class Steps(ProgramTest):
    def setUp(self):
        super().setUp()
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        self.expect_exit(0, "run", "--record", "a.shardlens", name)

    def lines(self, *args):
        return [json.loads(line) for line in self.expect_exit(0, *args, "--json").stdout.splitlines()]

    def test_a_query_finds_the_events_of_these_steps(self):
        whole = self.lines("query", "step:3-4", "a.shardlens")
        part = self.lines("query", "", "a.shardlens", "--steps", "3-4")
        self.assertEqual([(event["kind"], event["name"], event["step"], event["time"]) for event in part],
                         [(event["kind"], event["name"], event["step"], event["time"]) for event in whole])
        self.assertEqual([(event["id"], event["parent"]) for event in part],
                         [(event["id"], event["parent"] if event["parent"] >= whole[0]["id"] else 0)
                          for event in whole])
        rows = self.expect_exit(0, "query", "", "a.shardlens", "--steps", "3-4").stdout
        self.assertEqual(rows, self.expect_exit(0, "query", "step:3-4", "a.shardlens").stdout)

    def test_problems_have_the_numbers_of_the_recording(self):
        refused = {"id": "q", "call": "aten.mm", "args": ["$w", "$z"]}
        name = self.write("b.json", scenario(TABLE, IDS, LOOKUP, refused))
        self.expect_exit(1, "run", "--record", "b.shardlens", name)
        (whole,) = self.lines("query", "kind:error", "b.shardlens")
        part = self.run_program("problems", "b.shardlens", "--steps", "4")
        self.assertIn(f"  event {whole['id']}, step 4", part.stdout)
        found = json.loads(self.run_program("problems", "b.shardlens", "--steps", "4", "--json").stdout)
        self.assertEqual(found["events"], [whole["id"]])
        self.assertGreater(whole["id"], 8)

    def test_an_event_is_not_selected_by_its_number(self):
        for command in (["query", "id:3"], ["show", "--filter", "id:3"]):
            self.assertIn("got id with --steps, expected the whole recording",
                          self.expect_exit(2, *command, "a.shardlens", "--steps", "3").stderr)

    def test_sql_reads_these_steps(self):
        rows = self.lines("query", "SELECT DISTINCT step FROM events ORDER BY step", "a.shardlens", "--steps", "2,4")
        self.assertEqual([row["step"] for row in rows], [2, 4])

    def test_sql_states_how_it_numbers_events(self):
        done = self.expect_exit(0, "query", "SELECT id FROM events LIMIT 1", "a.shardlens", "--steps", "4")
        self.assertEqual(done.stderr, "shardlens: only step 4 was opened: what earlier steps made is unknown\n"
                                      "shardlens: SQL numbers events from 1 within the opened steps\n")
        self.assertEqual(done.stdout, "id\n1\n")

    def test_info_describes_the_part(self):
        info = self.lines("info", "a.shardlens", "--steps", "2")[0]
        self.assertEqual((info["steps"], info["later"]), (1, True))
        self.assertIn("only step 2 was opened", info["limits"][0])
        self.assertFalse(self.lines("info", "a.shardlens")[0]["later"])
        self.assertIn("later steps follow", self.expect_exit(0, "info", "a.shardlens", "--steps", "2").stdout)

    def test_show_problems_lint_and_export(self):
        shown = self.expect_exit(0, "show", "a.shardlens", "--steps", "4").stdout
        self.assertIn("4  z = redistribute(y, R)", shown)
        self.assertIn("1 step ran", shown)
        self.expect_exit(0, "problems", "a.shardlens", "--steps", "3")
        self.expect_exit(0, "lint", "a.shardlens", "--steps", "2")
        self.expect_exit(0, "export", "a.shardlens", "--steps", "3", "--to", "a.csv")
        rows = list(csv.DictReader((self.folder / "a.csv").read_text().splitlines()))
        self.assertEqual({row["step"] for row in rows}, {"3"})

    def test_a_message_states_which_steps_are_opened(self):
        message = "shardlens: only step 3 was opened: what earlier steps made is unknown"
        for command in (["query", ""], ["show"], ["problems"]):
            self.assertIn(message, self.expect_exit(0, *command, "a.shardlens", "--steps", "3").stderr, command)

    def test_a_large_recording_of_an_earlier_format_is_read_whole(self):
        shutil.copy(FORMAT_4, self.folder / "old.shardlens")
        whole = self.lines("query", "step:2", "old.shardlens")
        with contextlib.closing(sqlite3.connect(self.folder / "old.shardlens")) as file:
            file.execute("DELETE FROM meta WHERE key = 'sealed'")
            file.execute("CREATE TABLE filling AS SELECT zeroblob(33 << 20)")
            file.commit()
        self.assertNotEqual(whole, [])
        self.assertEqual(self.lines("query", "step:2", "old.shardlens"), whole)

    def test_steps_that_are_refused(self):
        for steps in ("3,5-4", "2,,3", "0", "3-"):
            self.expect_refusal(f"--steps: got {steps}, expected steps from 1, for example 3-5,8"
                                "\nRun with --help for more information.",
                                "problems", "a.shardlens", "--steps", steps)
        self.expect_refusal("--steps: a.shardlens has no events of these steps",
                            "query", "", "a.shardlens", "--steps", "9")
        self.expect_refusal("--steps: got 0-1, expected steps from 1, for example 3-5,8"
                            "\nRun with --help for more information.",
                            "problems", "a.shardlens", "--steps", "0-1")
        self.expect_refusal("--steps: a picture is of the whole run: omit it",
                            "export", "a.shardlens", "--steps", "2", "--to", "a.png")


if __name__ == "__main__":
    unittest.main()
