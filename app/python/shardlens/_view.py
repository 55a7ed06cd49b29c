"""Opens the window from a program."""
from __future__ import annotations

import os
import subprocess
import sys

from ._installed import program
from ._open import Recording, checked_path


def view(recording: str | os.PathLike[str] | Recording | None = None) -> subprocess.Popen[bytes]:
    """Opens the window on a recording: its path or a Recording. By default it opens the recording
    that the program is making, and follows it as it grows. Returns the process of the window, which
    keeps running when the program ends. Raises ValueError if nothing is given and nothing is being
    recorded."""
    path = getattr(recording, "path", recording)
    if path is None:
        makers = [sys.modules.get(f"shardlens.{name}") for name in ("_record", "_job")]
        path = next((found for maker in makers if maker and (found := maker.current_path())), None)
        if path is None:
            raise ValueError("view: got no recording, expected a path, a Recording, or a call inside of "
                             "shardlens.record()")
    path = checked_path("view", path, "a recording or its path")
    return subprocess.Popen([program("shardlens-gui", "SHARDLENS_GUI", "view"), os.fspath(path)])
