#!/usr/bin/env python3
"""Checks that only core/trace/records converts the detail of an event to and from its text.

    check_details.py FOLDER

The text of a detail must be passed directly to a reader, as in readPlan(journal.detail(event)).
Only the files in FILL_IN may assign a detail. Prints a line per violation; exit status 1.
"""
import os
import re
import sys

ROOMS = ("app", "core", "ui")
ENDINGS = (".h", ".cpp")
FILL_IN = ("core/trace/recorder/event_makers.cpp", "core/trace/merge/merged_event.cpp",
           "core/trace/recorder/partial_sink.cpp", "core/trace/events/event_totals.cpp",
           "core/trace/file/upgrade.cpp",
           "core/imports/imported_rank.cpp")

# Journal::detail() takes the event. Other functions named detail() take no argument.
TAKEN = re.compile(r"(?:\.|->)\s*detail\(\s*[^\s)]")
READ = re.compile(r"\bread[A-Z]\w*\(\s*[\w.\->()\[\]]*(?:\.|->)\s*detail\($")
FILLED_IN = re.compile(r"(?:\.|->)\s*detail\s*=(?!=)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def complaints(path, text):
    text = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)

    def at(place, what):
        return f"{path}:{text.count(chr(10), 0, place) + 1}: {what}"

    for found in TAKEN.finditer(text):
        opened = text[:text.index("(", found.start()) + 1]
        if not READ.search(opened[-200:]):
            yield at(found.start(), "takes the text of a detail, "
                                    "expected a reader of core/trace/records around it")
    for found in FILLED_IN.finditer(text):
        if path not in FILL_IN:
            yield at(found.start(), "fills in a detail, "
                                    "expected a function of core/trace/recorder/event_makers.h")


def violations(root):
    for top in ROOMS:
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(n for n in names if n.endswith(ENDINGS)):
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    yield from complaints(path, file.read())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(violations(sys.argv[1]))
    print("\n".join(found) if found else "every detail is written and read by its record")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
