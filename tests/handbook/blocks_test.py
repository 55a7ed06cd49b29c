"""blocks.py finds the blocks of a page and refuses others."""
import unittest

from blocks import blocks_of, commands_of, missing_line


class Blocks(unittest.TestCase):
    def test_info_strings(self):
        page = ("```sh\na\n```\n\n  ```python file=x.py\n  if b:\n    c\n  ```\n```json not-run: is a part\n{}\n```\n"
                "```text output\nd\n```\n")
        found = blocks_of(page)
        self.assertEqual([(each.line, each.language, each.text) for each in found],
                         [(2, "sh", "a\n"), (6, "python", "if b:\n  c\n"), (10, "json", "{}\n"), (13, "text", "d\n")])
        self.assertEqual([(each.file, each.output, each.reason) for each in found],
                         [(None, False, None), ("x.py", False, None), (None, False, "is a part"), (None, True, None)])

    def test_refused(self):
        for info in ["", "bash", "sh not-run", "sh not-run: ", "python x.py", "sh  file=a"]:
            with self.subTest(info=info), self.assertRaisesRegex(ValueError, "^2: "):
                blocks_of(f"text\n```{info}\na\n```\n")
        with self.assertRaisesRegex(ValueError, "without an end"):
            blocks_of("```sh\na\n")

    def test_commands(self):
        script = "# only a comment\na b  # exit code 1: found\nc \\\n  d\n\ne  # exit codes are 0\n"
        self.assertEqual(list(commands_of(script)),
                         [(1, "a b  # exit code 1: found", 1), (2, "c \\\n  d", 0), (5, "e  # exit codes are 0", 0)])

    def test_lines_of_the_output(self):
        output = "  a\nb\nc\nd\n"
        for expected in ["a\nb", "b\n...\nd\n", "\na\n\nd"]:
            self.assertIsNone(missing_line(expected, output), expected)
        self.assertEqual(missing_line("a\nx", output), "x")
        self.assertEqual(missing_line("b\na", output), "a")


if __name__ == "__main__":
    unittest.main()
