#!/usr/bin/env python3
"""Runs a test program on a separate X server: under_xvfb.py PROGRAM [ARGUMENT...]"""
import os
import shutil
import subprocess
import sys


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if shutil.which("Xvfb") is None:
        sys.exit("no Xvfb: apt install xvfb")
    read_end, write_end = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
                          pass_fds=[write_end], stderr=subprocess.DEVNULL) as server:
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            display = pipe.readline().strip()
        if not display:
            sys.exit("Xvfb did not start")
        ran = subprocess.run(sys.argv[1:], env={**os.environ, "DISPLAY": f":{display}", "QT_QPA_PLATFORM": "xcb"},
                             check=False)
        server.terminate()
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
