#!/usr/bin/env python3
"""The CUDA kernels beside torch's own operators, measured in turns on the same GPU.

    beside_torch.py BENCH [TURNS]

BENCH is the program shardlens-gpu-bench; the python that runs this has torch with CUDA. Prints for
every case that both have the median of the turns and how many times faster ours is; before that,
what each program said of itself.
"""
import os
import re
import statistics
import subprocess
import sys

LINE = re.compile(r"^(.+?)\s+([\d.]+) us\s+([\d.]+) MB\s+([\d.]+) GB/s\s+([\d.]+) %$")


def figures(command, collected, head):
    """Runs a program. Adds (microseconds, percent of a copy) to `collected` by case, and other
    lines to `head`. Exits with the program's exit code if that is not 0."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    for line in done.stdout.splitlines():
        if found := LINE.match(line):
            name, microseconds, *_, share = found.groups()
            collected.setdefault(name, []).append((float(microseconds), float(share)))
        elif line.strip() and line not in head:
            head.append(line)


def median(collected, name, which=0):
    return statistics.median(each[which] for each in collected[name])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    turns = int(sys.argv[2]) if len(sys.argv) == 3 else 3
    theirs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_figures.py")
    ours, torch, head = {}, {}, []
    for _ in range(turns):
        figures([sys.argv[1]], ours, head)
        figures([sys.executable, theirs], torch, head)
    print("\n".join(head), "\n")
    print("| case | ours, us | of a copy, % | torch, us | times faster | compiled, us | times faster |")
    print("|---|---|---|---|---|---|---|")
    for name in ours:
        if f"{name}, eager" not in torch:
            continue
        mine = median(ours, name)
        cells = [name, f"{mine:.1f}", f"{median(ours, name, 1):.0f}"]
        for way in ("eager", "compiled"):
            key = f"{name}, {way}"
            known = key in torch
            cells.append(f"{median(torch, key):.1f}" if known else "")
            cells.append(f"{median(torch, key) / mine:.1f}" if known else "")
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
