"""Shardlens' other programs, which the package needs for some of what it does."""
import os
import pathlib
import shutil


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
