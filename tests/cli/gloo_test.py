"""Runs on processes that Gloo connects, started without torchrun: one rank each, or several."""
import json
import os
import subprocess
import unittest

from gloo_programs import REFUSED, RUN, ids, lookup, moved, scenario
from support import PROGRAM, ProgramTest


class Processes(ProgramTest):
    def expect_one_voice(self, code, ended):
        """All end alike, the first process alone speaks; what it says."""
        self.assertEqual([done.returncode for done in ended], [code] * len(ended),
                         "\n".join(done.stderr for done in ended))
        self.assertEqual([done.stdout for done in ended[1:]], [""] * (len(ended) - 1))
        return ended[0]

    def test_answer_and_refuse_as_simulated_ranks_do(self):
        name = self.write_lines("a.jsonl", [*REFUSED, *RUN])
        simulated = self.ends(1, "run", "--json", name).stdout
        for count in (2, 4):
            with self.subTest(processes=count):
                spread = self.expect_one_voice(1, self.run_processes(count, "--json", name))
                self.assertEqual(spread.stdout, simulated)
        answers = [json.loads(line) for line in simulated.splitlines()]
        self.assertEqual([answer["ok"] for answer in answers],
                         [False] * len(REFUSED) + [True] * len(RUN))
        self.assertIn("index 10 at position [1]", answers[0]["error"]["message"])

    def test_tell_it_in_words(self):
        name = self.write("a.json", RUN[0])
        text = self.expect_one_voice(0, self.run_processes(2, name)).stdout
        self.assertIn("4 ranks (gloo", text)
        self.assertIn("all_reduce over tp, ranks {0,1} {2,3}", text)
        self.assertIn("7 steps ran", text)

    def test_record_one_file_each(self):
        name = self.write("a.json", lookup("recorded", fill="arange", masking="stepwise"))
        ended = self.run_processes(2, "--json", "--record", "new/folder", name)
        answer = json.loads(self.expect_one_voice(0, ended).stdout)
        folder = self.folder / "new" / "folder"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["rank-0.shardlens", "rank-2.shardlens"])
        for first in (0, 2):
            end = json.loads(self.ends(0, "replay", "--json",
                                       f"new/folder/rank-{first}.shardlens").stdout)
            self.assertIsNone(end["error"])
            shown = {tensor["name"]: tensor for tensor in end["tensors"]}
            hosted = [first, first + 1]
            self.assertEqual([local["rank"] for local in shown["z"]["locals"]], hosted)
            self.assertEqual([local["data"] for local in shown["z"]["locals"]],
                             [answer["results"]["z"]["locals"][rank]["data"] for rank in hosted])

    def test_record_in_place_of_an_earlier_run_of_more(self):
        name = self.write("a.json", RUN[0])
        folder = self.folder / "records"
        self.expect_one_voice(0, self.run_processes(4, "--record", "records", name))
        self.write("records/rank-one.shardlens", "mine")
        self.write("records/rank-3.shardlens-wal", "left by one that was killed")
        (folder / "rank-7.shardlens").mkdir()
        self.expect_one_voice(0, self.run_processes(2, "--record", "records", name))
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["rank-0.shardlens", "rank-2.shardlens", "rank-7.shardlens",
                          "rank-one.shardlens"])

    def test_that_cannot_record_say_so_once(self):
        name = self.write("a.json", RUN[0])
        ended = self.run_processes(2, "--record", name, name)
        done = self.expect_one_voice(2, ended)
        self.assertEqual([each.stderr for each in ended[1:]], [""])
        self.assertTrue(done.stderr.startswith("shardlens: --record: cannot prepare the folder a.json"),
                        done.stderr)


class BadLaunches(ProgramTest):
    def expect_refusal(self, message, ended):
        self.assertEqual([done.returncode for done in ended], [2] * len(ended))
        self.assertEqual("".join(done.stdout for done in ended), "")
        self.assertEqual([done.stderr for done in ended],
                         ["shardlens: " + message + "\n"] + [""] * (len(ended) - 1))

    def test_ranks_that_cannot_be_shared_evenly(self):
        name = self.write("a.json", scenario("odd", ids("x", [1], "R"), mesh={"shape": [3]}))
        self.expect_refusal("a.json: 3 ranks on 2 processes: a multiple of 2 below 46340 is expected",
                            self.run_processes(2, "--json", name))

    def test_files_that_one_process_cannot_read(self):
        name = self.write("a.json", RUN[0])
        self.expect_refusal("no.json: got no such file, expected a scenario (.json or .jsonl)",
                            self.run_processes(2, name, of_one=["no.json"]))

    def test_nobody_launched(self):
        name = self.write("a.json", RUN[0])
        bare = {key: value for key, value in os.environ.items()
                if key not in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")}
        done = subprocess.run([PROGRAM, "run", "--backend", "gloo", name], cwd=self.folder, env=bare,
                              text=True, capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("shardlens: --backend gloo: the variable WORLD_SIZE is not set", done.stderr)


class LostProcesses(ProgramTest):
    """They do not do the same: all end, with a message."""
    LONG = scenario("long", ids("x", [1], "R", "R"),
                    *[moved(f"y{i}", "x", "R", "R") for i in range(3)])
    SHORT = scenario("short", ids("x", [1], "R", "R"))
    REFUSED = scenario("refused", ids("x", [1], "R", "R"), moved("y", "none", "R", "R"))

    def expect_complaints(self, messages, ended):
        self.assertEqual([(done.returncode, done.stderr) for done in ended],
                         [(1, f"shardlens: {message}\n") for message in messages])

    def spoke(self, process, of, expected):
        return (f"process {process} spoke of {of}, expected {expected}: "
                "all processes have to do the same")

    def test_end_the_others(self):
        long, short = self.write("a.json", self.LONG), self.write("short.json", self.SHORT)
        self.expect_complaints(
            [self.spoke(1, "the recording's end", "step y0"),
             self.spoke(0, "step y0", "the recording's end")],
            self.run_processes(2, "--record", "records", long,
                               of_one=["--record", "records", short]))
        end = json.loads(self.ends(0, "replay", "--json", "records/rank-0.shardlens").stdout)
        self.assertTrue(end["error"])

    def test_at_the_end_of_a_recording_leave_it(self):
        name = self.write("a.json", self.SHORT)
        ended = self.run_processes(2, "--record", "records", name,
                                   of_one=["--record", "records", "--json", name])
        self.expect_complaints([self.spoke(1, "the answer", "the recording's end"),
                                self.spoke(0, "the recording's end", "the answer")], ended)
        end = json.loads(self.ends(0, "replay", "--json", "records/rank-0.shardlens").stdout)
        self.assertEqual([tensor["name"] for tensor in end["tensors"]], ["x"])

    def test_say_what_they_refused_alone(self):
        short, refused = self.write("a.json", self.SHORT), self.write("b.json", self.REFUSED)
        ended = self.run_processes(2, short, of_one=[refused])
        self.assertEqual([done.returncode for done in ended], [1, 1])
        self.assertEqual(ended[0].stderr, f"shardlens: {self.spoke(1, 'step y', 'the end')}\n")
        self.assertRegex(ended[1].stderr, "^shardlens: process 1 refused step y: .*none.*; no agreement "
                         "with the others: process 0 spoke of the end, expected step y: ")


if __name__ == "__main__":
    unittest.main()
