"""Runs a script as `python script` does."""
import contextlib
import os
import runpy
import sys


def run_as_main(script):
    """Runs the script as __main__ in this process. Requires that `sys.argv` is set for it. Exits
    with a message if the script does not exist."""
    path = os.path.abspath(script)
    if not os.path.exists(path):
        sys.exit(f"{script}: no such file")
    sys.path[0] = os.path.dirname(path)
    runpy.run_path(path, run_name="__main__")


def run_recorded(command, recording, script):
    """As run_as_main(), inside of the context manager `recording`. Exits with a message, starting
    with `command`, if the recording cannot begin.

    Exits with 1 if the script ended with 0 but `recording.lost` says that the recording is not
    complete. The ranks of a larger job keep the exit code of the script, because a launcher ends
    the remaining ranks at the first one that fails."""
    try:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(recording)
            except (OSError, RuntimeError, ValueError) as error:
                sys.exit(f"{command}: {error}")
            run_as_main(script)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    if getattr(recording, "lost", None) and int(os.environ.get("WORLD_SIZE") or 1) == 1:
        sys.exit(1)
