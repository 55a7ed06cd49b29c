"""What programs and libraries claim about the placements of their plain tensors, and what checkpoints show."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

try:
    import shardlens
    import torch.distributed.tensor  # noqa: F401
except (ImportError, OSError) as error:
    sys.exit(f"no torch that Python imports: {error}")
from shardlens._job import imports
from plain_programs import PROGRAMS, PlainTest, problems_of, text_of
from support import load_tests, recorded_on_four_ranks  # noqa: F401

COMMAND_LINE = pathlib.Path(shardlens.__file__).parents[2] / "bin/shardlens"


class Imports(unittest.TestCase):
    def test_a_finder_reports_a_module_and_leaves_its_loader(self):
        imported = []
        finder = imports.Finder("colorsys", imported.append)
        sys.modules.pop("colorsys", None)
        with unittest.mock.patch.object(sys, "meta_path", [finder, *sys.meta_path]):
            self.assertIsNotNone(importlib.util.find_spec("colorsys"))  # imports nothing
            module = importlib.import_module("colorsys")
        self.assertEqual(imported, [module])
        self.assertIsInstance(module.__spec__.loader, importlib.machinery.SourceFileLoader)
        self.assertIs(module.__loader__, module.__spec__.loader)
        self.assertIsNotNone(finder.find_spec("colorsys"))  # in no list of finders


class Claims(PlainTest):
    def test_claims(self):
        recording = self.recorded("claims")
        found = {(each.tensor, each.axis): each.placement for each in recording.placements()}
        self.assertEqual(found[("0", "world")], "S(1)")
        (problem,) = [each for each in recording.problems if each.rule == "claim-contradicted"]
        self.assertRegex(problem.sentence, r"states R over world \(ranks 0-3\) for \w+, which its value "
                                           r"contradicts \(0 on rank 0, "
                                           r"1 on rank 1, at local element 0\)$")
        with self.assertRaises(ValueError):
            shardlens.assert_placement(None, tp="Q")

    def test_claims_that_differ_between_ranks(self):
        self.assertEqual(problems_of(self.recorded("differing_claims")), [])
        (problem,) = problems_of(self.recorded("differing_claims", "--wrong"))
        self.assertEqual(problem.rule, "claims-differ")
        self.assertRegex(problem.sentence, r"^assert_placement states S\(0\) on ranks 0,1,3 and S\(1\) on rank 2, over tp "
                                           r"\(ranks 0,1\|2,3\) for \w+$")

    # Records a program, and checks that of the outputs and parameters `truth` holds: {tensor: (dp, tp)}. Returns the
    # recording.
    def check_claims(self, truth, program, *arguments):
        recording = self.recorded(program, *arguments)
        found = {(each.tensor, each.axis): each.type or each.placement for each in recording.placements()
                 if each.tensor in truth}
        self.assertEqual(found, {(tensor, axis): text for tensor, texts in truth.items()
                                 for axis, text in zip(("dp", "tp"), texts)})
        return recording

    # Returns the sentence of the only contradicted claim along an axis, and checks that the other rules found nothing
    # but copies of a DTensor that differ.
    def contradicted(self, recording, axis):
        problems = problems_of(recording)
        self.assertEqual({each.rule for each in problems} - {"copies-differ"}, {"claim-contradicted"})
        (sentence,) = [each.sentence for each in problems if f" over {axis} " in each.sentence]
        return sentence

    def test_specs_of_dtensors(self):
        truth = {"Enter": ("S(0)", "R"), "Up": ("S(0)", "S(1)"), "Down": ("S(0)", "P(sum)"), "Shift": ("S(0)", "R")}
        recording = self.check_claims(truth, "specs")
        self.assertEqual(problems_of(recording), [])
        why = {(each.tensor, each.axis): each.because for each in recording.placements()}
        self.assertRegex(why["Enter", "tp"], r"^to_local at script\.py:\d+$")
        self.assertRegex(
            self.contradicted(self.recorded("specs", "--wrong"), "dp"),
            r"^from_local states R over dp \(ranks 0,2\|1,3\) for .*, which its value contradicts \(\S+ on rank 1, \S+ "
            r"on rank 3, at local element 3\)$")

    def test_tp_plans(self):
        layers = [f"model.layers.{layer}." for layer in range(2)]
        truth = {"model.norm.weight": ("R", "R"), "model.table.weight": ("R", "R")}
        for layer in layers:
            truth |= {layer + "up.weight": ("R", "S(0)"), layer + "up.bias": ("R", "S(0)"),
                      layer + "down.weight": ("R", "S(1)")}
        recording = self.check_claims(truth, "planned")
        self.assertEqual(problems_of(recording), [])
        why = {each.because for each in recording.placements() if each.axis == "tp" and each.role == "parameter"}
        self.assertEqual({text.split(" at ")[0] for text in why} - {"equal values"},
                         {"tp_plan colwise", "tp_plan rowwise", "tp_plan replicate"})
        self.assertRegex(
            self.contradicted(self.recorded("planned", "--wrong"), "tp"),
            r"^tp_plan replicate states R over tp \(ranks 0,1\|2,3\) for model\.norm\.weight, which its value contradicts "
            r"\(\S+ on rank 2, \S+ on rank 3, at local element 3\)$")
        (same,) = [each.sentence for each in self.recorded("planned", "--same-slice").problems
                   if each.rule == "same-slice"]
        self.assertRegex(same, r"^model\.layers\.1\.up\.weight is sharded over tp \(ranks 0,1\|2,3\), but ranks 2 and 3 "
                               r"have the same slice, which begins with \S+$")
        # Hashes show both.
        (same,) = [each.sentence for each in self.recorded("planned", "--same-slice", values="hashes").problems
                   if each.rule == "same-slice"]
        self.assertRegex(same, r"ranks 2 and 3 have the same slice, of equal hashes and the mean \S+$")
        self.assertRegex(
            self.contradicted(self.recorded("planned", "--wrong", values="hashes"), "tp"),
            r"^tp_plan replicate states R over tp \(ranks 0,1\|2,3\) for model\.norm\.weight, which its value contradicts "
            r"\(other hashes on rank 2 and rank 3, .*; record with --values all to see elements\)$")
        unsharded = self.recorded("planned", "--unsharded")
        self.assertEqual(problems_of(unsharded), [])
        self.assertEqual({each.placement for each in unsharded.placements() if each.role == "parameter"}, {"R"})

    # Records planned.py and compares it with the checkpoint of the whole model. Returns the objects that `placements`
    # prints, by the name of the tensor.
    def loaded(self, *arguments):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        saved = pathlib.Path(held.name, "saved")
        folder, _ = recorded_on_four_ranks(self, text_of("planned", f"--save={saved}", *arguments), "--plain",
                                           "--values", "all")
        ran = subprocess.run([COMMAND_LINE, "placements", folder, "--checkpoint", saved, "--json"], capture_output=True,
                             text=True, check=False)
        found = {each["tensor"]: each for each in map(json.loads, ran.stdout.splitlines())}
        for each in shardlens.open(folder).loaded(saved):
            expected = found[each.tensor]
            self.assertEqual((each.stored, each.placements, each.problems, each.not_compared),
                             tuple(expected[key] for key in ("stored", "placements", "problems", "not_compared")))
            self.assertEqual(each.slices, [(of["rank"], tuple(of["offsets"]), tuple(of["sizes"]))
                                           for of in expected["slices"]])
        self.assertEqual(ran.returncode, 1 if any(each["problems"] for each in found.values()) else 0, ran.stderr)
        self.assertEqual({each["not_compared"] for each in found.values()}, {None})
        self.assertEqual(len(found), 9)
        return found

    def test_slices_of_a_checkpoint(self):
        if not COMMAND_LINE.exists():
            self.skipTest(f"no {COMMAND_LINE}")
        found = self.loaded()
        self.assertEqual([each["problems"] for each in found.values() if each["problems"]], [])
        down = found["model.layers.0.down.weight"]
        self.assertEqual((down["stored"], down["placements"]), ("saved.model.layers.0.down.weight",
                                                                {"dp": "R", "tp": "S(1)"}))
        self.assertEqual(down["slices"][3], {"rank": 3, "offsets": [0, 3], "sizes": [4, 2]})
        name, stored = "model.layers.1.up.weight", "saved.model.layers.1.up.weight"
        second = f"rank 3 has {stored}[0:3, 0:4] of the checkpoint, the slice of rank 2, expected [3:6, 0:4]"
        for bug, problems in (
                ("--same-slice", [second]),
                ("--swapped", [f"rank 2 has {stored}[3:6, 0:4] of the checkpoint, the slice of rank 3, expected [0:3, 0:4]",
                               second])):
            wrong = self.loaded(bug)
            self.assertEqual({key: each["problems"] for key, each in wrong.items() if each["problems"]}, {name: problems})
        (problem,) = self.loaded("--wrong")["model.norm.weight"]["problems"]
        self.assertRegex(problem, r"^saved\.model\.norm\.weight: rank 3 has \S+ at local element 3, but the checkpoint has "
                                  r"\S+ there, in \[0:4\]$")

    def test_slices_that_a_job_loads(self):
        """The plan of a load by torch.distributed.checkpoint states them; the last rank of tp has fewer rows."""
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.assertEqual(problems_of(self.recorded("loading", f"{held.name}/right", values="hashes")), [])
        (problem,) = problems_of(self.recorded("loading", f"{held.name}/wrong", "down", values="hashes"))
        self.assertEqual(problem.rule, "loaded-slice")
        self.assertEqual(problem.sentence, "rank 3 loads down[0:4, 0:3] of the checkpoint, expected [0:4, 4:7]")
        self.assertIn("# THE LOAD", text_of("loading").splitlines()[problem.line - 1])

    def test_spmd_types(self):
        path = f"import sys\nsys.path.append({str(PROGRAMS / 'stand_ins')!r})\n"
        for arguments in ((), ("--wrong",)):
            text = path + text_of("typed", *arguments)
            folder, _ = recorded_on_four_ranks(self, text, "--plain", "--values", "all")
            recording = shardlens.open(folder)
            found = {(each.tensor, each.axis): each.type or each.placement for each in recording.placements()}
            if arguments:
                self.assertRegex(
                    self.contradicted(recording, "tp"),
                    r"^spmd_types\.assert_type states I over tp \(ranks 0,1\|2,3\) for 0\.weight, which its value "
                    r"contradicts \(\S+ on rank 2, \S+ on rank 3, at local element 15\)$")
                continue
            self.assertEqual(problems_of(recording), [])
            self.assertEqual((found["0.weight", "dp"], found["0.weight", "tp"]), ("R", "I"))
            self.assertEqual((found["Sequential", "dp"], found["Sequential", "tp"]), ("S(0)", "R"))
            self.assertEqual((found["Own", "dp"], found["Own", "tp"]), ("V", "V"))
            self.assertEqual((found["Sum", "dp"], found["Sum", "tp"]), ("P(sum)", "R"))


if __name__ == "__main__":
    unittest.main()
