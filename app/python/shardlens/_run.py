"""`python -m shardlens run`: a script written for DTensor, on simulated ranks, with nothing changed."""
import os

import torch
import torch.distributed

from . import _engine
from ._record import EngineRecording
from ._redirect import redirect
from ._script import run_as_main

_SENDING = ["all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce",
            "all_to_all", "all_to_all_single", "batch_isend_irecv", "broadcast",
            "broadcast_object_list", "gather", "gather_object", "irecv", "isend", "new_group",
            "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
            "scatter_object_list", "send"]


def run(ranks, script, arguments, record=None, values="all"):
    """Runs the script as `python script` would, with DTensor's names meaning the engine's, on so many
    ranks. It runs once for all of them, and where it asks which rank it is it is told 0."""
    _engine.init(ranks)
    redirect()
    _start_process_group(ranks)
    if record is None:
        run_as_main(script, arguments)
        return
    with EngineRecording(record, values, program=script):
        run_as_main(script, arguments)


def _start_process_group(ranks):
    """The process group is there, of one process for all ranks; tensors are sent by redistribute()."""
    os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(ranks))
    answers = {"init_process_group": None, "destroy_process_group": None, "barrier": None,
               "is_initialized": True, "get_rank": 0, "get_world_size": ranks,
               "get_backend": "simulated"}
    for module in (torch.distributed, torch.distributed.distributed_c10d):
        for name, answer in answers.items():
            setattr(module, name, lambda *args, _answer=answer, **kwargs: _answer)
        for name in _SENDING:
            setattr(module, name, _refusal(name))


def _refusal(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(
            f"torch.distributed.{name}: got a call by hand, expected DTensor's: all ranks are simulated "
            "in this process, which has no process group; redistribute() and full_tensor() send")
    refuse.__name__ = name
    return refuse
