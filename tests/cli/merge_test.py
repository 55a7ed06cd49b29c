"""The recordings of a run's processes, merged and replayed as one."""
import json
import os
import unittest

from gloo_programs import RUN, ids, moved, scenario
from support import GALLERY, ProgramTest


def gallery(number):
    (path,) = GALLERY.glob(f"{number:02}-*.json")
    return path.read_text(encoding="utf-8")


class Merged(ProgramTest):
    def record(self, program, processes, code=0):
        """Records a run on simulated ranks to a.shardlens and one on processes to the folder a.
        Expects the same answer from both."""
        name = self.write("a.json", program)
        simulated = self.expect_exit(code, "run", "--json", "--record", "a.shardlens", name).stdout
        ended = self.run_processes(processes, "--json", "--record", "a", name)
        self.assertEqual([done.returncode for done in ended], [code] * processes,
                         "\n".join(done.stderr for done in ended))
        self.assertEqual(ended[0].stdout, simulated)

    def shown(self, *args):
        return self.expect_exit(0, "replay", "--json", *args).stdout

    def expect_same(self, stride):
        end = json.loads(self.shown("a.shardlens"))["positions"]
        for position in [*range(0, end, stride), end]:
            with self.subTest(position=position):
                self.assertEqual(self.shown("a", "--event", position),
                                 self.shown("a.shardlens", "--event", position))

    def test_are_the_recording_of_simulated_ranks(self):
        for program, processes in ((gallery(1), 4), (RUN[1], 2)):
            self.record(program, processes)
            self.expect_same(stride=9)

    def test_where_ids_differ_in_rows_of_some_alone(self):
        """Ids differ in the rows of some ranks only. All ranks still see two masks, or the conflict."""
        self.record(gallery(5), 4)
        self.expect_same(stride=33)
        self.record(gallery(6), 4, code=1)
        self.expect_same(stride=33)

    def test_where_some_are_not_on_a_tensors_mesh(self):
        (program,) = (each for each in RUN if "no rank of their mesh" in each["title"])
        self.record(program, 4)
        self.expect_same(stride=29)

    def test_have_totals_without_a_join(self):
        self.record(gallery(1), 4)
        joined = json.loads(self.expect_exit(0, "info", "--json", "a").stdout)
        for _ in range(2):  # the second answer is from the manifest
            totals = json.loads(self.expect_exit(0, "info", "--totals", "--json", "a").stdout)
            self.assertEqual(totals["hosted"], "0-3")
            self.assertEqual(totals["programs"], ["0-3"])
            self.assertEqual(totals["duration"], joined["duration"])
            self.assertEqual(totals["events"], 4 * joined["events"])
            self.assertEqual(totals["kinds"], {kind: 4 * count for kind, count in joined["kinds"].items()})
            self.assertEqual(sum(calls["bytes"] for calls in totals["collectives"]), joined["bytes"])
            self.assertTrue((self.folder / "a" / "shardlens-manifest.json").exists())
        shown = self.expect_exit(0, "info", "--totals", "a").stdout
        self.assertIn("4 recordings, of", shown)
        self.assertIn("sequences   1 event sequence\n", shown)
        alone, summed = (json.loads(self.expect_exit(0, "info", *options, "--json", "a/rank-1.shardlens").stdout)
                         for options in ([], ["--totals"]))
        self.assertEqual(summed["duration"], alone["duration"])
        (self.folder / "a" / "rank-2.shardlens").unlink()
        fewer = self.expect_exit(1, "info", "--totals", "a")
        self.assertIn("hosted      ranks 0,1,3\n", fewer.stdout)
        self.assertIn("rank-2.shardlens is missing: shardlens-manifest.json lists it, with ranks 2", fewer.stderr)
        # The next run in this folder begins without the manifest.
        self.record(gallery(1), 4)
        self.assertFalse((self.folder / "a" / "shardlens-manifest.json").exists())

    def test_without_some_of_their_processes(self):
        self.record(RUN[0], 4)
        (self.folder / "a" / "rank-2.shardlens").unlink()
        end = json.loads(self.shown("a"))
        self.assertEqual(end["hosted"], [0, 1, 3])
        few = json.loads(self.shown("a/rank-1.shardlens", "a/rank-3.shardlens"))
        self.assertEqual(few["hosted"], [1, 3])
        self.assertEqual([local["rank"] for local in few["tensors"][0]["locals"]], [1, 3])

    def test_a_damaged_one_is_left_out(self):
        self.record(RUN[0], 4)
        damaged = self.folder / "a" / "rank-2.shardlens"
        os.truncate(damaged, damaged.stat().st_size - 1)
        done = self.expect_exit(1, "replay", "--json", "a")
        self.assertEqual(json.loads(done.stdout)["hosted"], [0, 1, 3])
        self.assertEqual(done.stderr,
                         '{"left_out":{"message":"a/rank-2.shardlens is damaged: it is truncated"}}\n')

    def test_of_different_runs_are_refused(self):
        self.record(RUN[0], 2)
        self.write("b.json", scenario("b", ids("x", [1], "R", "R"), moved("y", "x", "R", "R")))
        self.run_processes(2, "--record", "b", "b.json")
        self.expect_refusal("b/rank-2.shardlens is of another run: got another scenario, expected that of"
                            " a/rank-0.shardlens", "replay", "a/rank-0.shardlens", "b/rank-2.shardlens")
        (self.folder / "empty").mkdir()
        self.expect_refusal("empty has no recordings: expected files named *.shardlens", "replay", "empty")


if __name__ == "__main__":
    unittest.main()
