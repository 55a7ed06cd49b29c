#!/usr/bin/env python3
"""Checks the machine code of the kernels, as `cuobjdump -sass` prints it. Needs no GPU.

    check_machine_code.py CUOBJDUMP LIBRARY...

Kernels that move packs of 16 bytes may not use local memory, which holds registers that a thread has too few
of and arrays that are indexed by variables. They may store less than 16 bytes at a time only where NARROW
allows it. Prints a line per violation; exit status 1.
"""
import os
import re
import subprocess
import sys

# Kernels by a part of their mangled names, and the bytes of other stores that they may have.
NARROW = (
    (r"11ReducePacks", ()),
    (r"10MovePiecesINS1_6Word16E", ()),
    (r"8MoveRowsILi\dENS1_6Word16ENS1_12MaskedLookup", (1,)),  # the mask
    (r"10WarpLookupINS1_6Word16E", (1,)),
    (r"9AddLinkedI\w+?Li[248]E", (4, 8)),  # the list of long runs
    (r"12AddShortRunsI\w+?Li[248]EE", (4, 8)),  # the list of long runs
    (r"11AddLongRunsI", (2, 4, 8)),  # an element per thread
    (r"11SumLossRowsI.*Lb1E", (4, 8)),  # the sums
    (r"12GradLossRowsI.*Lb1E", (2, 4, 8)),  # the row's own class
    (r"10CopyBlocks", (1, 2, 4, 8)),  # addresses that are no multiple of 16
    (r"10MovePiecesI[htjm]LNS1_5SplitE0E", (1, 2, 4, 8)),  # the words after the last pack
)
# A loss corrects one element per row of its gradient.
ONE_MORE = r"12GradLossRowsI.*Lb1E"
# A GPU divides doubles by a function, which may save registers in local memory.
DIVISION = r"LossLanesId"
# A double complex number is a pack of 16 bytes that is stored as two halves.
HALVES = r"7ComplexIdE"

FUNCTION = re.compile(r"\bFunction : (\S+)")
ARCHITECTURE = re.compile(r"\barch = (\S+)")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def stored(opcode):
    """The bytes of a store to global memory, 0 for other instructions."""
    name, *parts = opcode.split(".")
    if name not in ("STG", "ST"):
        return 0
    return next((BYTES[part] for part in parts if part in BYTES), 4)


def kernels(text):
    """The kernels of this project: name, architecture and opcodes."""
    architecture, found = "?", None
    for line in text.splitlines():
        if match := ARCHITECTURE.search(line):
            architecture = match[1]
        elif match := FUNCTION.search(line):
            if found:
                yield found
            found = (match[1], architecture, [])
        elif found and (match := INSTRUCTION.match(line)):
            found[2].append(match[1])
    if found:
        yield found


def complaints(name, opcodes):
    allowed = next((allowed for part, allowed in NARROW if re.search(part, name)), None)
    if allowed is None:
        return
    local = sum(opcode.split(".")[0] in ("STL", "LDL") for opcode in opcodes)
    if local and not re.search(DIVISION, name):
        yield f"got {local} accesses to local memory, expected none"
    widths = [width for width in map(stored, opcodes) if width]
    narrow = [width for width in widths if width < 16]
    wrong = sorted({width for width in narrow if width not in allowed})
    if wrong and not re.search(HALVES, name):
        yield f"got stores of {wrong} bytes, expected 16"
    if re.search(ONE_MORE, name) and len(narrow) > 1:
        yield f"got {len(narrow)} stores of less than 16 bytes, expected 1"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, *libraries = sys.argv[1:]
    if not os.access(program, os.X_OK):  # CMake passes cuobjdump-NOTFOUND
        print(f"skipped: got no cuobjdump that runs ({program}), expected that of a CUDA toolkit or the full torch")
        return 0
    checked, wrong = set(), 0
    for library in libraries:
        done = subprocess.run([program, "-sass", library], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"cuobjdump {library}: {done.stderr.strip()}")
            return 1
        for name, architecture, opcodes in kernels(done.stdout):
            if "9shardlens7kernels" not in name:
                continue
            checked.update(part for part, _ in NARROW if re.search(part, name))
            for complaint in complaints(name, opcodes):
                print(f"{architecture} {name}: {complaint}")
                wrong += 1
    for part, _ in NARROW:
        if part not in checked:
            print(f"got no kernel whose name has {part}, expected one")
            wrong += 1
    if not wrong:
        print("kernels store packs as 16 bytes and use no local memory")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
