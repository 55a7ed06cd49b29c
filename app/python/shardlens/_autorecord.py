"""SHARDLENS_RECORD=DIR in the environment of a job's ranks: each is recorded from when it imports
torch.distributed.tensor, with nothing changed in the program or its command."""
import importlib.abc
import importlib.util
import os
import sys

_NAME = "torch.distributed.tensor"


class _WhenImported(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != _NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            _start()
        spec.loader.exec_module = exec_module
        return spec


def _start():
    from ._job import JobRecording
    folder = os.environ.pop("SHARDLENS_RECORD")  # what this rank starts is no rank
    recording = JobRecording(folder, os.environ.get("SHARDLENS_VALUES", "none"))
    try:
        recording.__enter__()
    except (OSError, RuntimeError) as error:  # the job goes on
        print(f"SHARDLENS_RECORD: this rank is not recorded: {error}", file=sys.stderr)
        return
    plain = sys.excepthook

    def told(kind, error, trace):
        recording.error(kind, error, trace)
        plain(kind, error, trace)
    sys.excepthook = told


if "RANK" in os.environ or "SLURM_PROCID" in os.environ:  # else it is what starts the ranks
    sys.meta_path.insert(0, _WhenImported())
