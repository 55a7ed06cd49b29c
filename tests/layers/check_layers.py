#!/usr/bin/env python3
"""Checks every #include of the repository against the allowed dependencies of its room.

    check_layers.py FOLDER

Prints a line per forbidden include with the allowed rooms; exit status 1.
"""
import os
import re
import sys

QUERY = ["core/query/language", "core/query/sql", "core/query/problems", "core/query/history"]
JOURNAL = ["core/trace/events", "core/trace/journal", "core/trace/recorder"]
MODEL = ["core/base", "core/model"]
TRACE_FILE = JOURNAL + ["core/trace/records", "core/trace/file"]
TRACE = TRACE_FILE + ["core/trace/merge", "core/trace/snapshot"]
PLAN = ["core/plan/search", "core/plan"]
COMM = ["core/comm/nccl/device", "core/comm", "core/comm/gloo", "core/comm/nccl"]
LAYOUT = ["core/tensor/values", "core/tensor/layout", "core/tensor/caches", "core/tensor/masking"]
TENSOR = LAYOUT + ["core/tensor"]
MOVING = TENSOR + ["core/tensor/events", "core/tensor/redistribute"]
BELOW_TENSOR = (MODEL + PLAN + JOURNAL + ["core/trace/records", "core/memory", "core/comm", "core/ops", "kernels"])
SESSION = (BELOW_TENSOR + COMM + ["core/cluster", "core/tensor/dispatch"] + MOVING +
           ["core/session/scenario", "core/session"])
VIEW = ["core/view/words", "core/view/tables", "core/view/timeline"]
ANSWERS = QUERY + ["core/compare", "core/edit", "core/exports", "core/handbook", "core/imports", "core/inference"]
UI = ["ui/text", "ui/scenes", "ui/models", "ui/bridge", "ui/widgets", "ui/panels", "ui/pages"]
WINDOW = MODEL + TRACE + VIEW + ANSWERS + UI + ["core/protocol", "ui/shell"]
ENGINE = SESSION + TRACE + ["core/session/engine", "core/tensor/composed"]

# Maps a room to the rooms whose headers it may include, besides its own. A folder without an entry
# belongs to the room of its parent folder.
MAY_INCLUDE = {
    "core/base": [],
    "core/model": ["core/base"],
    "core/plan": MODEL + ["core/plan/search", "core/trace/records"],
    "core/plan/search": MODEL + ["core/plan"],
    "core/trace/records": MODEL,
    "core/trace/events": MODEL + ["core/trace/records"],
    "core/trace/journal": MODEL + ["core/trace/records", "core/trace/events"],
    "core/trace/recorder": MODEL + ["core/trace/records", "core/trace/events", "core/trace/journal"],
    "core/trace/file": MODEL + JOURNAL + ["core/trace/records"],
    "core/trace/merge": MODEL + TRACE_FILE,
    "core/trace/snapshot": MODEL + JOURNAL + ["core/trace/records"],
    "core/protocol": MODEL,
    "core/query/language": MODEL + TRACE + VIEW,
    "core/inference": MODEL + TRACE + ["core/plan", "core/ops", "core/view/words", "core/view/tables"],
    "core/query/sql": MODEL + TRACE + VIEW + ["core/query/language", "core/query/problems", "core/inference"],
    "core/query/problems": MODEL + TRACE + VIEW + ["core/query/language", "core/inference"],
    "core/query/history": MODEL + TRACE + VIEW + ["core/query/language"],
    "core/compare": MODEL + TRACE + VIEW,
    "core/view/words": MODEL + PLAN + TRACE,
    "core/view/tables": MODEL + PLAN + TRACE + ["core/view/words"],
    "core/view/timeline": MODEL + PLAN + TRACE + ["core/view/words"],
    "core/exports": MODEL + TRACE + VIEW + QUERY + ["core/inference"],
    "core/edit": MODEL,
    "core/follow": MODEL + TRACE + ["core/protocol"],
    "core/handbook": ["core/base"],
    "core/checkpoints/input": ["core/base", "core/checkpoints"],
    "core/checkpoints": ["core/base", "core/checkpoints/input"],
    "core/loading": MODEL + TRACE + VIEW + ["core/checkpoints", "core/checkpoints/input", "core/inference"],
    "core/imports/input": ["core/base", "core/model", "core/trace/file"],
    "core/imports/formats": MODEL + TRACE_FILE + ["core/imports/input", "core/imports"],
    "core/imports": MODEL + TRACE_FILE + VIEW + ["core/imports/input", "core/imports/formats"],
    "kernels": [],
    "core/memory": MODEL + ["kernels"],
    "core/cluster": MODEL,
    "core/comm": MODEL + PLAN + JOURNAL + ["core/memory"],
    "core/comm/gloo": MODEL + ["core/memory", "core/cluster", "core/comm"],
    "core/comm/nccl/device": MODEL + ["kernels"],
    "core/comm/nccl": MODEL + ["core/memory", "core/cluster", "core/comm", "core/comm/nccl/device"],
    "core/ops": MODEL + PLAN,
    "core/tensor/values": BELOW_TENSOR,
    "core/tensor/layout": BELOW_TENSOR + ["core/tensor/values"],
    "core/tensor/caches": BELOW_TENSOR + ["core/tensor/layout"],
    "core/tensor/masking": BELOW_TENSOR + ["core/tensor/values", "core/tensor/caches"],
    "core/tensor": BELOW_TENSOR + LAYOUT,
    "core/tensor/events": BELOW_TENSOR + TENSOR,
    "core/tensor/redistribute": BELOW_TENSOR + TENSOR + ["core/tensor/events"],
    "core/tensor/local": BELOW_TENSOR + TENSOR,
    "core/tensor/composed": BELOW_TENSOR + MOVING,
    "core/tensor/dispatch": BELOW_TENSOR + MOVING + ["core/tensor/local", "core/tensor/composed"],
    "core/session/scenario": BELOW_TENSOR + MOVING,
    "core/session": SESSION,
    "core/session/engine": SESSION + TRACE + ["core/protocol"],
    "core/legacy": SESSION + ["core/tensor/local"],
    "ui/text": MODEL + TRACE + VIEW,
    "ui/scenes": MODEL + TRACE + VIEW + ["core/inference", "ui/text"],
    "ui/models": MODEL + TRACE + VIEW + ANSWERS + ["ui/text"],
    "ui/bridge": MODEL + TRACE + VIEW + ANSWERS + ["core/protocol", "ui/text"],
    "ui/widgets": MODEL + TRACE + VIEW + ANSWERS + ["ui/text", "ui/scenes", "ui/models"],
    "ui/panels": MODEL + TRACE + VIEW + ANSWERS + ["ui/text", "ui/scenes", "ui/models", "ui/widgets"],
    "ui/pages": MODEL + TRACE + VIEW + ANSWERS + ["ui/text", "ui/scenes", "ui/models", "ui/bridge", "ui/widgets"],
    "ui/shell": MODEL + TRACE + VIEW + ANSWERS + UI,
    "app/gui": WINDOW,
    "app/cli": MODEL + TRACE + VIEW + PLAN + QUERY + [
        "core/compare", "core/exports", "core/follow", "core/handbook", "core/imports", "core/inference",
        "core/protocol", "core/checkpoints", "core/checkpoints/input", "core/loading",
        "core/session/engine"],
    "app/engine": ENGINE + VIEW + ["app/cli", "core/edit", "core/legacy", "core/query/language"],
    "app/parquet": MODEL + TRACE + VIEW + PLAN + QUERY + ["app/cli", "core/session/engine"],
    "app/bench": ENGINE + ["core/imports/input", "core/imports/formats", "core/imports"],
    "app/bench/window": WINDOW + ["app/bench"],
    "app/python": ENGINE + VIEW + QUERY + ["core/compare", "core/checkpoints", "core/inference", "core/loading"],
}
USES_TORCH = ("core/memory", "core/cluster", "core/comm", "core/tensor", "core/session", "core/legacy", "app/engine",
              "app/bench", "app/python")
MAY_USE_TORCH = {room for room in MAY_INCLUDE if room.startswith(USES_TORCH)} - {
    "core/comm/nccl/device", "app/bench/window"}
MAY_USE_QT = {room for room in MAY_INCLUDE if room.startswith("ui/")} | {"app/gui", "app/bench/window"}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
TORCH = re.compile(r"(ATen|torch|c10|caffe2)/")
QT = re.compile(r"Q[A-Z]|Qt[A-Z]\w*/")
WRITTEN_WHILE_BUILDING = re.compile(r"shardlens_\w+\.h$|ui_\w+\.h$|\w+\.moc$|moc_\w+\.cpp$")
SOURCE_ENDINGS = (".h", ".cpp", ".cu", ".cuh")


def room_of(path):
    """Returns the room of a file: core/ops for core/ops/rules/view.cpp; None outside the rooms."""
    return max((room for room in MAY_INCLUDE if path.startswith(room + "/")), key=len, default=None)


def complaint(path, room, quote, header):
    """Returns why a file of this room must not include this header, or None if it may."""
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
                wrong = complaint(path, room, found[1], found[2])
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
