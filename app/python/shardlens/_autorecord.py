"""Records the ranks of a job if SHARDLENS_RECORD=DIR is set in their environment.

shardlens-record.pth imports this module at Python's startup if the variable is set. Each rank is
recorded from its import of torch.distributed.tensor on. Neither the program nor its command changes.
A rank that cannot be recorded runs without being recorded, and says why on standard error.
"""
import importlib.abc
import importlib.util
import os
import sys

_NAME = "torch.distributed.tensor"
try:
    _STARTED_IN = os.getcwd()  # a relative DIR is in this folder, also if the program changes to another one
except OSError:  # removed
    _STARTED_IN = ""


# A finder that calls _start() after the first import of torch.distributed.tensor.
class _WhenImported(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != _NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            try:
                _start()
            except Exception as error:  # as of a torch that the recorder does not fit
                print(f"SHARDLENS_RECORD: this rank is not recorded: {error}", file=sys.stderr)
        spec.loader.exec_module = exec_module
        return spec


def _start():
    folder = os.environ.pop("SHARDLENS_RECORD")  # child processes of this rank are not recorded
    if not folder:
        raise ValueError("got no folder, expected SHARDLENS_RECORD=DIR")
    folder = os.path.join(_STARTED_IN, folder)
    from ._job import JobRecording
    part = {name: os.environ.get("SHARDLENS_" + name.upper(), "")
            for name in ("steps", "keep", "operators", "ranks", "mesh")}
    recording = JobRecording(folder, os.environ.get("SHARDLENS_VALUES", "none"),
                             plain=os.environ.get("SHARDLENS_PLAIN") == "1", **part)
    recording.__enter__()
    plain = sys.excepthook

    def record_error(kind, error, trace):
        recording.error(kind, error, trace)
        plain(kind, error, trace)
    sys.excepthook = record_error


if "RANK" in os.environ or "SLURM_PROCID" in os.environ:  # not in the launcher of the ranks
    sys.meta_path.insert(0, _WhenImported())
