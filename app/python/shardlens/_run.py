"""`python -m shardlens run`: runs an unchanged DTensor script on the engine's ranks."""
import os
import subprocess
import sys

import torch
import torch.distributed

from . import _engine, _processes as processes
from ._record import EngineRecording
from ._redirect import redirect
from ._script import run_as_main, run_recorded

_SENDING = ["all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object",
            "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "batch_isend_irecv",
            "broadcast", "broadcast_object_list", "gather", "gather_object", "irecv", "isend",
            "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv", "recv_object_list",
            "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send",
            "send_object_list", "split_group"]


def run(ranks, script, record=None, values="all"):
    """Runs the script as `python script` would, with DTensor's names redirected to the engine's.

    `ranks` = None means one rank in each process of a launcher, and exits if there is only one
    process. A process that hosts several ranks runs the script once for all of them, and refuses it
    where it uses its rank, see SharedRank. `record` is the path of a recording, or None."""
    if ranks is not None:
        _engine.init(ranks)
    is_launched = _engine.processes() > 1
    if ranks is None and not is_launched:
        raise SystemExit("shardlens run: got no --ranks and one process, expected --ranks N, or a "
                         "start by torchrun")
    redirect()
    if not processes.host_one_rank_each():
        _stand_in_for_process_group(_engine.ranks(), _engine.rank())
    if record is None:
        run_as_main(script)
        return
    run_recorded("run", EngineRecording(record, values, program=script), script)


def run_processes(ranks, script, record=None, values="all"):
    """Starts `ranks` processes connected by Gloo, each of which runs the script for one rank. Exits
    with the code of torchrun. `record` is then the path of a folder."""
    recorded = [] if record is None else ["--record", record, "--values", values]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks),
               "-m", "shardlens", "run", *recorded, script, *sys.argv[1:]]
    environment = {"OMP_NUM_THREADS": "1", **os.environ}  # as torchrun sets it, with a warning
    raise SystemExit(subprocess.run(command, env=environment, check=False).returncode)


def _stand_in_for_process_group(ranks, rank):
    """Replaces torch.distributed's functions by those of a pretended process group of all ranks.
    Functions that send tensors raise NotImplementedError, because only redistribute() sends
    them."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks),
                      LOCAL_WORLD_SIZE=str(ranks))
    processes.refuse_rank_in_environment()
    answers = {"init_process_group": None, "destroy_process_group": None, "barrier": None,
               "monitored_barrier": None, "get_process_group_ranks": list(range(ranks)),
               "get_world_size": ranks, "get_backend": "simulated"}
    for module in (torch.distributed, torch.distributed.distributed_c10d):
        for name, answer in answers.items():
            setattr(module, name, lambda *args, _answer=answer, **kwargs: _answer)
        module.is_initialized = _is_initialized
        module.get_rank = lambda *args, **kwargs: processes.shown(rank)
        for name in _SENDING:
            setattr(module, name, _refusal(f"torch.distributed.{name}: got a call by the program"))
    torch.nn.parallel.DistributedDataParallel.__init__ = _refusal(
        "DistributedDataParallel: got a module that runs its own collectives")


def _is_initialized():
    """Returns False to torch.distributed.checkpoint if this process has all ranks, because it has
    all blocks of each tensor and needs no process group. Returns True to all other callers."""
    return _engine.processes() > 1 or not _is_checkpoint(sys._getframe(1))


def _is_checkpoint(caller):
    return caller.f_globals.get("__name__", "").startswith("torch.distributed.checkpoint")


# Returns a function that raises NotImplementedError; the message starts with `got`.
def _refusal(got):
    def refuse(*args, **kwargs):
        if _is_checkpoint(sys._getframe(1)):
            raise NotImplementedError(
                "torch.distributed.checkpoint: got several processes with several ranks each, expected one rank in "
                "each, or one process; torch.save() and torch.load() save and load the ranks of a process")
        raise NotImplementedError(
            f"{got}, expected DTensor's: this process has several ranks, and no process group; "
            "redistribute() and full_tensor() send, and `--processes` starts one process for each rank")
    return refuse
