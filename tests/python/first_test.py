"""The README's first program prints the output shown there. Another torch version is refused with
instructions."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import warm_python

try:
    import torch
    import shardlens.tensor  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")

README = pathlib.Path(__file__).absolute().parents[2] / "README.md"
KEPT = pathlib.Path(__file__).parent / "samples" / "first.shardlens"  # the README's picture shows it


def stable_fields(recording, folder):
    """Returns the fields of each event that are equal in every run."""
    rows = recording.sql("SELECT kind, name, detail, inputs, bytes, verdict, site FROM events")
    return [tuple(str(field).replace(folder, "") for field in row) for row in rows]


class FirstMinute(unittest.TestCase):
    def test_the_readmes_program_prints_the_readmes_output(self):
        part = README.read_text().split("The first minute, `first.py`:")[1]
        program, printed = re.findall(r"```(?:python|text)\n(.*?)```", part, re.DOTALL)[:2]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "first.py").write_text(program)
            ran = subprocess.run([sys.executable, "first.py"], cwd=folder, capture_output=True, text=True,
                                 check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertEqual(ran.stdout.replace(f"{folder}/", ""), printed)
            made = pathlib.Path(folder, "run.shardlens")
            if os.environ.get("UPDATE_GOLDEN"):
                shutil.copyfile(made, KEPT)
            kept = shardlens.open(KEPT)
            self.assertEqual(stable_fields(kept, os.path.dirname(kept.meta["path"])), stable_fields(shardlens.open(made), folder),
                             "UPDATE_GOLDEN=1 rewrites it")


class AnotherTorch(unittest.TestCase):
    def refusal(self, version):
        ran = subprocess.run([warm_python(), "-c", f"import torch; torch.__version__ = {version!r}\n"
                                                    "import shardlens\nshardlens.init(2)"],
                             capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        return ran.stderr.splitlines()[-1]

    def test_an_unsupported_torch(self):
        self.assertRegex(self.refusal("2.14.1+cpu"),
                         r"^ImportError: shardlens\.tensor was built for torch 2\.\d+\.\d+, got torch "
                         r"2\.14\.1\+cpu: install torch 2\.15 or 2\.11, then `pip install "
                         r"--force-reinstall \./app/python`$")

    def test_a_supported_torch(self):
        other = "2.11.0" if torch.__version__.startswith("2.15") else "2.15.0"
        self.assertRegex(self.refusal(other), rf"got torch {re.escape(other)}: `pip install --force-reinstall "
                                              r"\./app/python` builds it for this torch$")


if __name__ == "__main__":
    unittest.main()
