"""python -m shardlens: runs DTensor scripts on simulated ranks, and records jobs of torch's own DTensor."""
import argparse
import sys

from ._installed import import_torch

_VALUES = "how much of what ranks hold is recorded: none, stats, all, or a rule; the default is "


def main():
    parser = argparse.ArgumentParser(prog="python -m shardlens", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run", help="run a script that is written for DTensor, with nothing changed in it",
        description="Runs a Python script in which torch.distributed.tensor means shardlens.tensor, once "
                    "for all ranks, which are simulated in this process; or, started by torchrun, in each "
                    "process for the ranks that it has: torchrun --nproc-per-node 4 -m shardlens run "
                    "train.py.")
    run.add_argument("--ranks", type=int, metavar="N",
                     help="how many ranks there are; by default one a process of torchrun's")
    run.add_argument("--processes", action="store_true",
                     help="start a process for each rank, connected by Gloo: for scripts that use their rank or "
                          "call collectives by hand")
    run.add_argument("--record", metavar="PATH",
                     help="record what it does, to a file that the window opens, or to a folder with one "
                          "a process")
    run.add_argument("--values", default="all", metavar="WHAT", help=_VALUES + "all")
    record = commands.add_parser(
        "record", help="record a script that runs under torch's own DTensor",
        description="Runs a Python script as one rank of a job, and records what DTensor does in it. "
                    "torchrun starts it on all ranks: torchrun --nproc-per-node 4 -m shardlens record "
                    "train.py. Where the command cannot be changed, SHARDLENS_RECORD=DIR in the "
                    "environment does the same, SHARDLENS_VALUES being --values.")
    record.add_argument("-o", "--output", default="recording", metavar="DIR",
                        help="the folder of the ranks' files, which opens as one recording; the default "
                             "is ./recording")
    record.add_argument("--values", default="none", metavar="WHAT", help=_VALUES + "none")
    verify = commands.add_parser(
        "verify", help="run something here and on torch's own DTensor, and say where they part",
        description="Runs a Python script on simulated ranks, then under torchrun with torch's own "
                    "DTensor, and compares placements, collectives and values of all ranks. Of a recording "
                    "it runs the script, as that was, on the one of both that it is not of. A scenario, "
                    "and that of a recording, goes to `shardlens verify`. Exit codes: 0 all is the same, "
                    "1 something differs, 2 it did not run.")
    verify.add_argument("--ranks", type=int, metavar="N",
                        help="how many ranks a script has; those of a recording are known")
    verify.add_argument("--processes", action="store_true",
                        help="run a script in a process for each rank here, too, as run --processes")
    verify.add_argument("script", metavar="SCRIPT|RECORDING|SCENARIO",
                        help="what is verified; a scenario is a .json or .jsonl")
    for command in (run, record, verify):
        if command is not verify:
            command.add_argument("script", help="the program")
        command.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    options = parser.parse_args()
    if options.command in ("run", "verify") and options.ranks is not None and options.ranks < 1:
        parser.error(f"--ranks: got {options.ranks}, expected 1 or more")
    if options.command == "run" and options.processes and options.ranks is None:
        parser.error("--processes: got no --ranks, expected --ranks N")
    try:
        import_torch()
        if options.command == "run":
            from ._run import run as run_here, run_processes
        elif options.command == "verify":
            from ._verify import verify as verify_script
        else:
            from ._job import JobRecording
            from ._script import run_recorded
    except ImportError as error:
        sys.exit(str(error))
    if options.command == "verify":
        sys.exit(verify_script(options.ranks, options.script, options.arguments, options.processes))
    sys.argv = [options.script, *options.arguments]
    if options.command == "run":
        run_script = run_processes if options.processes else run_here
        run_script(options.ranks, options.script, options.record, options.values)
        return
    run_recorded("record", JobRecording(options.output, options.values, options.script), options.script)


main()
