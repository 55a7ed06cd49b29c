#!/usr/bin/env python3
"""Checks that the top folder holds only the folders and files of the product, and hidden files.

    check_top_folder.py FOLDER

Looks at what git tracks: builds and recordings beside it are allowed. Prints a line per entry that
does not belong there; exit status 1.
"""
import os
import shutil
import subprocess
import sys

ALLOWED = {"app", "core", "kernels", "resources", "tests", "ui",
           "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md"}


def strangers(paths):
    """Returns the first parts of these paths that are neither allowed nor hidden, each once."""
    tops = {path.split("/")[0] for path in paths}
    return sorted(top for top in tops if top not in ALLOWED and not top.startswith("."))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not shutil.which("git") or not os.path.exists(os.path.join(sys.argv[1], ".git")):
        print(f"skipped: {sys.argv[1]} is not a git checkout, or git is not installed")
        return 0
    listing = subprocess.run(["git", "-c", "safe.directory=*", "-C", sys.argv[1], "ls-files"],
                             stdout=subprocess.PIPE, text=True, check=True)
    found = strangers(listing.stdout.splitlines())
    for top in found:
        print(f"{top}: does not belong in the top folder, which holds {', '.join(sorted(ALLOWED))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
