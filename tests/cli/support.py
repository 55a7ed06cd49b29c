"""Base class of the command-line tests: a temporary folder per test and the built program."""
import functools
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).absolute().parents[1] / "support"))
from parts import load_tests  # noqa: E402,F401

PROGRAM = os.environ["SHARDLENS_PROGRAM"]
GUI = os.environ.get("SHARDLENS_GUI", "")
TORCHRUN = os.environ.get("SHARDLENS_TORCHRUN", "")
GALLERY = pathlib.Path(__file__).parents[2] / "resources" / "gallery"
# A factor on every deadline, for machines that are too busy. The program's heartbeats have it, too.
PATIENCE = max(1, int(os.environ.get("SHARDLENS_PATIENCE", "1")))
DEADLINE = 60 * PATIENCE  # seconds; a process that hangs fails the test
MESH = {"shape": [2], "names": ["tp"]}
TABLE = {"id": "w", "call": "tensor", "data": [[1, 2], [3, 4], [5, 6]], "placements": ["S(0)"],
         "requires_grad": True}
IDS = {"id": "x", "call": "tensor", "data": [2, 0], "dtype": "int64", "placements": ["R"]}
LOOKUP = {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]}
GATHERED = {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]}


def scenario(*steps, **more):
    return {"shardlens": 1, "mesh": MESH, "steps": list(steps), **more}


# The notice that a process waits for a late one. On a busy machine it may appear at any time.
LATE = re.compile(r"^shardlens: .*\bwaiting for .*\n", re.MULTILINE)


def torchrun_runs():
    """Returns False if torchrun is missing or cannot start, as with a minimal torch."""
    try:
        subprocess.run([TORCHRUN, "--help"], capture_output=True, timeout=DEADLINE, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@functools.cache
def warm_torch():
    """Returns a Python executable with the torch of TORCHRUN or SHARDLENS_TORCH that starts with torch imported, or None
    if there is no torch that Python imports."""
    python = os.environ.get("SHARDLENS_TORCH") or str(pathlib.Path(TORCHRUN).with_name("python3"))
    from warm_python import warm_python
    try:
        return warm_python("torch", python=python)
    except (ImportError, FileNotFoundError):
        return None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment(**more):
    return {**os.environ, "NO_COLOR": "", "OMP_NUM_THREADS": "1", **more}


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def rows(self, sql, *paths):
        """Runs a query on recordings. Returns a tuple per row."""
        done = self.run_program("query", "--json", sql, *paths)
        self.assertEqual((done.returncode in (0, 1), done.stderr), (True, ""))
        return [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]

    def write_lines(self, name, contents):
        return self.write(name, "".join(json.dumps(content) + "\n" for content in contents))

    def run_program(self, *args, stdin_text=None):
        """Runs the program in the test's folder and returns the completed process. `stdin_text` is its
        standard input; None inherits the test's."""
        return subprocess.run([PROGRAM, *map(str, args)], cwd=self.folder, text=True, timeout=DEADLINE,
                              input=stdin_text, capture_output=True, env=environment(), check=False)

    def run_processes(self, count, *args, arguments_of_last=None, backend=("--backend", "gloo"),
                      **more):
        """Starts `count` processes with the environment that torchrun sets, and waits for them.

        Returns the completed processes in order. `arguments_of_last` replaces the arguments of the
        last process; `more` is added to the environment of all."""
        shared = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1",
                  "MASTER_PORT": str(free_port())}
        started = []
        for number in range(count):
            these = arguments_of_last if arguments_of_last is not None and number == count - 1 else args
            started.append(subprocess.Popen(
                [PROGRAM, "run", *backend, *map(str, these)], cwd=self.folder, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment(RANK=str(number), **shared, **more)))
        ended = []
        for process in started:
            stdout, stderr = process.communicate(timeout=DEADLINE)
            ended.append(subprocess.CompletedProcess(
                process.args, process.returncode, stdout, LATE.sub("", stderr)))
        return ended

    def torchrun(self, count, *args):
        return subprocess.run(
            [TORCHRUN, "--no-python", "--master-port", str(free_port()), "--nproc-per-node",
             str(count), PROGRAM, "run", "--backend", "gloo", *map(str, args)],
            cwd=self.folder, text=True, timeout=2 * DEADLINE, capture_output=True, env=environment(),
            check=False)

    def expect_exit(self, code, *args):
        """Runs the program and expects this exit code. Returns the completed process."""
        done = self.run_program(*args)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def expect_refusal(self, message, *args):
        """Expects exit code 2, only this message on standard error, and no standard output."""
        done = self.expect_exit(2, *args)
        if "--json" in args:
            self.assertEqual(json.loads(done.stderr), {"error": {"message": message}})
        else:
            self.assertEqual(done.stderr, "shardlens: " + message + "\n")
        self.assertEqual(done.stdout, "")

    def run_json(self, code, *args):
        """Runs `run --json` and expects this exit code. Returns an object per line of standard output."""
        lines = self.expect_exit(code, "run", "--json", *args).stdout.splitlines()
        return [json.loads(line) for line in lines]
