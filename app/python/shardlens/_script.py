"""Running a script as `python script` does."""
import contextlib
import os
import runpy
import sys


def run_as_main(script):
    """`sys.argv` is what the script is to get."""
    path = os.path.abspath(script)
    if not os.path.exists(path):
        sys.exit(f"{script}: no such file")
    sys.path[0] = os.path.dirname(path)
    runpy.run_path(path, run_name="__main__")


def run_recorded(command, recording, script):
    """Runs it as `run_as_main()` does, inside of the recording; where that does not begin, ends with why."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(recording)
        except (OSError, RuntimeError) as error:
            sys.exit(f"{command}: {error}")
        run_as_main(script)
