"""check_top_folder names what git tracks in the top folder and what does not belong there."""
import unittest

from check_top_folder import strangers


class TopFolder(unittest.TestCase):
    def test_the_parts_of_the_product_and_hidden_files_belong(self):
        self.assertEqual(strangers(["README.md", "core/README.md", ".github/CONTRIBUTING.md", ".gitignore"]), [])

    def test_each_stranger_is_named_once(self):
        self.assertEqual(strangers(["run.json", "docs/a.md", "docs/b.md", "app/run.json"]), ["docs", "run.json"])


if __name__ == "__main__":
    unittest.main()
