"""The window, from a program."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import typing

if typing.TYPE_CHECKING:
    from ._open import Recording


def view(recording: str | os.PathLike[str] | Recording | None = None) -> subprocess.Popen[bytes]:
    """Opens the window on a recording (its path, or what `open()` gave), or on the one that the program
    is making, as it grows. Gives the window's process, which goes on by itself."""
    path = getattr(recording, "path", recording)
    if path is None:
        makers = [sys.modules.get(f"shardlens.{name}") for name in ("_record", "_job")]
        path = next((found for maker in makers if maker and (found := maker.current_path())), None)
        if path is None:
            raise ValueError("view: got no recording, and none is being made, expected a path or a call "
                             "inside of shardlens.record()")
    return subprocess.Popen([_window(), os.fspath(path)])


def _window():
    named = os.environ.get("SHARDLENS_GUI") or shutil.which("shardlens-gui")
    if named:
        return named
    built = pathlib.Path(__file__).absolute().parents[2] / "bin" / "shardlens-gui"
    if built.exists():
        return str(built)
    raise FileNotFoundError("view: no shardlens-gui in PATH: install Shardlens' package, or name its "
                            "program in SHARDLENS_GUI")
