"""Runs over Gloo on processes started without torchrun, with one or several ranks each."""
import json
import os
import subprocess
import time
import unittest

from gloo_programs import REFUSED, RUN, ids, lookup, moved, scenario
from support import DEADLINE, PROGRAM, ProgramTest, environment


class Processes(ProgramTest):
    def expect_same_exit_codes(self, code, ended):
        """Expects the same exit code from all and output from the first only. Returns the first."""
        self.assertEqual([done.returncode for done in ended], [code] * len(ended),
                         "\n".join(done.stderr for done in ended))
        self.assertEqual([done.stdout for done in ended[1:]], [""] * (len(ended) - 1))
        return ended[0]

    def test_answer_and_refuse_as_simulated_ranks_do(self):
        name = self.write_lines("a.jsonl", [*REFUSED, *RUN])
        simulated = self.expect_exit(1, "run", "--json", name).stdout
        for count in (2, 4):
            with self.subTest(processes=count):
                spread = self.expect_same_exit_codes(1, self.run_processes(count, "--json", name))
                self.assertEqual(spread.stdout, simulated)
        answers = [json.loads(line) for line in simulated.splitlines()]
        self.assertEqual([answer["ok"] for answer in answers],
                         [False] * len(REFUSED) + [True] * len(RUN))
        self.assertIn("index 10 at position [1]", answers[0]["error"]["message"])

    def test_as_text(self):
        name = self.write("a.json", RUN[0])
        text = self.expect_same_exit_codes(0, self.run_processes(2, name)).stdout
        self.assertIn("4 ranks (gloo", text)
        self.assertIn("all_reduce over tp, ranks {0,1} {2,3}", text)
        self.assertIn("7 steps ran", text)

    def test_record_one_file_each(self):
        name = self.write("a.json", lookup("recorded", fill="arange", masking="stepwise"))
        ended = self.run_processes(2, "--json", "--record", "new/folder", name)
        answer = json.loads(self.expect_same_exit_codes(0, ended).stdout)
        folder = self.folder / "new" / "folder"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["rank-0.shardlens", "rank-2.shardlens"])
        for first in (0, 2):
            end = json.loads(self.expect_exit(0, "replay", "--json",
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
        self.expect_same_exit_codes(0, self.run_processes(4, "--record", "records", name))
        self.write("records/rank-one.shardlens", "mine")
        self.write("records/rank-3.shardlens-wal", "left by one that was killed")
        (folder / "rank-7.shardlens").mkdir()
        self.expect_same_exit_codes(0, self.run_processes(2, "--record", "records", name))
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["rank-0.shardlens", "rank-2.shardlens", "rank-7.shardlens",
                          "rank-one.shardlens"])

    def test_that_cannot_record_report_it_once(self):
        name = self.write("a.json", RUN[0])
        ended = self.run_processes(2, "--record", name, name)
        done = self.expect_same_exit_codes(2, ended)
        self.assertEqual([each.stderr for each in ended[1:]], [""])
        self.assertTrue(done.stderr.startswith("shardlens: --record: cannot prepare the folder a.json"),
                        done.stderr)


    def test_give_the_reason_why_present_gpus_are_not_used(self):
        name = self.write("a.json", RUN[0])
        started = {"backend": (), "LOCAL_RANK": "0"}
        driver = os.pathsep.join([os.environ["SHARDLENS_FAKE_DRIVER"],
                                  os.environ.get("LD_LIBRARY_PATH", "")])
        for count in (1, 2):
            with self.subTest(processes=count):
                ended = self.run_processes(count, "--json", name, LD_LIBRARY_PATH=driver, **started)
                self.expect_same_exit_codes(0, ended)
                self.assertRegex(
                    ended[0].stderr,
                    r"(?s)\Ashardlens: there are GPUs, but ranks run on processors: .+\n\Z")
                self.assertEqual([done.stderr for done in ended[1:]], [""] * (count - 1))

    def test_log_the_messages_of_c10_on_request(self):
        name = self.write("a.json", RUN[0])
        quiet = self.run_processes(2, "--json", name)
        self.assertEqual([done.stderr for done in quiet], ["", ""])
        ended = self.run_processes(2, "--json", name, TORCH_CPP_LOG_LEVEL="INFO")
        self.assertEqual(self.expect_same_exit_codes(0, ended).stdout, quiet[0].stdout)
        self.assertRegex(ended[0].stderr, r"(?m)^\[.*\.[ch]pp:\d+\]")


class BadLaunches(ProgramTest):
    def expect_shared_refusal(self, message, ended):
        """Expects exit code 2 from all, and this message from the first only."""
        self.assertEqual([done.returncode for done in ended], [2] * len(ended))
        self.assertEqual("".join(done.stdout for done in ended), "")
        self.assertEqual([done.stderr for done in ended],
                         ["shardlens: " + message + "\n"] + [""] * (len(ended) - 1))

    def test_ranks_that_cannot_be_shared_evenly(self):
        name = self.write("a.json", scenario("odd", ids("x", [1], "R"), mesh={"shape": [3]}))
        self.expect_shared_refusal("a.json: 3 ranks on 2 processes: a multiple of 2 is expected",
                                   self.run_processes(2, name))

    def test_files_that_one_process_cannot_read(self):
        name = self.write("a.json", RUN[0])
        self.expect_shared_refusal("no.json: got no such file, expected a scenario (.json or .jsonl)",
                                   self.run_processes(2, name, arguments_of_last=["no.json"]))

    def test_without_a_launcher(self):
        name = self.write("a.json", RUN[0])
        bare = {key: value for key, value in os.environ.items()
                if key not in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")}
        done = subprocess.run([PROGRAM, "run", "--backend", "gloo", name], cwd=self.folder, env=bare,
                              text=True, capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("shardlens: --backend gloo: the variable WORLD_SIZE is not set", done.stderr)


class OtherPrograms(ProgramTest):
    """Processes whose programs or options differ are refused before any step runs."""
    STEPS = [ids("x", [1], "R", "R"), moved("y", "x", "R", "R")]

    def expect_difference(self, difference, ended):
        self.assertEqual(
            [(done.returncode, done.stdout, done.stderr) for done in ended],
            [(2, "", f"shardlens: the processes do not run the same: {difference}\n"),
             (2, "", "")])

    def differs(self, *other, **more):
        return self.run_processes(2, self.write("a.json", scenario("one", *self.STEPS)),
                                  arguments_of_last=[self.write("b.json", scenario("one", *other, **more))])

    def test_a_step(self):
        self.expect_difference(
            'step y of scenario 1 is "y = redistribute(x, R, S(0))" in process 1, '
            '"y = redistribute(x, R, R)" in process 0',
            self.differs(self.STEPS[0], moved("y", "x", "R", "S(0)")))

    def test_a_step_whose_line_looks_the_same(self):
        self.expect_difference("step x of scenario 1 differs between process 1 and process 0",
                               self.differs({**self.STEPS[0], "dtype": "int32"}, self.STEPS[1]))

    def test_a_step_fewer(self):
        self.expect_difference(
            "process 1 has the end of scenario 1 where process 0 has step y of scenario 1",
            self.differs(self.STEPS[0]))

    def test_a_mesh(self):
        self.expect_difference(
            'the mesh of scenario 1 is "4x1:d0,d1" in process 1, "2x2:dp,tp" in process 0',
            self.differs(*self.STEPS, mesh={"shape": [4, 1]}))

    def test_a_setting(self):
        self.expect_difference(
            "a setting of scenario 1 differs between process 1 and process 0",
            self.differs(*self.STEPS, masking="stepwise"))

    def test_an_option(self):
        name = self.write("a.json", scenario("one", *self.STEPS))
        self.expect_difference('--json is "given" in process 1, "not given" in process 0',
                               self.run_processes(2, name, arguments_of_last=["--json", name]))

    def test_files_of_the_same_content_are_the_same(self):
        self.assertEqual([done.returncode for done in self.differs(*self.STEPS)], [0, 0])


class ErrorFiles(ProgramTest):
    """The error file for torchrun, written if TORCHELASTIC_ERROR_FILE is set."""

    def expect_error(self, code, message, name):
        file = self.folder / "error.json"
        done = subprocess.run([PROGRAM, "run", name], cwd=self.folder, text=True, timeout=DEADLINE,
                              capture_output=True, check=False,
                              env=environment(TORCHELASTIC_ERROR_FILE=str(file)))
        self.assertEqual(done.returncode, code)
        error = json.loads(file.read_text(encoding="utf-8"))["message"]
        self.assertIn(message, error["message"])
        self.assertLessEqual(abs(time.time() - int(error["extraInfo"]["timestamp"])), 60)

    def test_of_a_refused_step(self):
        self.expect_error(1, "step y: ", self.write(
            "a.json", scenario("refused", ids("x", [1], "R", "R"), moved("y", "none", "R", "R"))))

    def test_of_a_missing_file(self):
        self.expect_error(2, "none.json: got no such file", "none.json")

    def test_none_where_all_is_well(self):
        file = self.folder / "error.json"
        name = self.write("a.json", scenario("well", ids("x", [1], "R", "R")))
        subprocess.run([PROGRAM, "run", name], cwd=self.folder, timeout=DEADLINE, capture_output=True,
                       check=True, env=environment(TORCHELASTIC_ERROR_FILE=str(file)))
        self.assertFalse(file.exists())


if __name__ == "__main__":
    unittest.main()
