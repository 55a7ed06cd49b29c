"""check_handbook reports each violation and nothing else."""
import pathlib
import unittest

from check_handbook import (COMMAND_ENTRY, anchors_of, command_complaints, contents_complaints, length_complaints,
                            link_complaints, subcommands)

ROOT = pathlib.Path(__file__).absolute().parents[2]
FILES = {"README.md", "resources/handbook/window.md", "resources/pictures/window.png"}


def links(path, text):
    return list(link_complaints(path, text, FILES.__contains__))


def commands(text):
    return list(command_complaints("README.md", text, {"run", "what-if"}, {"record"}))


class Links(unittest.TestCase):
    def test_refused(self):
        for text in ["See [the window](window.md).", "![picture](resources/pictures/none.png)",
                     "[other](../README.md)", "two [a](README.md) and [b](none.md#part)"]:
            with self.subTest(text=text):
                self.assertEqual(len(links("README.md", text)), 1)

    def test_names_the_line(self):
        (line,) = links("resources/handbook/index.md", "\n\n[page](none.md)\n")
        self.assertEqual(line[:30], "resources/handbook/index.md:3:")

    def test_allowed(self):
        for text in ["[page](window.md)", "![picture](../pictures/window.png)", "[top](../../README.md#part)",
                     "[far](https://example.org/none.md)", "`[no link](none.md)`",
                     "```text\n[no link](none.md)\n```"]:
            with self.subTest(text=text):
                self.assertEqual(links("resources/handbook/index.md", text), [])


    def test_anchors(self):
        page = "# The window\n## Run & `--check`\n```sh\n# no heading\n```\n## Twice\n## Twice\n"
        self.assertEqual(anchors_of(page), ["the-window", "run----check", "twice", "twice-1"])
        for target, count in [("window.md#twice", 0), ("window.md#none", 1), ("#twice", 0), ("#none", 1)]:
            found = list(link_complaints("resources/handbook/window.md", f"[a]({target})", FILES.__contains__,
                                         lambda path: anchors_of(page)))
            self.assertEqual(len(found), count, target)

    def test_schemes(self):
        schemes = {"gallery": {"01-one"}, "command": {"step"}}
        for target, count in [("gallery:01-one", 0), ("gallery:02", 1), ("command:fly", 1), ("mailto:a@b", 0)]:
            found = list(link_complaints("README.md", f"[a]({target})", FILES.__contains__, schemes=schemes))
            self.assertEqual(len(found), count, target)

    def test_commands_of_the_window_are_read(self):
        text = (ROOT / "ui" / "shell" / "command_catalogue.cpp").read_text(encoding="utf-8")
        self.assertGreaterEqual(set(COMMAND_ENTRY.findall(text)), {"step", "open", "present"})


class Commands(unittest.TestCase):
    def test_refused(self):
        for text in ["```sh\nbuild/bin/shardlens what FILE\n```", "```\nshardlens record FILE\n```",
                     "```sh\npython -m shardlens what-if FILE\n```", "then `shardlens fly FILE`",
                     "```sh\nshardlens run FILE && shardlens fly FILE\n```"]:
            with self.subTest(text=text):
                self.assertEqual(len(commands(text)), 1)

    def test_allowed(self):
        for text in ["```sh\nbuild/bin/shardlens run FILE  # shardlens fly\n```",
                     "```sh\nshardlens what-if FILE w\ntorchrun -m shardlens record a.py\n```",
                     "```sh\nbuild/bin/shardlens-gui fly\nshardlens COMMAND --help\n```",
                     "```text\nshardlens fly\n```", "shardlens fly", "`import shardlens`"]:
            with self.subTest(text=text):
                self.assertEqual(commands(text), [])

    def test_reads_the_subcommands(self):
        program, module = subcommands(ROOT)
        self.assertGreaterEqual(program, {"run", "what-if", "trim", "merge", "doctor"})
        self.assertEqual(module, {"run", "record", "verify"})


class Lengths(unittest.TestCase):
    def complaints(self, text):
        return list(length_complaints("README.md", text))

    def test_lines(self):
        self.assertEqual(self.complaints("a\n\n" * 75), [])
        self.assertEqual(len(self.complaints("a\n\n" * 75 + "b\n")), 1)

    def test_paragraphs(self):
        self.assertEqual(self.complaints("a\n" * 4 + "\n" + "b\n" * 4 + "- c\n" * 9 + "| d |\n" * 9), [])
        self.assertEqual(self.complaints("a\n" * 3 + "```sh\n" + "b\n" * 9 + "```\n"), [])
        (line,) = self.complaints("# title\n\n" + "a\n" * 7)
        self.assertEqual(line[:12], "README.md:7:")


class Contents(unittest.TestCase):
    def test_names_every_page(self):
        pages = ["index.md", "python.md", "window.md"]
        self.assertEqual(list(contents_complaints("h/index.md", "[a](window.md) [b](python.md#c)", pages)), [])
        self.assertEqual(list(contents_complaints("h/index.md", "[a](window.md)", pages)),
                         ["h/index.md: expected a link to python.md"])


if __name__ == "__main__":
    unittest.main()
