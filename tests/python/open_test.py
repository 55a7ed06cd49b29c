"""A recording as Python values. Requires no torch, and pandas only for frame()."""
import collections.abc
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

import shardlens
from shardlens import _open

FIRST = pathlib.Path(__file__).parent / "samples" / "first.shardlens"  # 24 events of the README's first program
RECORDING = shardlens.open(FIRST)


def ids(events):
    return [event.id for event in events]


class TheSequenceOfEvents(unittest.TestCase):
    def test_indices_are_those_of_a_list(self):
        everything = list(range(1, 25))
        self.assertEqual((len(RECORDING), ids(RECORDING), ids(RECORDING.events)), (24, everything, everything))
        for index in (0, 1, 23, -1, -24):
            self.assertEqual(RECORDING[index].id, everything[index])
        for which in (slice(5, 10), slice(None), slice(-3, None), slice(20, 99), slice(3, 20, 4), slice(None, None, -1),
                      slice(20, 3, -4), slice(8, 8), slice(99, 120), slice(10, 5), slice(0, 24, 100)):
            self.assertEqual(ids(RECORDING[which]), everything[which], which)
        self.assertEqual(RECORDING[6], RECORDING.event(7))
        self.assertEqual((RECORDING[0].kind, RECORDING[-1].name), ("Step", "relu"))

    def test_it_is_a_sequence(self):
        self.assertIsInstance(RECORDING, collections.abc.Sequence)
        self.assertEqual(ids(reversed(RECORDING)), list(range(24, 0, -1)))
        self.assertEqual(RECORDING.index(RECORDING[7]), 7)
        self.assertIn(RECORDING[-1], RECORDING)

    def test_an_index_that_is_none(self):
        for index in (24, -25):
            with self.assertRaisesRegex(IndexError, f"^Recording: got the index {index}, expected one of 24 events$"):
                RECORDING[index]
        for index in ("x", 1.0, None):
            with self.assertRaisesRegex(TypeError, f"^Recording: got {index!r}, expected an index or a slice$"):
                RECORDING[index]

    def test_going_through_it_holds_a_page(self):
        queries = []
        recording = shardlens.open(FIRST)
        with mock.patch.object(_open, "_PAGE", 10), \
                mock.patch.object(recording, "sql", lambda text: queries.append(text) or RECORDING.sql(text)):
            events = iter(recording)
            self.assertEqual((next(events).id, len(queries)), (1, 1))
            self.assertEqual((ids(events), len(queries)), (list(range(2, 25)), 4))


class Rows(unittest.TestCase):
    def test_rows_have_the_names_of_their_select(self):
        self.assertEqual(RECORDING.sql("SELECT id, kind AS what FROM events WHERE id = 2")[0]._asdict(),
                         {"id": 2, "what": "Collective"})
        self.assertEqual(RECORDING.sql("SELECT count(*) FROM events")[0][0], 24)
        self.assertEqual(RECORDING.sql("SELECT * FROM events WHERE id > 24"), [])


class WhatIsAskedWrongly(unittest.TestCase):
    def refused(self, kind, message, call, *arguments, **named):
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        self.assertIs(type(caught.exception), kind)
        self.assertEqual(str(caught.exception), message)

    def test_paths(self):
        for where, call, expected in (("open", shardlens.open, "a path"),
                                      ("view", shardlens.view, "a recording or its path")):
            self.refused(TypeError, f"{where}: got 3, expected {expected}", call, 3)
            for path in ("/nope", b"/nope", pathlib.Path("/nope")):
                self.refused(FileNotFoundError, f"[Errno 2] {where}: got a path that does not exist: '/nope'", call,
                             path)
        self.refused(TypeError, "open: got None, expected a path", shardlens.open, None)
        self.refused(ValueError, f"{__file__} is not a Shardlens recording: it is not an SQLite file",
                     shardlens.open, __file__)
        self.assertEqual(repr(shardlens.open(os.fsencode(FIRST))), repr(shardlens.open(str(FIRST))))

    def test_numbers_of_events(self):
        for where in ("event", "sentence", "story", "snapshot"):
            ask = getattr(RECORDING, where)
            first = 0 if where == "snapshot" else 1
            for number in (first - 1, 25, 10**30):
                self.refused(IndexError, f"{where}: got {number}, expected one of {first} to 24", ask, number)
            for number in ("3", 1.5):
                self.refused(TypeError, f"{where}: got {number!r}, expected the number of an event", ask, number)
            ask(first), ask(24)
        self.refused(TypeError, "event: got None, expected the number of an event", RECORDING.event, None)
        self.refused(IndexError, "snapshot: got 25, expected one of 0 to 24", RECORDING.caches, 25)

    def test_texts(self):
        self.refused(TypeError, "query: got 3, expected a query, as kind:redistribute", RECORDING.query, 3)
        self.refused(ValueError, "query: at character 1 of (: expected a closing bracket", RECORDING.query, "(")
        self.refused(TypeError, "sql: got None, expected a SELECT", RECORDING.sql, None)
        self.refused(ValueError, 'SQL: near "SELEC": syntax error, at character 1', RECORDING.sql, "SELEC")
        self.refused(ValueError, "SQL: table events may not be modified", RECORDING.sql, "UPDATE events SET id = 1")
        self.refused(TypeError, "history: got 3, expected an element, for example y[3, 1]", RECORDING.history, 3)
        self.refused(TypeError, "history: got 'x', expected the number of a step", RECORDING.history, "mm[0, 0]", "x")
        self.refused(ValueError, "history: got mm, expected an element, for example y[3, 1]", RECORDING.history, "mm")
        self.refused(ValueError, "history: got mm[4, 0], expected an index in [4, 6]", RECORDING.history, "mm[4, 0]")
        self.refused(ValueError, "history: got mm, expected a tensor of the recording that step 5 made",
                     RECORDING.history, "mm[0, 0]", step=5)

    def test_another_recording(self):
        self.refused(TypeError, "differences: got 'x', expected a recording, as open() returns it",
                     RECORDING.differences, "x")
        self.assertEqual(RECORDING.differences(shardlens.open(FIRST)), [])


class Frames(unittest.TestCase):
    def test_frame_without_pandas_names_the_remedy(self):
        with mock.patch.dict(sys.modules, pandas=None):
            with self.assertRaisesRegex(ImportError, r"^frame: got no pandas, expected it to be installed "
                                                     r"\(pip install pandas\); sql\(\) returns the same rows without "
                                                     r"pandas$"):
                RECORDING.frame()

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_have_the_names_of_the_columns(self):
        import pandas
        frame = RECORDING.frame()
        self.assertEqual((len(frame), list(frame.columns)), (24, list(RECORDING[0]._fields)))
        self.assertEqual(frame.id.tolist(), list(range(1, 25)))
        sums = RECORDING.frame("SELECT kind, count(*) FROM events WHERE kind = 'Collective' GROUP BY kind")
        self.assertEqual(sums.to_dict("records"), [{"kind": "Collective", "count(*)": 3}])
        with self.assertRaisesRegex(TypeError, "^frame: got 3, expected a SELECT$"):
            RECORDING.frame(3)
        empty = RECORDING.frame("SELECT id, name FROM events WHERE id > 24")
        self.assertEqual((len(empty), list(empty.columns)), (0, ["id", "name"]))
        for rows in (RECORDING, RECORDING.events, RECORDING[5:10], RECORDING.steps, RECORDING.problems,
                     RECORDING.history("mm[0, 0]")):
            frame = pandas.DataFrame(rows)
            self.assertEqual((len(frame), list(frame.columns)), (len(rows), list(rows[0]._fields)))


class WithoutTorch(unittest.TestCase):
    def test_functions_that_need_torch_name_the_remedy(self):
        engine = "2.15 or 2.11: install it, then `pip install --force-reinstall ./app/python`"
        command = "import runpy; sys.argv[1:] = {}; runpy.run_module('shardlens', run_name='__main__')"
        for code, expected in (("import shardlens; shardlens.init(2)", engine),
                               ("import shardlens; shardlens.record('x')", engine),
                               ("import shardlens.tensor", engine),
                               (command.format(["run", "--ranks", "2", "x.py"]), engine),
                               (command.format(["record", "x.py"]), "2.6 or later: install it")):
            ran = subprocess.run([sys.executable, "-c", f"import sys; sys.modules['torch'] = None; {code}"],
                                 capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stderr.splitlines()[-1].removeprefix("ImportError: ")),
                             (1, f"shardlens: got a Python without torch, expected torch {expected}"), code)

    def test_module_shows_the_version_of_the_program(self):
        ran = subprocess.run([sys.executable, "-m", "shardlens", "--version"], capture_output=True, text=True,
                             env={**os.environ, "SHARDLENS_PROGRAM": sys.executable})
        self.assertEqual(ran.stdout.split()[0], "Python", ran.stderr)


if __name__ == "__main__":
    unittest.main()
