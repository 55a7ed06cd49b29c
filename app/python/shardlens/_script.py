"""Running a script as `python script` does."""
import os
import runpy
import sys


def run_as_main(script, arguments):
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
