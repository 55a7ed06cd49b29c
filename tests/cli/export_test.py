"""`export`: each output format, and the invalid requests."""
import csv
import json
import re
import shutil
import struct
import subprocess
import unittest

from support import DEADLINE, GATHERED, GUI, IDS, LOOKUP, TABLE, ProgramTest, scenario

HINT = "\nRun with --help for more information."
CHROMIUM = shutil.which("chromium")
PRESS = """<script>
for (const key of KEYS) document.dispatchEvent(new KeyboardEvent("keydown", { key }));
</script>
"""


class Exports(ProgramTest):
    def setUp(self):
        super().setUp()
        self.record()

    def record(self, *options):
        name = self.write("a.json", scenario(TABLE, IDS, LOOKUP, GATHERED, title="a lookup"))
        self.expect_exit(0, "run", "--record", "a.shardlens", *options, name)

    def exported(self, to, *args, code=0):
        self.expect_exit(code, "export", "a.shardlens", "--to", to, *args)
        return (self.folder / to).read_bytes()

    def test_a_trace_has_the_events_of_each_rank(self):
        events = json.loads(self.exported("a.trace.json"))["traceEvents"]
        sums = [(event["pid"], event["args"]["bytes"]) for event in events
                if event["name"] == "all_reduce over tp"]
        self.assertEqual(sums, [(0, 32), (1, 32)])

    def test_a_table_is_that_of_sql(self):
        rows = list(csv.reader(self.exported("a.csv", "--table", "tensors").decode().splitlines()))
        self.assertEqual([(row[1], row[3]) for row in rows if row[1] in ("w", "y")],
                         [("w", "[3,2]"), ("y", "[2,2]")])

    def test_a_table_of_a_position_is_as_it_is_after_the_step(self):
        for step, caches in ((1, 0), (3, 1), (4, 2)):
            with self.subTest(step=step):
                rows = self.exported("a.csv", "--table", "caches", "--step", str(step))
                self.assertEqual(len(rows.splitlines()), 1 + caches)

    def test_markdown_describes_a_step(self):
        text = self.exported("a.md", "--step", "4").decode()
        self.assertTrue(text.startswith("### Step 4: `z = redistribute(y, R)`\n\na lookup, "), text)
        self.assertIn("\n| all\\_reduce over tp | {0,1} | 32 B | ", text)

    def test_safetensors_have_the_local_tensors(self):
        content = self.exported("a.safetensors", "--step", "4")
        (size,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8:8 + size])
        begin, end = header["rank1/z"]["data_offsets"]
        self.assertEqual(header["rank1/z"]["shape"], [2, 2])
        self.assertEqual(struct.unpack("<4f", content[8 + size + begin:8 + size + end]), (5, 6, 1, 2))

    def test_shards_without_elements_are_reported_as_left_out(self):
        self.record("--values", "all", "--values", "stats:tensor=z:rank=1")
        done = self.expect_exit(1, "export", "a.shardlens", "--to", "a.safetensors", "--step", "4")
        self.assertEqual(done.stderr, "shardlens: left out: rank1/z\n")
        self.assertTrue((self.folder / "a.safetensors").exists())

    def test_the_format_may_be_named(self):
        self.assertEqual(self.exported("a.txt", "--as", "csv", "--table", "meta").split(b"\r\n")[0],
                         b"key,value")

    def test_refusals_keep_the_old_file(self):
        names = "trace, csv, markdown, safetensors, pytorch, html, assertions, png, svg, parquet"
        for message, args in (
                (f'--to: got the extension ".txt", expected --as with one of {names}', ("a.txt",)),
                ("--as: got pdf, expected trace, csv, markdown, safetensors, pytorch, html, assertions, png, svg or parquet"
                 + HINT, ("a.txt", "--as", "pdf")),
                ("markdown is of one step: add --step N", ("a.md",)),
                ("--step: a trace is of the whole run: omit it", ("a.trace.json", "--step", "1")),
                ("the table events is of the whole run: omit the step", ("a.csv", "--step", "1")),
                ("--panel: expected with png and svg only", ("a.html", "--panel", "why")),
                ('--to: got the extension ".png", expected .svg', ("a.png", "--as", "svg")),
                ("--table: expected with csv only", ("a.html", "--table", "events")),
                ("--step: got 0, expected the number of a step, from 1" + HINT, ("a.md", "--step", "0")),
                ("step 9: the recording has steps 1 to 4", ("a.md", "--step", "9")),
                ("--to: got a.shardlens, expected a file that is not read", ("a.shardlens", "--as", "csv")),
                ("no/a.csv: could not be written: No such file or directory", ("no/a.csv",))):
            with self.subTest(args=args):
                kept = {}
                if args[0] != "a.shardlens" and "/" not in args[0]:
                    self.write(args[0], "as it was")
                kept = {path.name: path.read_bytes() for path in self.folder.iterdir()}
                self.expect_refusal(message, "export", "a.shardlens", "--to", *args)
                self.assertEqual(
                    {path.name: path.read_bytes() for path in self.folder.iterdir()}, kept)

    def test_help_names_formats_and_tables(self):
        shown = self.expect_exit(0, "export", "--help").stdout
        for line in ("  html          .html         a page that steps", "  lookups       cache lookups"):
            self.assertIn("\n" + line, shown)

    @unittest.skipUnless(GUI, "no window")
    def test_a_picture_is_drawn_by_the_window(self):
        self.assertIn(b">Mask buffers<", self.exported("a.svg", "--panel", "buffers", "--step", "3"))
        self.assertTrue(self.exported("a.png").startswith(b"\x89PNG"))
        done = self.expect_exit(2, "export", "a.shardlens", "--to", "no/b.png")
        self.assertTrue(done.stderr.startswith("shardlens-gui: no/b.png: "), done.stderr)

    def test_every_panel_of_the_window_can_be_drawn(self):
        shown = self.expect_exit(0, "export", "--help").stdout
        panels = re.search(r"--panel NAME:?\{(.*?)\}", shown)[1].split(",")
        self.assertEqual(len(panels), 12)
        if GUI:
            for panel in panels:
                self.exported("a.png", "--panel", panel)

    @unittest.skipUnless(CHROMIUM, "no chromium")
    def test_a_page_steps_in_a_browser(self):
        page = self.exported("a.html").decode()
        last = self.rows("SELECT max(id) FROM events", "a.shardlens")[0][0]
        for keys, place, shown in ((["End"], last, "z"), (["End", "ArrowLeft"], last - 1, "all_reduce"),
                                   (["Home"], 0, "Nothing has happened yet."),
                                   (["Home", "ArrowRight", "ArrowRight"], 2, "w")):
            with self.subTest(keys=keys):
                self.write("b.html", page + PRESS.replace("KEYS", json.dumps(keys)))
                dom = subprocess.run(
                    [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
                     f"--user-data-dir={self.folder}/profile", f"file://{self.folder}/b.html"],
                    text=True, capture_output=True, timeout=2 * DEADLINE, check=True).stdout
                self.assertIn(f">event {place} of {last}</output>", dom)
                sentence = re.search(r'<p id="sentence".*?</p>', dom)[0]
                self.assertIn(shown, sentence)


if __name__ == "__main__":
    unittest.main()
