"""A folder of its own and the real program for each test."""
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["SHARDLENS_PROGRAM"]
GUI = os.environ.get("SHARDLENS_GUI", "")
TORCHRUN = os.environ.get("SHARDLENS_TORCHRUN", "")
GALLERY = pathlib.Path(__file__).parents[2] / "resources" / "gallery"
MESH = {"shape": [2], "names": ["tp"]}
TABLE = {"id": "w", "call": "tensor", "data": [[1, 2], [3, 4], [5, 6]], "placements": ["S(0)"],
         "requires_grad": True}
IDS = {"id": "x", "call": "tensor", "data": [2, 0], "dtype": "int64", "placements": ["R"]}
LOOKUP = {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]}
GATHERED = {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]}


def scenario(*steps, **more):
    return {"shardlens": 1, "mesh": MESH, "steps": list(steps), **more}


# One who comes late is waited for, which the others say: on a busy machine at any time.
LATE = re.compile(r"^shardlens: .*\bwaiting for .*\n", re.MULTILINE)


def torchrun_runs():
    """Beside a minimal torch it is there and cannot."""
    try:
        subprocess.run([TORCHRUN, "--help"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


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
        """What a recording answers, a tuple a row."""
        done = self.run_program("query", "--json", sql, *paths)
        self.assertEqual((done.returncode in (0, 1), done.stderr), (True, ""))
        return [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]

    def write_lines(self, name, contents):
        return self.write(name, "".join(json.dumps(content) + "\n" for content in contents))

    def run_program(self, *args, given=None):
        """With what is given on standard input."""
        return subprocess.run([PROGRAM, *map(str, args)], cwd=self.folder, text=True, timeout=60,
                              input=given, capture_output=True, env=environment(), check=False)

    def run_processes(self, count, *args, of_one=None, backend=("--backend", "gloo"), **more):
        """What each of the processes says, that are started as torchrun does; of_one changes the
        arguments of the last, `more` is more of their environment."""
        shared = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1",
                  "MASTER_PORT": str(free_port())}
        started = []
        for number in range(count):
            these = of_one if of_one is not None and number == count - 1 else args
            started.append(subprocess.Popen(
                [PROGRAM, "run", *backend, *map(str, these)], cwd=self.folder, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment(RANK=str(number), **shared, **more)))
        ended = []
        for process in started:
            stdout, stderr = process.communicate(timeout=60)
            ended.append(subprocess.CompletedProcess(
                process.args, process.returncode, stdout, LATE.sub("", stderr)))
        return ended

    def torchrun(self, count, *args):
        return subprocess.run(
            [TORCHRUN, "--no-python", "--master-port", str(free_port()), "--nproc-per-node",
             str(count), PROGRAM, "run", "--backend", "gloo", *map(str, args)],
            cwd=self.folder, text=True, timeout=120, capture_output=True, env=environment(),
            check=False)

    def ends(self, code, *args):
        done = self.run_program(*args)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def refuses(self, message, *args):
        """Exit code 2, the message and nothing else, and nothing on standard output."""
        done = self.ends(2, *args)
        if "--json" in args:
            self.assertEqual(json.loads(done.stderr), {"error": {"message": message}})
        else:
            self.assertEqual(done.stderr, "shardlens: " + message + "\n")
        self.assertEqual(done.stdout, "")

    def answers(self, code, *args):
        lines = self.ends(code, "run", "--json", *args).stdout.splitlines()
        return [json.loads(line) for line in lines]
