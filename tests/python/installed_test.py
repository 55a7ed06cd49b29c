"""The programs that pip installs with the package. PYTHONPATH is the folder that pip installed into."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import shardlens

PROGRAM = pathlib.Path(shardlens.__file__).parents[1] / "bin/shardlens"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class InstalledPrograms(unittest.TestCase):
    def test_have_the_version_of_the_package(self):
        self.assertIn(shardlens.__version__, output(PROGRAM, "--version"))

    def test_find_the_gallery_and_run_a_scenario_of_it(self):
        recording = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "lookup.shardlens"
        name = output(PROGRAM, "gallery").split()[0]
        scenario = PROGRAM.parents[1] / "share/shardlens/gallery" / f"{name}.json"
        output(PROGRAM, "run", scenario, "--record", recording)
        answers = [output(*command, "info", recording)
                   for command in ([PROGRAM], [sys.executable, "-m", "shardlens"])]
        self.assertEqual(answers[0], answers[1])
        self.assertGreater(len(shardlens.open(recording)), 0)

    def test_write_the_handbook(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        output(PROGRAM, "handbook", "--to", folder)
        self.assertIn("python.html", {page.name for page in folder.rglob("*.html")})


if __name__ == "__main__":
    unittest.main()
