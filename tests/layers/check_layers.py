#!/usr/bin/env python3
"""Checks every #include of the repository against the order of the rooms (DESIGN.md).

    check_layers.py FOLDER

prints a line for each include that goes against it and what would be allowed, exit status 1.
"""
import os
import re
import sys

BELOW_COMM = ["core/base", "core/model", "core/plan", "core/trace"]
COMM = ["core/comm/gloo", "core/comm/nccl", "core/comm"]
ENGINE = BELOW_COMM + COMM + ["core/ops", "core/tensor", "core/session"]

# Room: the rooms whose headers it may include, beside its own.
MAY_INCLUDE = {
    "core/base": [],
    "core/model": ["core/base"],
    "core/plan": ["core/base", "core/model"],
    "core/trace": ["core/base", "core/model"],
    "core/follow": ["core/base", "core/model", "core/trace"],
    "core/comm/gloo": ["core/base", "core/model", "core/trace"],
    "core/comm/nccl": ["core/base", "core/model", "kernels"],
    "core/comm": BELOW_COMM + ["core/comm/gloo", "core/comm/nccl", "kernels"],
    "core/ops": ["core/base", "core/model", "core/plan"],
    "core/tensor": BELOW_COMM + ["core/comm", "core/ops", "kernels"],
    "core/session": BELOW_COMM + COMM + ["core/ops", "core/tensor"],
    "kernels": [],
    "ui": BELOW_COMM,
    "app/gui": BELOW_COMM + ["ui"],
    "app/cli": ENGINE + ["core/follow"],
    "app/bench": ENGINE + ["kernels"],
    "app/python": ENGINE,
}
MAY_USE_TORCH = {"core/comm/gloo", "core/comm", "core/tensor", "core/session", "app/cli", "app/bench",
                 "app/python"}
MAY_USE_QT = {"ui", "app/gui"}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
TORCH = re.compile(r"(ATen|torch|c10|caffe2)/")
QT = re.compile(r"Q[A-Z]|Qt[A-Z]\w*/")
WRITTEN_WHILE_BUILDING = re.compile(r"shardlens_\w+\.h$|ui_\w+\.h$|\w+\.moc$|moc_\w+\.cpp$")
SOURCE_ENDINGS = (".h", ".cpp", ".cu", ".cuh")


def room_of(path):
    """core/model/spec.h -> core/model; ui/panels/steps.h -> ui; None outside the rooms."""
    return next((room for room in MAY_INCLUDE if path.startswith(room + "/")), None)


def complaint(room, quote, header):
    """What is wrong with this room including this header; None when it is allowed."""
    if TORCH.match(header) and room not in MAY_USE_TORCH:
        return "uses torch, allowed only in " + ", ".join(sorted(MAY_USE_TORCH))
    if QT.match(header) and room not in MAY_USE_QT:
        return "uses Qt, allowed only in " + ", ".join(sorted(MAY_USE_QT))
    other = room_of(header)
    if other and other != room and other not in MAY_INCLUDE[room]:
        return "may include only " + ", ".join([room] + MAY_INCLUDE[room])
    if not other and quote == '"' and not WRITTEN_WHILE_BUILDING.match(header):
        return 'writes an include of this project from the root, as in "core/model/spec.h"'
    return None


def violations(root):
    for top in ("app", "core", "kernels", "ui"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(n for n in names if n.endswith(SOURCE_ENDINGS)):
                path = os.path.relpath(os.path.join(folder, name), root)
                if room := room_of(path):
                    yield from violations_of_file(root, path, room)


def violations_of_file(root, path, room):
    with open(os.path.join(root, path), encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if found := INCLUDE.match(line):
                wrong = complaint(room, found[1], found[2])
                if wrong:
                    yield f"{path}:{number}: includes {found[2]}, but {room} {wrong}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(violations(sys.argv[1]))
    print("\n".join(found) if found else "every include goes downwards")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
