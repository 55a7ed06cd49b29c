"""A folder of its own and the real program for each test."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["SHARDLENS_PROGRAM"]
GALLERY = pathlib.Path(__file__).parents[2] / "resources" / "gallery"
MESH = {"shape": [2], "names": ["tp"]}
TABLE = {"id": "w", "call": "tensor", "data": [[1, 2], [3, 4], [5, 6]], "placements": ["S(0)"],
         "requires_grad": True}
IDS = {"id": "x", "call": "tensor", "data": [2, 0], "dtype": "int64", "placements": ["R"]}
LOOKUP = {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]}
GATHERED = {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]}


def scenario(*steps, **more):
    return {"shardlens": 1, "mesh": MESH, "steps": list(steps), **more}


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

    def run_program(self, *args):
        environment = {**os.environ, "NO_COLOR": ""}
        return subprocess.run([PROGRAM, *map(str, args)], cwd=self.folder, text=True, timeout=60,
                              capture_output=True, env=environment, check=False)

    def ends(self, code, *args):
        done = self.run_program(*args)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def refuses(self, message, *args):
        """Exit code 2, the message and nothing else, and nothing on standard output."""
        done = self.ends(2, *args)
        self.assertEqual(done.stderr, "shardlens: " + message + "\n")
        self.assertEqual(done.stdout, "")

    def answers(self, code, *args):
        lines = self.ends(code, "run", "--json", *args).stdout.splitlines()
        return [json.loads(line) for line in lines]
