#!/usr/bin/env python3
"""Checks that the detail of an event is written and read in core/trace/records and nowhere else.

    check_details.py FOLDER

The text of a detail goes straight into a reader, as in readPlan(journal.detail(event)), and only
core/trace/journal/event_makers.cpp, the merge of journals and the upgrade of old ones fill one in.
Prints a line for each place where it is otherwise, exit status 1.
"""
import os
import re
import sys

ROOMS = ("app", "core", "ui")
ENDINGS = (".h", ".cpp")
FILL_IN = ("core/trace/journal/event_makers.cpp", "core/trace/merge/merged_event.cpp",
           "core/trace/file/upgrade.cpp", "core/imports/imported_rank.cpp")

# Journal::detail() takes the event; what else is called detail() takes nothing.
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
                                    "expected a function of core/trace/journal/event_makers.h")


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
