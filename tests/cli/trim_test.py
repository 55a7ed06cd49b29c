"""`trim` and `merge`: recordings made from recordings."""
import json
import sqlite3
import unittest

from gloo_programs import RUN
from support import GALLERY, GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario


class Parts(ProgramTest):
    def record(self):
        self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED, masking="stepwise"))
        self.expect_exit(0, "run", "--record", "a.shardlens", "a.json")

    def test_of_a_step(self):
        self.record()
        done = self.expect_exit(0, "trim", "a.shardlens", "--steps", "4", "--to", "part.shardlens", "--json")
        size = (self.folder / "part.shardlens").stat().st_size
        self.assertEqual(json.loads(done.stdout), {"written": "part.shardlens", "bytes": size})
        end = json.loads(self.expect_exit(0, "replay", "--json", "part.shardlens").stdout)
        whole = json.loads(self.expect_exit(0, "replay", "--json", "a.shardlens").stdout)
        named = [tensor for tensor in whole["tensors"] if tensor["name"] in ("y", "z")]
        self.assertEqual([(each["name"], each["locals"]) for each in end["tensors"]],
                         [(each["name"], each["locals"]) for each in named])
        self.assertEqual(self.rows("SELECT DISTINCT step FROM events", "part.shardlens"), [(3,), (4,)])

    def test_without_values(self):
        self.record()
        self.expect_exit(0, "trim", "a.shardlens", "--values", "none", "--to", "small.shardlens")
        info = json.loads(self.expect_exit(0, "info", "--json", "small.shardlens").stdout)
        before = json.loads(self.expect_exit(0, "info", "--json", "a.shardlens").stdout)
        self.assertEqual((info["values"], info["events"]), (0, before["events"]))
        self.assertGreater(before["values"], 0)

    def test_bookmarks_go_with_their_events(self):
        self.record()
        with sqlite3.connect(self.folder / "a.shardlens") as file:
            file.execute("DELETE FROM meta WHERE key='sealed_pages'")  # Python's connection writes no checksums
            file.execute("INSERT INTO bookmarks VALUES(2, '')")
            file.execute("INSERT INTO bookmarks SELECT max(first + count - 1), 'the end' FROM blocks")
        rows = self.rows("SELECT event, note FROM bookmarks", "a.shardlens")
        self.assertEqual(rows[0], (2, ""))
        self.expect_exit(0, "trim", "a.shardlens", "--steps", "4", "--to", "part.shardlens")
        marks = json.loads(self.expect_exit(0, "info", "--json", "part.shardlens").stdout)["bookmarks"]
        size = json.loads(self.expect_exit(0, "info", "--json", "part.shardlens").stdout)["events"]
        self.assertEqual([(mark["event"], mark["note"], mark["step"]) for mark in marks],
                         [(size, "the end", 4)])
        self.assertIn(f"bookmarks   event {size}, ", self.expect_exit(0, "info", "part.shardlens").stdout)
        shown = self.expect_exit(0, "show", "a.shardlens", "--bookmarks").stdout
        self.assertIn("note: the end", shown)
        self.assertRegex(shown, r"\n +bookmark\n")
        lines = [json.loads(line) for line in
                 self.expect_exit(0, "show", "--json", "--bookmarks", "a.shardlens").stdout.splitlines()]
        self.assertEqual([(line["id"], line["bookmark"]) for line in lines], rows)
        self.expect_exit(0, "export", "a.shardlens", "--step", "4", "--to", "step.md")
        self.assertRegex((self.folder / "step.md").read_text(), r"\*\*Bookmarks\*\*\n\n- event \d+, .*: the end\n")
        self.expect_exit(0, "export", "a.shardlens", "--to", "page.html")
        self.assertIn('"bookmark":"the end"', (self.folder / "page.html").read_text())

    def test_without_bookmarks_none_is_shown(self):
        self.record()
        self.expect_exit(1, "show", "a.shardlens", "--bookmarks")
        self.assertNotIn("bookmark", self.expect_exit(0, "info", "a.shardlens").stdout)

    def test_refusals(self):
        self.record()
        self.expect_refusal("--steps: got 5-9, expected steps of 1 to 4",
                            "trim", "a.shardlens", "--steps", "5-9", "--to", "b.shardlens")
        for steps in ("two", "0-1"):
            self.expect_refusal(f"--steps: got {steps}, expected steps from 1, for example 3-5,8"
                                "\nRun with --help for more information.",
                                "trim", "a.shardlens", "--steps", steps, "--to", "b.shardlens")
        self.expect_refusal("--to: got a.shardlens, expected a file that is not read",
                            "trim", "a.shardlens", "--to", "a.shardlens")
        self.assertIn("--to: ", self.expect_exit(2, "trim", "a.shardlens", "--to", "no/b.shardlens").stderr)
        self.assertFalse((self.folder / "b.shardlens").exists())


class Merges(ProgramTest):
    def test_are_the_events_of_the_processes(self):
        name = self.write("a.json", RUN[0])
        self.run_processes(4, "--record", "a", name)
        self.expect_exit(0, "merge", "a", "--to", "a.shardlens")
        shown = [self.expect_exit(0, "replay", "--json", path).stdout for path in ("a", "a.shardlens")]
        self.assertTrue(shown[0] == shown[1])
        for args in [("merge", "a"), ("export", "a", "--as", "csv")]:
            self.expect_refusal("--to: got a/rank-0.shardlens, expected a file that is not read",
                                *args, "--to", "a/rank-0.shardlens")
        self.expect_refusal("--to: got a/all.shardlens, expected a file outside of a, because a folder opens as"
                            " one run", "merge", "a", "--to", "a/all.shardlens")
        self.assertEqual(json.loads(shown[0])["hosted"], [0, 1, 2, 3])

    def test_of_the_gallery_are_the_same_at_every_position(self):
        (path,) = GALLERY.glob("05-*.json")
        self.expect_exit(0, "run", "--record", "a.shardlens", path)
        self.expect_exit(0, "merge", "a.shardlens", "--to", "b.shardlens")
        end = json.loads(self.expect_exit(0, "info", "--json", "b.shardlens").stdout)["events"]
        for position in range(0, end + 1, 17):
            shown = [self.expect_exit(0, "replay", "--json", file, "--event", position).stdout
                     for file in ("a.shardlens", "b.shardlens")]
            self.assertTrue(shown[0] == shown[1], position)


if __name__ == "__main__":
    unittest.main()
