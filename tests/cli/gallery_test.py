"""The statements in the notes of the gallery (a test per exhibit), and the gallery's listing."""
import json
import unittest

from support import GALLERY, ProgramTest

SAMPLES = GALLERY.parents[1] / "tests" / "imports" / "samples"
FOUR = range(4)


def exhibit(number):
    (path,) = GALLERY.glob(f"{number:02}-*")
    return path


def rows_of(local, width):
    """Splits the flat data of one rank into rows: tuples of `width` elements."""
    return [tuple(local[i:i + width]) for i in range(0, len(local), width)]


class Exhibit(ProgramTest):
    def run_exhibit(self, number, code=0):
        done = self.expect_exit(code, "run", "--json", "--record", "a.shardlens", exhibit(number))
        self.answer = json.loads(done.stdout)

    def placements(self, *names):
        return [self.answer["results"][name]["placements"] for name in names]

    def held(self, name):
        """Returns the local data of each rank, in rank order."""
        return [local["data"] for local in self.answer["results"][name]["locals"]]

    def first_columns(self, name):
        """Returns the first element of each local row, per rank. The rows have three columns."""
        return [[row[0] for row in rows_of(local, 3)] for local in self.held(name)]

    def shapes(self, name):
        return [local["shape"] for local in self.answer["results"][name]["locals"]]

    def sent(self):
        return [(one["step"], one["kind"], one["count"], one["bytes"]) for one in self.answer["collectives"]]

    def look_ups(self, cache):
        """Returns (step, verdict) of each lookup in this cache."""
        return self.rows("SELECT step, verdict FROM events WHERE kind = 'CacheLookup' "
                         f"AND name = '{cache}' ORDER BY id", "a.shardlens")

    def implicit(self):
        """Returns the steps with an implicit redistribution that ran a collective."""
        return [step for step, in self.rows(
            "SELECT DISTINCT r.step FROM events c JOIN events r ON c.parent = r.id JOIN events o ON r.parent = o.id "
            "WHERE c.kind = 'Collective' AND r.kind = 'Redistribute' AND o.kind = 'Operator' ORDER BY r.step",
            "a.shardlens")]

    def problems(self):
        done = self.run_program("problems", "--json", "a.shardlens")
        return [json.loads(line)["sentence"] for line in done.stdout.splitlines()]

    def text_of(self, number):
        return " ".join(self.run_program("run", exhibit(number)).stdout.split())


class TheListOfExhibits(ProgramTest):
    def test_has_all_with_title_and_length(self):
        lines = self.expect_exit(0, "gallery", "--json").stdout.splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([each["path"] for each in found], [str(exhibit(i)) for i in range(1, 19)])
        self.assertEqual(len({each["title"] for each in found}), 18)
        self.assertEqual((found[1]["title"], found[1]["mesh"], found[1]["steps"]),
                         ("Row-wise embedding on a 2x2 mesh", "2x2", 7))
        self.assertEqual((found[17]["title"], found[17]["mesh"], found[17]["steps"]),
                         ("A deadlock: PyTorch 2.15 with two pending lookups", "4", 0))
        self.assertIn("two pending lookups  4 ranks, a recording\n", self.expect_exit(0, "gallery").stdout)

    def test_every_exhibit_has_a_note(self):
        for path in sorted(GALLERY.glob("*.json")):
            scenario = json.loads(path.read_text())
            self.assertGreaterEqual(len(scenario["notes"]), 2, path)
            self.assertGreaterEqual(sum("note" in step for step in scenario["steps"]), 4, path)


class Lookups(Exhibit):
    def test_01_a_lookup_from_ids_to_all_reduce(self):
        self.run_exhibit(1)
        self.assertEqual(self.shapes("w"), [[3, 3], [3, 3], [3, 3], [1, 3]])
        self.assertEqual(self.sent(), [("z", "all_reduce", 1, 288)])
        self.assertEqual([(each["step"], each["refcount"]) for each in self.answer["mask_buffers"]], [("y", 1), ("z", 0)])
        gradients = [local[0] for rank in FOUR for local in rows_of(self.held("g")[rank], 3)]
        self.assertEqual(gradients, [1, 0, 1, 0, 2, 0, 0, 1, 0, 1])

    def test_02_two_axes(self):
        self.run_exhibit(2)
        self.assertEqual(self.held("x"), [[0, 9, 4]] * 2 + [[4, 2, 7]] * 2)
        self.assertEqual(self.sent(), [("z", "all_reduce", 1, 144)])
        self.assertIn("all_reduce over tp, ranks {0,1} {2,3},", self.text_of(2))
        self.assertEqual(self.placements("w", "l", "g"), [["R", "S(0)"], ["P(sum)", "R"], ["P(sum)", "S(0)"]])

    def test_07_one_mask_for_one_lookup(self):
        self.run_exhibit(7, code=1)
        self.assertEqual(self.look_ups("strategy"), [(3, "Miss"), (4, "Hit")])

    def test_08_another_tables_plan(self):
        self.run_exhibit(8, code=1)
        self.assertEqual(self.look_ups("strategy"), [(4, "Miss"), (6, "Miss")])
        self.assertEqual([verdict for step, verdict in self.look_ups("plan") if step in (4, 6)], ["Miss", "Hit"])
        self.assertIn("buffer 1 materialized for x', refcount 1", self.text_of(8).split("6 b = ")[1])

    def test_12_a_sharded_embedding_with_max_norm(self):
        self.run_exhibit(12)
        self.assertEqual(self.sent(), [
            ("by_rows", "all_gather", 1, 32), ("by_rows", "reduce_scatter", 1, 256),
            ("by_columns", "all_gather", 1, 32), ("by_columns", "all_reduce", 1, 64),
            ("by_columns", "all_to_all", 1, 64)])
        after = [0, 1, 2, 3, 2, 5, 6, 7, 8, 2]
        by_rows = [row for local in self.held("rows_after") for row in rows_of(local, 4)]
        self.assertEqual(by_rows, [(value,) * 4 for value in after])
        self.assertEqual(self.held("columns_after"), [after] * 4)
        self.assertEqual(self.held("by_rows"), [[0] * 4, [2] * 4, [2] * 4, [1] * 4])
        self.assertEqual(self.held("difference"), [[0] * 4] * 4)


class Shards(Exhibit):
    def test_03_bytes_of_a_redistribution(self):
        self.run_exhibit(3)
        self.assertEqual(self.sent(), [
            ("n", "scatter", 1, 128), ("whole", "all_gather", 1, 128), ("outer", "all_gather", 1, 128),
            ("u", "all_gather", 1, 128), ("columns", "all_to_all", 1, 256), ("scattered", "reduce_scatter", 1, 512),
            ("both", "reduce_scatter", 1, 256), ("back", "all_gather", 1, 32)])
        self.assertEqual([local[0] // 4 for local in self.held("n")], [0, 2, 4, 6])
        self.assertEqual([local[0] // 4 for local in self.held("f")], [0, 4, 2, 6])
        self.assertEqual(self.shapes("uneven"), [[2, 2], [2, 2], [0], [0, 2]])
        text = self.text_of(3)
        # Both plans of "outer"; all_to_all compared with gathering; reduce_scatter with all_reduce.
        self.assertIn("(S(0), S(0)) -> (R, SS(0, 2)) -> (R, S(0)): 2 collectives, receives 64 B", text)
        self.assertIn("by all_to_all over tp, each rank receives 32 B", text)
        self.assertIn("by reduce_scatter over tp, each rank receives 64 B", text)
        self.assertIn("rather than (R, P(sum)) -> (R, R) -> (R, S(0)): 1 collective, receives 128 B", text)

    def test_09_five_rows_on_2x2(self):
        self.run_exhibit(9)
        self.assertEqual(self.first_columns("flat"), [[0, 3], [6, 9], [12], []])
        self.assertEqual(self.first_columns("nested"), [[0, 3], [6], [9], [12]])
        self.assertEqual(self.first_columns("strided"), [[0, 3], [9], [6], [12]])
        self.assertEqual(self.first_columns("reordered"), self.first_columns("nested"))
        for whole in ("whole", "strided_whole"):
            self.assertEqual(self.first_columns(whole), [[0, 3, 6, 9, 12]] * 4)
        self.assertEqual(self.placements("strided"), [["SS(0, 2)", "S(0)"]])
        self.assertEqual(self.sent(), [
            ("whole", "all_gather", 1, 60), ("strided_whole", "all_gather", 1, 60), ("reordered", "all_to_all", 1, 60),
            ("largest_whole", "all_reduce", 1, 48)])
        self.assertEqual(self.shapes("few")[3], [0, 3])
        self.assertEqual(self.placements("largest"), [["P(max)", "P(max)"]])
        self.assertEqual(self.held("largest"), [[0, 1, 2], [3, 4, 5], [6, 7, 8], ["-inf"] * 3])
        self.assertEqual(self.held("largest_whole"), [[6, 7, 8]] * 4)
        text = self.text_of(9)
        self.assertEqual(text.count("all_gather over dp_tp, ranks {0-3}, 60 B sent"), 2)
        self.assertIn("all_reduce over dp_tp, ranks {0-3}", text)
        self.assertRegex(text, r"greedy's \(SS\(0, 2\), S\(0\)\) -> .*?R.*? -> \(S\(0\), S\(0\)\): 2 collectives")

    def test_10_the_order_of_two_cuts(self):
        self.run_exhibit(10)
        first_rows = {name: [local[0] // 4 for local in self.held(name)]
                      for name in ("weight", "resharded", "dp_first", "repaired")}
        self.assertEqual(first_rows, {"weight": [0, 4, 2, 6], "resharded": [0, 4, 2, 6],
                                      "dp_first": [0, 2, 4, 6], "repaired": [0, 4, 2, 6]})
        self.assertEqual(self.placements("weight", "turned", "y"),
                         [["SS(0, 2)", "S(0)"], ["R", "S(1)"], ["S(0)", "S(1)"]])
        self.assertEqual(self.held("y"), [[6, 22, 38, 54] * 2, [70, 86, 102, 118] * 2] * 2)
        self.assertEqual(self.sent(), [("unsharded", "all_gather", 1, 128), ("dp_first_unsharded", "all_gather", 1, 128),
                                       ("repaired", "all_to_all", 1, 128)])
        text = self.text_of(10)
        self.assertIn("by all_gather over dp, each rank receives 32 B", text)
        self.assertIn("all_gather over dp, ranks {0,2} {1,3}", text)
        self.assertIn("all_gather over dp_tp: S(0), S(0) -> R, R, receives 96 B", text)

    def test_13_from_shard_to_shard(self):
        self.run_exhibit(13)
        self.assertEqual(self.sent(), [
            ("columns", "all_to_all", 1, 256), ("whole", "all_gather", 1, 256), ("back", "all_to_all", 1, 256),
            ("careless", "all_gather", 1, 256)])
        self.assertEqual(self.answer["results"]["cut"], self.answer["results"]["columns"])
        self.assertEqual(self.answer["results"]["back"], self.answer["results"]["rows"])
        self.assertEqual(self.implicit(), [8])
        text = self.text_of(13)
        self.assertIn("by all_to_all over tp, each rank receives 48 B, about 14.7 us, holds 128 B", text)
        self.assertIn("decompose's S(0) -> R -> S(1): 1 collective, receives 192 B, 14.7 us, holds 320 B", text)
        self.assertIn("R -> S(1) by slice over tp, nothing is sent", text)
        self.assertEqual(self.placements("each_row", "each_column", "careless"), [["S(0)"], ["S(1)"], ["R"]])

    def test_15_an_optimizer_on_strided_shards(self):
        self.run_exhibit(15)
        strided = ["SS(0, 2)", "S(0)"]
        self.assertEqual(self.placements("w", "g", "param", "m", "v", "scale.0"), [strided] * 6)
        self.assertEqual([local[0] // 4 for local in self.held("w")], [0, 4, 2, 6])
        self.assertEqual(self.held("g"), [[4] * 8] * 4)
        self.assertEqual({round(value, 6) for local in self.held("scale.0") for value in local}, {0.4})
        after = [round(value, 6) for value in self.held("after")[0]]
        self.assertEqual(after, [round(i - 0.1, 6) for i in range(32)])
        self.assertEqual(self.sent(), [
            ("unsharded", "all_gather", 1, 128), ("step6", "reduce_scatter", 1, 256), ("after", "all_gather", 1, 128)])
        self.assertIn("reduce_scatter over dp, ranks {0,2} {1,3}", self.text_of(15))
        # The optimizer states after the steps that write them.
        for state, value, step in (("m", 0.4, 12), ("v", 0.16, 13)):
            (last,) = self.rows(f"SELECT max(id) FROM events WHERE step = {step}", "a.shardlens")
            text = json.loads(self.expect_exit(0, "replay", "--json", "a.shardlens", "--event", last[0]).stdout)
            (held,) = [each for each in text["tensors"] if each["name"] == state][-1:]
            self.assertEqual({round(each, 6) for local in held["locals"] for each in local["data"]}, {value})


class Terms(Exhibit):
    def test_04_a_training_step(self):
        self.run_exhibit(4)
        self.assertEqual(self.sent(), [("x", "all_reduce", 1, 192), ("y", "all_reduce", 1, 192),
                                       ("step12", "all_reduce", 1, 192), ("step19", "all_reduce", 3, 832)])
        self.assertEqual(self.rows("SELECT DISTINCT step, process_group FROM events WHERE kind = 'Collective'", "a.shardlens"),
                         [(6, "tp"), (10, "tp"), (13, "tp"), (20, "dp")])
        self.assertEqual(self.placements("terms", "loss", "tableGrad"),
                         [["S(0)", "P(sum)"], ["P(avg)", "R"], ["P(sum)", "S(0)"]])
        self.assertEqual(self.look_ups("strategy")[-1], (21, "Hit"))

    def test_11_the_loss_over_the_vocabulary(self):
        self.run_exhibit(11)
        self.assertEqual(self.shapes("logits"), [[3, 3]] * 3 + [[3, 1]])
        self.assertEqual(self.rows("SELECT step, name, bytes FROM events WHERE kind = 'Collective' ORDER BY id", "a.shardlens"),
                         [(3, "all_reduce", 48), (3, "all_reduce", 96), (6, "all_gather", 120)])
        for loss in ("loss", "loss_of_gathered"):
            self.assertEqual([round(value, 4) for value, in self.held(loss)], [2.3026] * 4)
        self.assertEqual(self.placements("gradient"), [["S(1)"]])
        gradient = [[round(value, 6) for value in local] for local in self.held("gradient")]
        small, target = round(1 / 30, 6), -0.3
        self.assertEqual(gradient[0], [target] + [small] * 8)  # row 0, word 0
        self.assertEqual(gradient[1], [small] * 7 + [target, small])  # row 2, word 4
        self.assertEqual(gradient[2], [small] * 9)
        self.assertEqual(gradient[3], [small, target, small])  # row 1, word 9

    def test_14_partial_times_and_plus(self):
        self.run_exhibit(14)
        self.assertEqual(self.placements("doubled", "together", "plus", "share", "plus_share", "squared"),
                         [["P(sum)"], ["P(sum)"], ["R"], ["P(sum)"], ["P(sum)"], ["P(sum)"]])
        self.assertEqual(self.placements("mean_plus", "largest_plus", "negative", "negative_times"),
                         [["P(avg)"], ["P(max)"], ["P(min)"], ["R"]])
        self.assertEqual(self.sent(), [("plus", "all_reduce", 1, 32), ("squared", "all_reduce", 1, 32),
                                       ("negative_times", "all_reduce", 1, 32)])
        self.assertEqual(self.implicit(), [4, 8, 14])

        def worth(name, reduce):
            return [reduce(column) for column in zip(*self.held(name))]
        self.assertEqual([worth(name, sum) for name in ("p", "doubled", "together", "plus_share", "squared")],
                         [[10, 100], [20, 200], [30, 300], [11, 101], [100, 10000]])
        self.assertEqual(self.held("plus"), [[11, 101]] * 4)
        self.assertEqual(self.held("share"), [[0.25, 0.25]] * 4)
        self.assertEqual([worth(name, sum) for name in ("mean", "mean_plus")], [[10, 100], [14, 104]])
        self.assertEqual([worth("largest", max), worth("largest_plus", max), worth("negative", min)],
                         [[4, 40], [5, 41], [-4, -40]])
        self.assertEqual(self.held("negative_times"), [[-4, -40]] * 4)

    def test_17_a_small_transformer(self):
        self.run_exhibit(17)
        self.assertEqual(self.sent(), [
            ("x", "all_reduce", 1, 2048), ("attention", "all_reduce", 1, 2048), ("mlp", "all_reduce", 1, 2048),
            ("loss", "all_reduce", 2, 768), ("step41", "all_reduce", 3, 6144)])
        self.assertEqual(self.placements("normed", "q", "q_heads", "q_turned", "attended", "heads", "attention_terms"),
                         [["R"], ["S(1)"], ["S(2)"], ["S(1)"], ["S(1)"], ["S(1)"], ["P(sum)"]])
        self.assertEqual(self.placements("hidden", "mlp_terms", "logits"), [["S(1)"], ["P(sum)"], ["S(1)"]])
        for weight, grad in (("table", "table_grad"), ("wq", "wq_grad"), ("wo", "wo_grad"), ("up", "up_grad"),
                             ("down", "down_grad"), ("head", "head_grad")):
            self.assertEqual(self.placements(grad), self.placements(weight), weight)
        self.assertEqual(self.placements("gain", "gain_grad"), [["R"], ["R"]])
        self.assertEqual(self.shapes("attended"), [[1, 1, 8, 2]] * 4)  # one head per rank
        self.assertEqual(self.implicit(), [])


class Caches(Exhibit):
    def test_16_a_cache_that_never_hits_and_one_that_keeps_growing(self):
        self.run_exhibit(16)
        steps = [step.get("id") for step in json.loads(exhibit(16).read_text())["steps"]]
        strategies = [(steps[step - 1], verdict) for step, verdict in self.look_ups("strategy")]
        self.assertEqual(strategies, [("a", "Miss"), ("b", "Miss"), ("c", "Miss"), ("d", "Hit"),
                                      (None, "Miss"), (None, "Hit"),  # the learning rate
                                      *[(None, "Miss")] * 20, (None, "Miss"), (None, "Hit")])
        self.assertEqual([(steps[step - 1], verdict) for step, verdict in self.look_ups("plan")],
                         [("a_all", "Miss"), ("b_all", "Miss"), ("c_all", "Miss"), ("d_all", "Hit")])
        text = self.text_of(16)
        self.assertIn("the nearest entry has indices i64[3](R), not i64[4](R)", text)
        self.assertIn("the nearest entry has weight 1, not 0.5", text)
        self.assertEqual(self.problems(), ["the strategy cache of aten.lerp_.Scalar never hits: 20 misses; "
                                           "weight has 20 values in 20 misses"])


class ADeadlock(ProgramTest):
    def test_18_equals_the_import_of_such_a_run(self):
        """The exhibit is the imported dump with a title and notes added."""
        dumps = sorted((SAMPLES / "flight-deadlock").glob("rank_?.json"))
        self.expect_exit(0, "import", *dumps, "--into", "imported")
        self.assertEqual(self.expect_exit(0, "show", exhibit(18)).stdout,
                         self.expect_exit(0, "show", "imported").stdout)

    def test_18_names_the_waiting_and_the_awaited_ranks(self):
        lines = self.expect_exit(1, "problems", "--json", exhibit(18)).stdout.splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([each["rule"] for each in found], ["rank-that-waits"])
        self.assertTrue(found[0]["sentence"].startswith(
            "all_reduce over default_pg: ranks 0, 3 have waited for ranks 1, 2 since "), found)
        self.assertEqual(self.rows("SELECT id, name, sequence, duration IS NULL FROM events", exhibit(18)),
                         [(1, "all_reduce", 1, 0), (2, "all_reduce", 2, 1)])
        for rank, events in ((0, 2), (1, 1), (2, 1), (3, 2)):
            self.assertEqual(self.rows("SELECT count(*) FROM events", exhibit(18) / f"rank-{rank}.shardlens"), [(events,)])


if __name__ == "__main__":
    unittest.main()
