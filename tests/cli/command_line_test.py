"""Help, version, and the errors for invalid command lines and files."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from support import IDS, MESH, PROGRAM, TABLE, ProgramTest, scenario

HINT = "\nRun with --help for more information."


class CommandLine(ProgramTest):
    def test_help(self):
        text = self.expect_exit(0, "--help").stdout
        self.assertIn("  run  ", text)
        self.assertIn("  replay  ", text)
        self.assertIn("Exit codes: 0 success, 1 a negative result (a step was refused,", text)
        self.assertNotIn("engine", text)
        self.assertIn("--record PATH", self.expect_exit(0, "run", "--help").stdout)

    def test_without_arguments_prints_help(self):
        self.assertEqual(self.expect_exit(0).stdout, self.expect_exit(0, "--help").stdout)

    def test_help_names_the_documents(self):
        text = self.expect_exit(0, "--help").stdout
        for name in ("SCENARIO.md", "FORMAT.md"):
            (path,) = [word for word in text.split() if word.endswith(name)]
            self.assertTrue(pathlib.Path(path).is_file(), path)

    def test_color(self):
        name = self.write("a.json", scenario(IDS))
        self.assertIn("\033[", self.expect_exit(0, "run", "--color", "always", name).stdout)
        for args in [("run", "--color", "never", name), ("run", name), ("run", "--color", "auto", name)]:
            self.assertNotIn("\033[", self.expect_exit(0, *args).stdout)
        self.expect_refusal("--color: got loud, expected auto, always or never" + HINT, "run", "--color", "loud", name)

    def test_errors_as_json(self):
        for message, args in [
            ("no.json: got no such file, expected a scenario (.json or .jsonl)", ("run", "no.json")),
            ("no.shardlens does not exist", ("info", "no.shardlens")),
            ("PATH is required" + HINT, ("info",)),
        ]:
            self.assertEqual(json.loads(self.expect_exit(2, *args, "--json").stderr),
                             {"error": {"message": message}})

    def test_version(self):
        lines = self.expect_exit(0, "--version").stdout.splitlines()
        self.assertRegex(lines[0], r"^shardlens \d+\.\d+\.\d+$")
        self.assertEqual([line.split()[0] for line in lines[1:]], ["torch", "CUDA", "NCCL"])

    def test_reports_a_missing_engine(self):
        alone = shutil.copy(PROGRAM, self.folder / "shardlens")
        ended = subprocess.run([alone, "ops"], capture_output=True, text=True, check=False)
        engine = self.folder.resolve() / "shardlens-engine"
        self.assertEqual((ended.returncode, ended.stderr),
                         (2, f"shardlens: got no {engine}, which this command needs: pip installs it beside torch "
                             "2.15 or 2.11, unless engine=off is set\n"))
        self.assertEqual(subprocess.run([alone, "--version"], capture_output=True, check=False).returncode, 0)

    def test_wrong(self):
        text = self.expect_exit(0, "--help").stdout
        *names, last = re.findall(r"^  ([a-z-]+)  ", text.split("Subcommands:")[1], re.MULTILINE)
        self.expect_refusal(f"got frobnicate, expected {', '.join(names)} or {last}" + HINT, "frobnicate")
        self.expect_refusal("FILE is required" + HINT, "run")
        self.expect_refusal("The following argument was not expected: --fast" + HINT, "run", "--fast", "a")
        self.expect_refusal("--backend: got mpi, expected simulated, gloo or nccl" + HINT,
                            "run", "--backend", "mpi", "a.json")
        self.expect_refusal("--event: got two, expected the number of an event" + HINT,
                            "replay", "--event", "two", "a")
        self.expect_refusal("--socket is required" + HINT, "engine")

    def test_simulated_backend(self):
        self.expect_exit(0, "run", "--backend", "simulated", self.write("a.json", scenario(IDS)))


class Files(ProgramTest):
    def test_missing(self):
        self.expect_refusal("no.json: got no such file, expected a scenario (.json or .jsonl)",
                            "run", "no.json")
        self.expect_refusal(".: got a folder, expected a scenario (.json or .jsonl)", "run", ".")
        self.expect_refusal("no.shardlens does not exist", "replay", "no.shardlens")

    def test_wrong(self):
        for text, message in [
            ("", ":1: got an empty file, expected a scenario"),
            ('{\n"shardlens": 1,\n]', ":3: got ']', expected string literal"),
            ("[]", ":1: got [], expected a scenario in braces"),
            ("{}", ':1: got no "shardlens", expected "shardlens": 1'),
            ('\n{"shardlens": 2}', ':2: got "shardlens": 2, expected 1: '
                                   "the file is of a newer version than this program"),
            ('{"shardlens": 1}', ':1: got no "mesh", expected '
                                 '"mesh": {"shape": [2, 2], "names": ["dp", "tp"]}'),
            ('{"shardlens": 1,\n"mesh": {"shape": [2]}}',
             ':1: got no "steps", expected "steps": [{"call": ...}, ...]'),
            ('{"shardlens": 1,\n"mesh": {"shape": [0]}}',
             ":2: mesh shape: got size 0, expected at least 1"),
            ('{"shardlens": 1, "mesh": {"shape": [2]},\n"steps": [\n{"id": "a"}]}',
             ':3: a: got no "call", expected what it does, as "aten.sum"'),
        ]:
            with self.subTest(text=text):
                self.expect_refusal("a.json" + message, "run", self.write("a.json", text))
                self.expect_refusal("a.json" + message, "run", "--json", "a.json")

    def test_are_all_read_before_the_first_runs(self):
        good = self.write("good.json", scenario(IDS))
        bad = self.write("bad.jsonl", '{"shardlens": 1, "mesh": {"shape": [2]}, "steps": '
                                      '[{"call": "tensor"}]}\n\n{"shardlens": 1}\n')
        self.expect_refusal('bad.jsonl:3: got no "mesh", expected '
                            '"mesh": {"shape": [2, 2], "names": ["dp", "tp"]}', "run", good, bad)

    def test_standard_input(self):
        one = scenario(IDS, title="one")
        two = scenario(TABLE, title="two")
        for text, ids in [
            (json.dumps(one), [["x"]]),
            (json.dumps(one, indent=2), [["x"]]),
            (f"\n{json.dumps(one)}\n\n{json.dumps(two)}\n", [["x"], ["w"]]),
        ]:
            with self.subTest(text=text):
                done = self.run_program("run", "--json", "-", stdin_text=text)
                answers = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual([list(answer["results"]) for answer in answers], ids)
        done = self.run_program("run", "-", stdin_text='{"shardlens": 1,\n]')
        self.assertEqual((done.returncode, done.stderr),
                         (2, "shardlens: standard input:2: got ']', expected string literal\n"))
        done = self.run_program("run", "-", stdin_text="")
        self.assertEqual((done.returncode, done.stderr), (2, "shardlens: standard input:1: got an empty file, "
                                                             "expected a scenario\n"))

    def test_wrong_options_of_a_scenario(self):
        for key, value, expected in [
            ("masking", "lazy", '"fused" or "stepwise"'),
            ("emulate", "torch-2.14", '"torch-2.15" or "before-131264"'),
            ("planner", "best", '"greedy", "min-cost" or "decompose"'),
        ]:
            with self.subTest(key=key):
                name = self.write("a.json", {"shardlens": 1, "mesh": MESH, key: value,
                                             "steps": [IDS]})
                self.expect_refusal(f'a.json:1: got "{key}": "{value}", expected {expected}', "run", name)


if __name__ == "__main__":
    unittest.main()
