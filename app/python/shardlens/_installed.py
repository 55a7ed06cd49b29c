"""What the package needs for some of what it does: torch, and Shardlens' other programs."""
import importlib
import os
import pathlib
import shutil


def import_torch():
    """torch; where there is none, the error says what to do."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError("shardlens: got a Python without torch, expected torch 2.15 or 2.11: install it, then "
                          "`pip install --force-reinstall ./app/python`", name="torch") from error


def program(name, variable, who):
    """The path of the program, which the environment may name."""
    named = os.environ.get(variable) or shutil.which(name)
    if named:
        return named
    built = pathlib.Path(__file__).absolute().parents[2] / "bin" / name
    if built.exists():
        return str(built)
    raise FileNotFoundError(f"{who}: no {name} in PATH: install Shardlens' package, or name its program in "
                            f"{variable}")
