"""Finds optional dependencies: torch, and the other programs of Shardlens."""
import importlib
import os
import pathlib
import shutil
import sysconfig


_ENGINE = "2.15 or 2.11: install it, then `pip install --force-reinstall ./app/python`"
RECORDER = "2.6 or later: install it"


def import_torch(advice=_ENGINE):
    """Returns the module torch. Raises ImportError with `advice`, which begins with the versions that are needed, if
    torch is not installed."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(f"shardlens: got a Python without torch, expected torch {advice}", name="torch") from error


def program(name, variable, who):
    """Returns the path of the program `name`: the value of the environment variable `variable`, or
    the program of the build or the environment that this package belongs to, or one in PATH. Else
    raises FileNotFoundError, starting with `who`."""
    named = os.environ.get(variable)
    if named:
        return named
    package = pathlib.Path(__file__).absolute().parents[1]
    for folder in (package.parent / "bin", package / "bin", sysconfig.get_path("scripts")):
        if os.access(path := os.path.join(folder, name), os.X_OK):
            return path
    if found := shutil.which(name):
        return found
    raise FileNotFoundError(f"{who}: got no {name} beside {package} or in PATH, expected the program: build it "
                            f"(for the window, install this package where Qt 6 is), or set {variable} to its path")
