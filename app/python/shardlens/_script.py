"""Running a script as `python script` does."""
import os
import runpy
import sys


def run_as_main(script):
    """`sys.argv` is what the script is to get."""
    path = os.path.abspath(script)
    sys.path[0] = os.path.dirname(path)
    runpy.run_path(path, run_name="__main__")
