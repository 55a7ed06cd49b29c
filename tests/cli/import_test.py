"""`import`: recordings made from the dumps of other tools."""
import gzip
import json
import pathlib
import signal
import subprocess
import time
import unittest

from support import PROGRAM, ProgramTest, environment

SAMPLES = pathlib.Path(__file__).parents[1] / "imports" / "samples"


class Imports(ProgramTest):
    def test_a_hung_run(self):
        dumps = sorted((SAMPLES / "flight-hung").glob("rank_?"))
        self.expect_exit(0, "import", *dumps, "--into", "run")
        output = self.expect_exit(0, "show", "run").stdout
        self.assertTrue(output.startswith("Flight Recorder pickle, ranks 0-3\n"), output)
        self.assertIn("all_reduce over default_pg: ranks 0, 1, 3 have waited for rank 2 since ",
                      self.run_program("problems", "run").stdout)
        self.assertEqual(self.rows("SELECT name, process_group, sequence FROM events WHERE duration IS NULL",
                                   "run"), [("all_reduce", "0 default_pg", 1)])

    def test_a_merged_file_names_missing_ranks(self):
        for sample, rule in [("flight-hung", "rank-that-waits"), ("flight-mismatched", "collective-mismatch")]:
            self.expect_exit(0, "import", *sorted((SAMPLES / sample).glob("rank_?")), "--into", sample)
            self.expect_exit(0, "merge", sample, "--to", "one.shardlens")
            output = self.run_program("problems", sample).stdout
            self.assertIn(f"[{rule}]", output)
            self.assertEqual(self.run_program("problems", "one.shardlens").stdout, output)
            self.assertEqual(self.expect_exit(0, "show", "one.shardlens").stdout,
                             self.expect_exit(0, "show", sample).stdout)

    def test_missing_fields(self):
        self.expect_exit(0, "import", SAMPLES / "comm_debug_mode.json.gz", "--into", "run")
        output = self.expect_exit(0, "show", "run").stdout
        self.assertIn("all_reduce, ranks unknown, bytes unknown\n", output)
        self.assertNotIn("cache", output)
        info = json.loads(self.expect_exit(0, "info", "--json", "run").stdout)
        self.assertEqual((info["imported"], info["backend"]), ("CommDebugMode JSON", None))

    def test_the_answer_for_programs(self):
        answer = json.loads(self.expect_exit(0, "import", "--json", SAMPLES / "debug_mode.txt", "--into", "run").stdout)
        self.assertEqual(answer, {
            "recordings": [{"from": str(SAMPLES / "debug_mode.txt"), "into": "run/rank-0.shardlens",
                            "format": "DebugMode text", "rank": 0, "events": 180}],
            "notes": ["the files do not state their ranks: assumed in this order, from rank 0"]})

    def test_refusals(self):
        self.write("a.txt", "hello")
        self.expect_refusal("a.txt: got another file, expected a trace of Kineto or Chrome, a Flight Recorder dump, "
                            "DebugMode text or JSON, CommDebugMode JSON, an NCCL log or an AutoParallel solution",
                            "import", "a.txt", "--into", "run")
        self.expect_refusal("--into is required\nRun with --help for more information.", "import", "a.txt")

    def test_an_interrupt_leaves_nothing(self):
        event = b'{"ph": "X", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 1},\n'
        with gzip.open(self.folder / "rank0.json.gz", "wb", compresslevel=1) as trace:
            trace.write(b'{"traceEvents": [' + event * 6_000_000 + b'{}]}')
        done = subprocess.Popen([PROGRAM, "import", "rank0.json.gz", "--into", "run"], cwd=self.folder,
                                stderr=subprocess.PIPE, text=True, env=environment())
        while not (self.folder / "run" / "rank-0.shardlens").exists():
            time.sleep(0.01)
        done.send_signal(signal.SIGINT)
        self.assertEqual(done.communicate()[1], "shardlens: import: interrupted, no recordings written\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(list((self.folder / "run").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
