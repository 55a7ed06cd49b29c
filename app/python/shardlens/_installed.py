"""Finds optional dependencies: torch, and the other programs of Shardlens."""
import importlib
import os
import pathlib
import shutil


def import_torch():
    """Returns the module torch. Raises ImportError with advice if torch is not installed."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError("shardlens: got a Python without torch, expected torch 2.15 or 2.11: install it, then "
                          "`pip install --force-reinstall ./app/python`", name="torch") from error


def program(name, variable, who):
    """Returns the path of the program `name`: the value of the environment variable `variable`, or
    a program in PATH, or one in the build folder. Else raises FileNotFoundError, starting with
    `who`."""
    named = os.environ.get(variable) or shutil.which(name)
    if named:
        return named
    built = pathlib.Path(__file__).absolute().parents[2] / "bin" / name
    if built.exists():
        return str(built)
    raise FileNotFoundError(f"{who}: no {name} in PATH: install Shardlens' package, or set the program's path in "
                            f"{variable}")
