"""Completions and manual pages generated from the help; `gallery` and `open` by name."""
import json
import re
import shutil
import subprocess
import unittest

from support import GALLERY, PROGRAM, ProgramTest

COMPLETE = """source c.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shardlens; echo "${COMPREPLY[*]}"
"""


class Help(ProgramTest):
    def commands(self):
        text = self.expect_exit(0, "--help").stdout.split("Subcommands:")[1]
        return re.findall(r"^  ([a-z-]+)  ", text, re.MULTILINE)

    def completed(self, *words):
        return subprocess.run(["bash", "-c", COMPLETE, "bash", "shardlens", *words], cwd=self.folder,
                              text=True, capture_output=True, check=True).stdout.split()

    def test_bash_completes(self):
        self.write("c.bash", self.expect_exit(0, "completion", "bash").stdout)
        self.assertEqual(self.completed(""), [*self.commands(), "--help", "--version"])
        self.assertEqual(self.completed("re"), ["replay"])
        self.assertEqual(self.completed("run", "--ba"), ["--backend"])
        self.assertEqual(self.completed("run", "--backend", ""), ["simulated", "gloo", "nccl"])
        self.assertEqual(self.completed("show", "--color", "a"), ["auto", "always"])
        self.assertEqual(self.completed("show", "a.sh"), [])  # none: bash completes file names itself

    def test_other_shells_know_every_command(self):
        for shell, named in [("zsh", "'{}:"), ("fish", "-a {} -d")]:
            text = self.expect_exit(0, "completion", shell).stdout
            for command in self.commands():
                self.assertIn(named.format(command), text)
            if shutil.which(shell):
                self.write("completion", text)
                subprocess.run([shell, "-n", "completion"], cwd=self.folder, check=True)

    def test_a_shell_that_is_not_known(self):
        self.expect_refusal("SHELL: got sh, expected bash, zsh or fish\nRun with --help for more information.",
                            "completion", "sh")

    def test_the_manual_has_a_page_a_command(self):
        (self.folder / "man").mkdir()
        self.expect_exit(0, "manual", "man")
        pages = {page.name for page in (self.folder / "man").iterdir()}
        self.assertEqual(pages, {"shardlens.1", *(f"shardlens-{name}.1" for name in self.commands())})
        run = (self.folder / "man" / "shardlens-run.1").read_text(encoding="utf-8")
        self.assertIn("\\fB\\-\\-backend\\fR \\fINAME\\fR", run)
        self.assertIn("shardlens run \\-\\-check FILE", run)
        if shutil.which("groff"):
            for page in pages:
                done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", page], text=True,
                                      cwd=self.folder / "man", capture_output=True, check=True)
                self.assertEqual(done.stderr, "", page)


class Gallery(ProgramTest):
    def test_prints_the_path_of_one(self):
        path = f"{GALLERY / '03-redistribution.json'}\n"
        for name in ("3", "03", "redistribution"):
            self.assertEqual(self.expect_exit(0, "gallery", name).stdout, path)
        self.assertEqual(self.expect_exit(1, "gallery", "99").stdout, "")


class Open(ProgramTest):
    def test_reports_a_missing_window(self):
        alone = shutil.copy(PROGRAM, self.folder / "shardlens")
        done = subprocess.run([alone, "open"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (
            2, "shardlens: the window, shardlens-gui, is not next to this program: it was not built\n"))

    def test_becomes_the_window(self):
        window = self.folder / "shardlens-gui"
        window.write_text('#!/bin/sh\necho "opened $*"\nexit 7\n', encoding="utf-8")
        window.chmod(0o755)
        alone = shutil.copy(PROGRAM, self.folder / "shardlens")
        for args, output in [(["open"], "opened \n"), (["open", "a b.shardlens"], "opened a b.shardlens\n"),
                             (["open", "job", "--steps", "3-5,8"], "opened job --steps 3-5,8\n")]:
            done = subprocess.run([alone, *args], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (7, output))


if __name__ == "__main__":
    unittest.main()
