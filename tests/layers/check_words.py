#!/usr/bin/env python3
"""Checks that comments, names, texts and documents use none of the words in BANNED.

    check_words.py FOLDER [WORD...]

Names are split: toldRanks and told_ranks contain "told". With WORDs, checks only these entries of BANNED.
Prints a line per violation with the words to use instead; exit status 1.
"""
import os
import re
import sys

# Words and phrases without a use in this project that one of the alternatives does not serve better.
BANNED = {
    "whoever": "the caller, any client",
    "whosoever": "the caller, any client",
    "nobody": "the subject's name, and a negated verb: \"no rank reads it\"",
    "somebody": "the user, the caller, a client",
    "anybody": "the user, the caller, a client",
    "everybody": "all ranks, all clients",
    "told": "recorded, reported, given",
    "heard": "received, observed",
    "toll": "edge cost",
    "seating": "rank map",
    "surroundings": "hooks, environment",
    "reckon": "estimate, compute",
    "reckons": "estimates, computes",
    "reckoned": "estimated, computed",
    "reckoning": "estimate",
    "misreckoned": "misestimated",
    "anew": "again, or the verb alone: \"computed\"",
    "mend": "fix, repair",
    "mends": "fixes, repairs",
    "mended": "fixed, repaired",
    "lest": "so that ... not",
    "thereof": "of it, with the noun",
    "therein": "in it, with the noun",
    "whereof": "of which",
    "hither": "here",
    "thither": "there",
    "wished": "requested",
    "to be had": "available",
    "came to be": "was produced by",
    "comes to be": "is produced by",
    "going on": "running, in progress",
    "goes on": "continues",
    "went on": "continued",
    "lies as": "is placed as",
    "put in for": "sent for",
    "b put in": "B sent",
    "bytes put in": "bytes sent",
    "as it were": "nothing",
}
ROOMS = ("app", "core", "kernels", "resources", "tests", "ui", ".ci", ".github")
FILES = ("README.md", "CMakeLists.txt")
ENDINGS = (".h", ".cpp", ".cu", ".cuh", ".py", ".md", ".txt", ".cmake", ".json", ".html", ".css", ".js", ".in", ".svg",
           ".xml", ".desktop", ".sh", "")
# Data of other programs, and the files that name the words.
LEFT_OUT = ("tests/imports/samples", "tests/fuzz/corpus", "tests/layers/check_words", "build")

BETWEEN = r"[\s/#*\"'+-]+"  # also the ends of lines, and of comments and texts


def split_names(text):
    """Returns the text in lower case, with a space before each capital letter that begins a word and in place of each
    underscore. The ends of lines stay."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", text).lower()


def pattern_of(entries):
    """Returns a pattern that finds the entries in the result of split_names()."""
    each = [BETWEEN.join(map(re.escape, entry.split())) for entry in sorted(entries, key=len, reverse=True)]
    return re.compile(r"(?<![a-z])(?:" + "|".join(each) + r")(?![a-z])")


def complaints(path, text, entries):
    split = split_names(text)
    for found in pattern_of(entries).finditer(split):
        words = " ".join(re.findall(r"[a-z]+", found[0]))
        line = split.count("\n", 0, found.start()) + 1
        yield f"{path}:{line}: got \"{words}\", expected {BANNED[words]}"


def files_of(root):
    """Yields the paths of the files to check, relative to the root."""
    yield from (name for name in FILES if os.path.exists(os.path.join(root, name)))
    for room in ROOMS:
        for folder, _, names in sorted(os.walk(os.path.join(root, room))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                if os.path.splitext(name)[1] in ENDINGS and not path.startswith(LEFT_OUT) and "__pycache__" not in path:
                    yield path


def violations(root, entries):
    for path in files_of(root):
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        yield from complaints(path, text, entries)


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(BANNED):
        sys.exit(__doc__)
    entries = sys.argv[2:] or set(BANNED)
    found = list(violations(sys.argv[1], entries))
    print("\n".join(found) if found else f"none of {len(entries)} words is used")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
