"""check_details reports each violation and nothing else."""
import unittest

from check_details import complaints

REFUSED = [
    "auto json = QJsonDocument::fromJson(bytes(journal.detail(event)));",
    "const auto detail = journal_->detail(journal.at(id));",
    "  return parsedJson(\n      journal.detail(event));",
    "event.detail = recorder.intern(text);",
    "event->detail=0;",
]
ALLOWED = [
    "steps = readPlan(journal.detail(journal.at(decision_.event))).steps;",
    "readCollective(\n    processes_[part.process].journal->detail(event));",
    "header->detail();",
    "if (event.detail == 0) return;",
    "// json::parse(journal.detail(event))",
]


class CheckDetails(unittest.TestCase):
    def test_refused(self):
        for text in REFUSED:
            with self.subTest(text=text):
                self.assertEqual(len(list(complaints("ui/models/a.cpp", "\n" + text))), 1)

    def test_names_the_line(self):
        (line,) = complaints("ui/a.cpp", "\n\nevent.detail = 3;\n")
        self.assertEqual(line[:11], "ui/a.cpp:3:")

    def test_allowed(self):
        for text in ALLOWED:
            with self.subTest(text=text):
                self.assertEqual(list(complaints("ui/models/a.cpp", text)), [])
        self.assertEqual(
            list(complaints("core/trace/recorder/event_makers.cpp", "event.detail = 3;")), [])


if __name__ == "__main__":
    unittest.main()
