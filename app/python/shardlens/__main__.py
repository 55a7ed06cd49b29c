"""python -m shardlens: runs a DTensor script on simulated ranks."""
import argparse
import sys


def main():
    parser = argparse.ArgumentParser(prog="python -m shardlens", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run", help="run a script that is written for DTensor, with nothing changed in it",
        description="Runs a Python script in which torch.distributed.tensor means shardlens.tensor, once "
                    "for all ranks, which are simulated in this process.")
    run.add_argument("--ranks", type=int, required=True, metavar="N", help="how many ranks there are")
    run.add_argument("--record", metavar="FILE", help="record what it does; the window opens the file")
    run.add_argument("--values", default="all", metavar="WHAT",
                     help="how much of what ranks hold is recorded: none, stats, all (default)")
    run.add_argument("script", help="the program")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    asked = parser.parse_args()
    if asked.ranks < 1:
        parser.error(f"--ranks: got {asked.ranks}, expected 1 or more")
    try:
        from ._run import run as run_script
    except ImportError as error:
        sys.exit(str(error))
    run_script(asked.ranks, asked.script, asked.arguments, asked.record, asked.values)


main()
