#!/usr/bin/env python3
"""Checks which rooms the compiler sees in each target against the table of check_layers.py.

    check_targets.py BUILD_FOLDER

Prints a line per target and visible room that the table does not allow; exit status 1. check_layers.py
then checks the parts of a room, which are one target.
"""
import json
import os
import shlex
import sys

from check_layers import MAY_INCLUDE, room_of


def rooms_seen(command, build):
    """Returns the rooms in the include folders of a compile command: core/model for -Ibuild/include/core.model."""
    start = "-I" + os.path.join(build, "include") + "/"
    return {word[len(start):].replace(".", "/") for word in command if word.startswith(start)}


def rooms_allowed(folder):
    """Returns the rooms that the parts of this folder may include, with the rooms that contain them."""
    parts = [room for room in MAY_INCLUDE if (room + "/").startswith(folder + "/")]
    parts = parts or [room for room in MAY_INCLUDE if folder.startswith(room + "/")]
    allowed = {folder, *parts}.union(*(MAY_INCLUDE[part] for part in parts))
    return allowed | {room[:end] for room in allowed for end, letter in enumerate(room) if letter == "/"}


def violations(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = set()
    for entry in entries:
        command = shlex.split(entry["command"])
        output = os.path.join(entry["directory"], command[command.index("-o") + 1])
        folder, rest = os.path.relpath(output, build).split("CMakeFiles/", 1)
        if not folder or folder.startswith("tests/"):  # precompiled headers; tests see what they link
            continue
        target = rest.split(".dir/", 1)[0]
        folder = folder.rstrip("/")
        allowed = rooms_allowed(folder)
        for room in rooms_seen(command, build):
            if room not in allowed and room_of(room + "/") not in allowed:
                found.add(f"{target} of {folder} sees {room}, expected only rooms that check_layers.py allows it")
    return sorted(found)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = violations(os.path.abspath(sys.argv[1]))
    print("\n".join(found) if found else "every target sees only the rooms that it may include")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
