"""Tests of what the compiler sees, with the compile commands of the build folder:

    check_targets_test.py BUILD_FOLDER
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import check_targets

BUILD = os.path.abspath(sys.argv.pop(1))


def command_of(target):
    """Returns the command and folder with which a file of this target is compiled."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            if f"/{target}.dir/" in entry["command"]:
                return shlex.split(entry["command"]), entry["directory"]
    raise LookupError(f"{target}: expected a compile command in {BUILD}")


class Targets(unittest.TestCase):
    def compiled(self, target, header):
        """Compiles a file with this include as a file of the target. Returns what the compiler prints."""
        command, folder = command_of(target)
        with tempfile.TemporaryDirectory() as scratch:
            source = os.path.join(scratch, "source.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(f'#include "{header}"\n')
            words = list(command)
            words[words.index("-o") + 1] = os.path.join(scratch, "source.o")
            words[words.index("-c") + 1] = source
            done = subprocess.run([*words, "-fsyntax-only"], cwd=folder, capture_output=True, text=True, check=False)
            return done.returncode, done.stderr

    def test_a_header_of_a_room_below_is_found(self):
        self.assertEqual(self.compiled("shardlens_trace", "core/model/dtype.h"), (0, ""))

    def test_a_header_of_a_room_above_is_not_found(self):
        for target, header in [("shardlens_trace", "core/protocol/engine_protocol.h"),
                               ("shardlens_trace", "core/session/session.h"),
                               ("shardlens_plan", "core/ops/schema.h"),
                               ("shardlens_ui", "core/session/session.h")]:
            with self.subTest(target=target, header=header):
                code, text = self.compiled(target, header)
                self.assertNotEqual(code, 0)
                self.assertRegex(text, f"{header}(: No such file|' file not found)")

    def test_a_link_that_the_table_does_not_allow_is_reported(self):
        with tempfile.TemporaryDirectory() as build:
            line = (f"c++ -I{build}/include/core.trace -I{build}/include/core.model -I{build}/include/core.session"
                    " -o core/trace/CMakeFiles/shardlens_trace.dir/a.cpp.o -c a.cpp")
            with open(os.path.join(build, "compile_commands.json"), "w", encoding="utf-8") as file:
                json.dump([{"directory": build, "command": line}], file)
            (found,) = check_targets.violations(build)
            self.assertIn("shardlens_trace of core/trace sees core/session", found)


if __name__ == "__main__":
    unittest.main()
