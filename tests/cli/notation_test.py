"""`--notation`: placements in the notations of other systems."""
import json
import unittest

from support import GATHERED, IDS, LOOKUP, TABLE, ProgramTest, scenario


class Notations(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED))
        self.expect_exit(0, "run", "--record", "a.shardlens", "a.json")

    def lines_of(self, command, *args):
        """Returns the output lines that state a placement: redistribute and result."""
        lines = self.expect_exit(0, command, *args, "a.shardlens").stdout.splitlines()
        return [" ".join(line.split()) for line in lines if line.strip().startswith(("redistribute", "result"))]

    def test_show_reports_the_expected_notations(self):
        self.assertEqual(self.lines_of("show"), [
            "result w: f32[3, 2](S(0)), [2, 2] on 0, [1, 2] on 1",
            "result x: i64[2](R), [2] on each rank",
            "result y: f32[2, 2](MaskP(sum, [3, 2], 0)), [2, 2] on each rank",
            "redistribute y: MaskP(sum, [3, 2], 0) -> R, explicit",
            "result z: f32[2, 2](R), [2, 2] on each rank"])
        self.assertEqual(self.lines_of("show", "--notation", "dtensor"), self.lines_of("show"))
        self.assertEqual(self.lines_of("show", "--notation", "axes"), [
            "result w: f32[3, 2](tp:S(0)), [2, 2] on 0, [1, 2] on 1",
            "result x: i64[2](tp:R), [2] on each rank",
            "result y: f32[2, 2](tp:MaskP(sum, [3, 2], 0)), [2, 2] on each rank",
            "redistribute y: tp:MaskP(sum, [3, 2], 0) -> tp:R, explicit",
            "result z: f32[2, 2](tp:R), [2, 2] on each rank"])
        masked = "P(None, None, unreduced={'tp': MaskP(sum, [3, 2], 0)})"
        self.assertEqual(self.lines_of("show", "--notation", "jax"), [
            "result w: f32[3, 2] P('tp', None), [2, 2] on 0, [1, 2] on 1",
            "result x: i64[2] P(None), [2] on each rank",
            f"result y: f32[2, 2] {masked}, [2, 2] on each rank",
            f"redistribute y: {masked} -> P(None, None), explicit",
            "result z: f32[2, 2] P(None, None), [2, 2] on each rank"])

    def test_other_commands_too(self):
        snapshot = self.expect_exit(0, "replay", "--notation", "jax", "a.shardlens").stdout
        self.assertIn("  w  f32[3, 2] P('tp', None)  since event", snapshot)
        self.assertIn("aten.embedding, f32[3, 2] P('tp', None)", snapshot)
        self.expect_exit(0, "export", "--notation", "axes", "a.shardlens", "--step", "3", "--to", "y.md")
        self.assertIn("tp:MaskP(sum, [3, 2], 0)", (self.folder / "y.md").read_text(encoding="utf-8"))

    def test_programs_read_recorded_placements(self):
        plain = self.expect_exit(0, "show", "--json", "a.shardlens").stdout.splitlines()
        jax = self.expect_exit(0, "show", "--json", "--notation", "jax", "a.shardlens").stdout.splitlines()
        names = [[json.loads(line)["name"] for line in lines] for lines in (plain, jax)]
        self.assertEqual(*names)

    def test_of_an_unknown_name_the_known_ones_are_listed(self):
        self.assertIn("--notation: got JAX, expected dtensor, axes or jax",
                      self.expect_exit(2, "show", "--notation", "JAX", "a.shardlens").stderr)


if __name__ == "__main__":
    unittest.main()
