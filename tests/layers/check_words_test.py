"""check_words reports each banned word and nothing else."""
import pathlib
import tempfile
import unittest

from check_words import BANNED, complaints, files_of, violations

ROOT = pathlib.Path(__file__).absolute().parents[2]


def found(text):
    return [line.split(":", 2)[1:] for line in complaints("a.h", text, BANNED)]


class Words(unittest.TestCase):
    def test_refused(self):
        for text in ["// Whoever reads it", "int toldRanks;", "int ranks_told_ = 0;", "struct SeatingPlan {};",
                     "TOLD_RANKS", "\"rank 2 heard of it\"", "where the\n// run went\n// on", "288 B put in"]:
            with self.subTest(text=text):
                self.assertEqual(len(found(text)), 1)

    def test_allowed(self):
        for text in ["stold", "toldo", "untold", "in.tellg()", "a mender", "class InANewJournal {};", "put into 3 B"]:
            with self.subTest(text=text):
                self.assertEqual(found(text), [])

    def test_names_the_line_and_the_alternative(self):
        self.assertEqual(found("a\n\nfile // that nobody reads\n"),
                         [["3", " got \"nobody\", expected " + BANNED["nobody"]]])
        self.assertEqual([line for line, _ in found("goes\n  # on, told\nanew")], ["1", "2", "3"])

    def test_every_entry_is_found_and_has_an_alternative(self):
        for entry, alternative in BANNED.items():
            self.assertEqual(len(found(f"a {entry}, b")), 1, entry)
            self.assertEqual(found(alternative), [], entry)


class Files(unittest.TestCase):
    def test_reads_all_rooms(self):
        paths = set(files_of(ROOT))
        self.assertGreaterEqual(paths, {"README.md", "core/base/check.h", "tests/run", "resources/handbook/index.md",
                                        "app/setup", "resources/gallery/03-redistribution.json"})
        self.assertFalse([path for path in paths if "check_words" in path or "samples" in path.split("/")[2:-1]
                          and path.startswith("tests/imports")])

    def test_skips_files_that_are_not_text(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "app").mkdir()
            pathlib.Path(root, "app", "a.h").write_bytes(b"\xff told")
            pathlib.Path(root, "app", "b.h").write_text("told\n", encoding="utf-8")
            pathlib.Path(root, "app", "c.png").write_text("told\n", encoding="utf-8")
            self.assertEqual([line.split(":")[0] for line in violations(root, ["told"])], ["app/b.h"])


if __name__ == "__main__":
    unittest.main()
