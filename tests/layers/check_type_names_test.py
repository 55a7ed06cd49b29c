"""check_type_names reports each duplicate name and nothing else."""
import os
import tempfile
import unittest

from check_type_names import doubled, types_of


def check(**files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            folder = os.path.join(root, "core", name)
            os.makedirs(folder)
            with open(os.path.join(folder, "x.h"), "w", encoding="utf-8") as file:
                file.write(text)
        return list(doubled(root))


class CheckTypeNames(unittest.TestCase):
    def test_two_kinds_of_one_name(self):
        self.assertEqual(
            check(comm="namespace shardlens {\nstruct Copy { int to; };\n}",
                  follow="namespace shardlens {\nclass Copy final : public Base<int> {\n};\n}"),
            ["shardlens::Copy is defined in core/comm/x.h and in core/follow/x.h"])
        self.assertEqual(
            check(plan="namespace shardlens {\nusing Layout = int;\n}",
                  tensor="namespace shardlens {\nenum class Layout : char { A };\n}"),
            ["shardlens::Layout is defined in core/plan/x.h and in core/tensor/x.h"])

    def test_other_namespaces_and_members_are_apart(self):
        self.assertEqual(
            check(a="namespace shardlens {\nstruct Block {};\n}",
                  b="namespace shardlens::cli {\nstruct Block {};\n}",
                  c="namespace shardlens {\nclass File {\n struct Block {};\n using Copy = int;\n};\n}",
                  d="namespace shardlens {\nclass Pool {\n using Copy = int;\n};\n}"),
            [])

    def test_declarations_and_texts_define_nothing(self):
        self.assertEqual(
            list(types_of("namespace shardlens {\nclass Copy;\n// struct Copy {\n"
                          'const char* k = "struct Copy {";\n'
                          "template <class Copy> void take(struct Copy* copy) {}\n}")), [])
        self.assertEqual(list(types_of("namespace a {\nstruct Outer::Inner {};\n}")),
                         ["a::Outer::Inner"])


if __name__ == "__main__":
    unittest.main()
