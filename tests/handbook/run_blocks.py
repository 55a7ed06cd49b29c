#!/usr/bin/env python3
"""Runs the code blocks of README.md and of the handbook, in order, in a scratch folder per page.

    run_blocks.py [PAGE...]

blocks.py describes the blocks. A scratch folder has links to the folders of the repository, as if it were a checkout.
`python`, `python3` and `torchrun` are those of a process that has imported torch already. Prints the blocks that are
not run, with their reasons, then each failure; exit status 1. Exits with "no torch that Python imports" without one.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

from blocks import blocks_of, commands_of, missing_line

ROOT = pathlib.Path(__file__).absolute().parents[2]
BUILD = pathlib.Path(os.environ.get("SHARDLENS_BUILD", ROOT / "build"))
LINKED = ["app", "core", "resources", "tests"]
HANDBOOK = ROOT / "resources" / "handbook"
NOT_RUN = {"gpu.md": "needs a GPU", "measurements.md": "takes hours"}  # pages
DEADLINE = 120 * max(1, int(os.environ.get("SHARDLENS_PATIENCE", "1")))  # seconds for a page

sys.path.append(str(ROOT / "tests" / "support"))
from warm_python import warm_python  # noqa: E402  pylint: disable=wrong-import-position


def make_programs(folder, python):
    """Writes python, python3 and torchrun into the folder."""
    for name, options in [("python", ""), ("python3", ""), ("torchrun", "-m torch.distributed.run ")]:
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {python} {options}"$@"\n', encoding="utf-8")
        program.chmod(0o755)


def environment(programs):
    found = dict(os.environ)
    found.update(PATH=f"{programs}:{found['PATH']}", PYTHONPATH=str(BUILD / "python"), PYTHONDONTWRITEBYTECODE="1",
                 OMP_NUM_THREADS="1", QT_QPA_PLATFORM="offscreen", NO_COLOR="1", TERM="dumb")
    return found


def script_of(block):
    """Returns a shell script that runs the block and names the first command that ends with another exit code."""
    if block.language == "python":
        return f"python {block.file}\n"
    if block.language == "json":
        return f"build/bin/shardlens run --check {block.file}\n"
    script = ""
    for offset, command, code in commands_of(block.text):
        script += (f"{command}\nstatus=$?\nif [ $status -ne {code} ]; then echo \"line {block.line + offset}: exit code "
                   f"$status, expected {code}\" >&2; exit 1; fi\n")
    return script


class Page:
    def __init__(self, path, folder, variables):
        self.path, self.folder, self.variables = path, folder, variables
        self.output = None  # of the block before

    def run(self):
        """Returns (blocks that are not run, failures), as texts."""
        skipped = []
        name = self.path.name
        if name in NOT_RUN:
            return [f"{name}: {NOT_RUN[name]}"], []
        try:
            blocks = blocks_of(self.path.read_text(encoding="utf-8"))
        except ValueError as error:
            return [], [f"{name}:{error}"]
        for link in LINKED:
            (self.folder / link).symlink_to(ROOT / link)
        (self.folder / "build").symlink_to(BUILD)
        for block in blocks:
            if block.reason:
                skipped.append(f"{name}:{block.line}: {block.reason}")
                self.output = None
                continue
            failure = self.failure_of(block)
            if failure:
                return skipped, [f"{name}:{block.line}: {failure}"]
        return skipped, []

    def failure_of(self, block):
        if block.language == "text":
            if not block.output:
                return None
            if self.output is None:
                return "expected a block before that is run"
            line = missing_line(block.text, self.output)
            return line and f"expected the line {line!r} in the output\n{self.output}"
        if block.file:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
            if block.language != "json" or '"steps"' not in block.text:
                return None
        elif block.language != "sh":
            block.file = f"block{block.line}.{'py' if block.language == 'python' else 'json'}"
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
        with open(self.folder / ".output", "w+", encoding="utf-8") as output:
            # Not a pipe: a program in the background would keep it open.
            try:
                done = subprocess.run(["bash", "-c", script_of(block)], cwd=self.folder, env=self.variables,
                                      stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                      timeout=DEADLINE, check=False)
            except subprocess.TimeoutExpired:
                return f"did not end within {DEADLINE} s"
            output.seek(0)
            self.output = output.read().replace(f"{self.folder}/", "")
        return None if done.returncode == 0 else f"exit code {done.returncode}\n{self.output}"


def main():
    paths = [pathlib.Path(name).absolute() for name in sys.argv[1:]]
    paths = paths or [ROOT / "README.md", *sorted(HANDBOOK.glob("*.md"))]
    try:
        python = warm_python("torch", python=os.environ.get("SHARDLENS_PYTHON", sys.executable))
    except (ImportError, FileNotFoundError) as error:
        sys.exit(f"no torch that Python imports: {error}")
    with tempfile.TemporaryDirectory() as scratch:
        programs = pathlib.Path(scratch, "programs")
        programs.mkdir()
        make_programs(programs, python)
        variables = environment(programs)

        def run(path):
            folder = pathlib.Path(scratch, path.stem)
            folder.mkdir()
            return Page(path, folder, variables).run()
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(run, paths))
    skipped = [line for lines, _ in results for line in lines]
    failures = [line for _, lines in results for line in lines]
    print(f"{len(skipped)} blocks are not run:", *skipped, sep="\n  ")
    print(*failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
