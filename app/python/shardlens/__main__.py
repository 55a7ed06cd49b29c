"""python -m shardlens: runs DTensor scripts on simulated ranks, and records jobs of torch's own DTensor. Other commands
(problems, show, query, diff, ...) are those of the program `shardlens`."""
import argparse
import importlib
import os
import sys

from ._installed import RECORDER, import_torch, program

_VALUES = "the recorded values: none, stats, hashes, all, or a rule; default: "


# Replaces this process by the program `shardlens` if the first argument is --version or one of its commands.
def _become_program(arguments):
    first = arguments[0] if arguments else "-"
    if first == "--version" or not (first.startswith("-") or first in ("run", "record", "verify")):
        try:
            shardlens = program("shardlens", "SHARDLENS_PROGRAM", "python -m shardlens " + first)
        except FileNotFoundError as error:
            sys.exit(str(error))
        os.execv(shardlens, [shardlens, *arguments])


# Parses sys.argv and runs the command; see the module.
def main():
    _become_program(sys.argv[1:])
    parser = argparse.ArgumentParser(prog="python -m shardlens", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run", help="run an unchanged DTensor script on simulated ranks",
        description="Runs a Python script with torch.distributed.tensor redirected to shardlens.tensor. The "
                    "script runs once for all ranks, which are simulated in this process. Under torchrun, "
                    "each process runs it for its own ranks: torchrun --nproc-per-node 4 -m shardlens run "
                    "train.py.")
    run.add_argument("--ranks", type=int, metavar="N",
                     help="the number of ranks; default: one for each process of torchrun")
    run.add_argument("--processes", action="store_true",
                     help="start a process for each rank, connected by Gloo: for scripts that use their rank or "
                          "call collectives")
    run.add_argument("--record", metavar="PATH",
                     help="record the run to a file that the window opens; with several processes, to a folder "
                          "with a file for each")
    run.add_argument("--values", default="all", metavar="WHAT", help=_VALUES + "all")
    record = commands.add_parser(
        "record", help="record a script under torch's own DTensor",
        description="Runs a Python script as one rank of a job, and records its DTensor operations. "
                    "torchrun starts it on all ranks: torchrun --nproc-per-node 4 -m shardlens record "
                    "train.py. If the command cannot be changed, set the environment variable "
                    "SHARDLENS_RECORD=DIR instead; SHARDLENS_VALUES, SHARDLENS_STEPS, SHARDLENS_KEEP, "
                    "SHARDLENS_OPERATORS, SHARDLENS_RANKS and SHARDLENS_MESH are then the options of these names, and "
                    "SHARDLENS_PLAIN=1 is --plain.")
    record.add_argument("-o", "--output", default="recording", metavar="DIR",
                        help="the folder for the ranks' files, which opens as one recording; default: "
                             "./recording")
    record.add_argument("--values", default="none", metavar="WHAT", help=_VALUES + "none")
    record.add_argument("--steps", default="", metavar="STEPS",
                        help="record only these steps, for example 100..110,every=50; default: all")
    record.add_argument("--keep", default="", metavar="EXTENT",
                        help="retain only the end of the job, for example 10min or 200steps, so that the disk "
                             "space is bounded. Errors, values with NaN and the signal SIGUSR1 retain what "
                             "there is in DIR/kept-REASON")
    record.add_argument("--operators", default="", metavar="STEPS",
                        help="record operators only in these steps, for example 1..3,every=10; other steps have "
                             "their collectives and errors, and cost little; default: all")
    record.add_argument("--ranks", default="", metavar="RANKS",
                        help="record only these ranks: 0-3,8, or with --mesh by axes: \"dp=0 tp=*\"; default: "
                             "all")
    record.add_argument("--mesh", default="", metavar="MESH",
                        help="the mesh of --ranks, for example 2x4:dp,tp")
    record.add_argument("--plain", action="store_true",
                        help="also record operators on plain tensors, so that `shardlens placements` can infer "
                             "their placements; slows the steps down")
    verify = commands.add_parser(
        "verify", help="compare a program on simulated ranks with the same on torch's own DTensor",
        description="Runs a Python script on simulated ranks, then under torchrun with torch's own "
                    "DTensor, and compares placements, collectives and values of all ranks. For a recording "
                    "it runs the recorded script on the other of the two. `shardlens verify` handles "
                    "scenarios and recordings of scenarios. Exit codes: 0 all is equal, "
                    "1 something differs, 2 the program did not run.")
    verify.add_argument("--ranks", type=int, metavar="N",
                        help="the number of ranks; required for a script")
    verify.add_argument("--processes", action="store_true",
                        help="start a process for each rank instead of simulating them, as run --processes")
    verify.add_argument("script", metavar="SCRIPT|RECORDING|SCENARIO",
                        help="the program to verify; scenarios end in .json or .jsonl")
    for command in (run, record, verify):
        if command is not verify:
            command.add_argument("script", help="the program")
        command.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's arguments")
    options = parser.parse_args()
    if options.command in ("run", "verify") and options.ranks is not None and options.ranks < 1:
        parser.error(f"--ranks: got {options.ranks}, expected 1 or more")
    if options.command == "run" and options.processes and options.ranks is None:
        parser.error("--processes: got no --ranks, expected --ranks N")
    try:
        if options.command == "run":
            importlib.import_module(".tensor", __package__)  # its ImportError names what is missing
            from ._run import run as run_here, run_processes
        elif options.command == "verify":
            import_torch()
            from ._verify import verify as verify_script
        else:
            import_torch(RECORDER)
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
    recording = JobRecording(options.output, options.values, options.script, steps=options.steps,
                             keep=options.keep, ranks=options.ranks, mesh=options.mesh, plain=options.plain,
                             operators=options.operators)
    run_recorded("record", recording, options.script)


main()
