"""`ops`: the operators with a rule; options for caches and redistributions."""
import json
import unittest

from support import GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario


class Ops(ProgramTest):
    def test_all(self):
        lines = self.expect_exit(0, "ops").stdout.splitlines()
        names = [line.split()[0] for line in lines[:-1]]
        self.assertEqual(names, sorted(names))
        self.assertEqual(lines[-1], f"with a rule: {len(names)}")
        for name in ["aten.embedding", "aten.add.Tensor", "aten._foreach_add_.List", "aten.gather"]:
            self.assertIn(name, names)
        self.assertNotIn("aten.fractional_max_pool2d", names)

    def test_by_name(self):
        text = self.expect_exit(0, "ops", "embedding_dense").stdout
        self.assertRegex(text, r"^aten\.embedding_dense_backward +embedding")
        self.assertIn("aten::embedding_dense_backward(Tensor grad_output, Tensor indices", text)
        self.assertIn("with a rule: 1", text)

    def test_rows(self):
        text = self.expect_exit(0, "ops", "aten.mm").stdout
        self.assertIn("  f32[4, 4], f32[4, 4]\n", text)
        for row in (r"partial result +S\(1\), S\(0\) -> P\(sum\)", r"sharded +S\(0\), R -> S\(0\)",
                    r"partial +P\(sum\), R -> P\(sum\)"):
            self.assertRegex(text, "\n    " + row + "\n")
        (op,) = json.loads(self.expect_exit(0, "ops", "--json", "aten.transpose.int").stdout)["operators"]
        self.assertEqual(op["on"], ["f32[4, 4]"])
        self.assertIn({"name": "view", "inputs": ["S(0)"], "outputs": ["S(1)"]}, op["rows"])

    def test_none(self):
        self.assertEqual(self.expect_exit(1, "ops", "fractional_max").stdout,
                         "no operator with 'fractional_max' in its name has a rule\n")

    def test_json(self):
        answer = json.loads(self.expect_exit(0, "ops", "--json", "_foreach_add_.List").stdout)
        (op,) = answer["operators"]
        self.assertEqual((op["name"], op["family"], op["per_element"], op["in_place"]),
                         ("aten._foreach_add_.List", "pointwise", True, True))


class Rules(ProgramTest):
    def test_verified_caches_answer_the_same(self):
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED,
                                             {**LOOKUP, "id": "again"}))
        self.assertEqual(self.expect_exit(0, "run", "--json", name).stdout,
                         self.expect_exit(0, "run", "--json", "--verify-caches", name).stdout)

    def test_explicit_redistributions(self):
        added = {"id": "a", "call": "aten.add.Tensor", "args": ["$w", "$v"]}
        other = {**TABLE, "id": "v", "placements": ["S(1)"]}
        name = self.write("a.json", scenario(TABLE, other, added, redistributions="explicit"))
        error = json.loads(self.expect_exit(1, "run", "--json", name).stdout)["error"]
        self.assertEqual(error["step"], "a")
        self.assertIn("Implicit redistribution occurred for aten.add.Tensor", error["message"])
        free = self.write("b.json", scenario(TABLE, IDS, LOOKUP, GATHERED,
                                             redistributions="explicit"))
        self.expect_exit(0, "run", free)


class Unknown(ProgramTest):
    IMAGES = {"id": "x", "call": "tensor", "data": [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]],
              "placements": ["S(1)"], "dtype": "float32"}
    DRAWS = {"id": "d", "call": "tensor", "data": [[[0, 0], [0, 0]]], "placements": ["R"],
             "dtype": "float32"}
    POOLED = {"id": "p", "call": "aten.fractional_max_pool2d",
              "args": ["$x", [2, 2], [1, 1], "$d"]}

    def test_refused_unless_replicated(self):
        name = self.write("a.json", scenario(self.IMAGES, self.DRAWS, self.POOLED))
        for refused in ([], ["--unknown", "refuse"]):
            error = json.loads(self.expect_exit(1, "run", "--json", *refused, name).stdout)["error"]
            self.assertEqual(error["message"], "Operator aten.fractional_max_pool2d.default does "
                             "not have a sharding strategy registered.")
        answer = json.loads(self.expect_exit(0, "run", "--json", "--unknown", "replicate", name).stdout)
        pooled = answer["results"]["p.0"]
        self.assertEqual(pooled["placements"], ["R"])
        self.assertEqual([part["data"] for part in pooled["locals"]], [[4, 8], [4, 8]])
        self.expect_exit(2, "run", "--unknown", "guess", name)

    def test_is_a_problem(self):
        name = self.write("a.json", scenario(self.IMAGES, self.DRAWS, self.POOLED))
        self.expect_exit(0, "run", "--unknown", "replicate", "--record", "a.shardlens", name)
        self.assertIn("aten.fractional_max_pool2d has no sharding rule: every rank ran it on replicated "
                      "inputs", self.run_program("problems", "a.shardlens").stdout)


if __name__ == "__main__":
    unittest.main()
