"""PYTHONPATH=tests/python python -m sweep: how many of PyTorch's operators are right on sharded tensors.

Tries PyTorch's own samples (OpInfo) of each operator, forward and backward, under placements of all of
its tensors, and lays the results beside plain torch's. torch's own DTensor is tried with the same. An
operator is wrong where any combination of placements gives another result, right where one with a
sharded tensor ran, and else refused.
"""
import argparse
import multiprocessing.connection
import sys

try:
    import torch

    from . import samples, worker
except ModuleNotFoundError as missing:
    sys.exit(f"sweep: no module {missing.name}, expected PyTorch and the requirements of its samples: "
             "pip install torch numpy expecttest")

_VERDICTS = ("right", "refused", "wrong", "not tried")


class Crashed:
    """The score of an operator that killed its process."""

    first_wrong = "the process died"

    def verdict(self):
        return "wrong"


class Run:
    """The scores of one engine by operator (`scores`), from a worker process. Poll `answers` and
    call take()."""

    def __init__(self, engine, options, names):
        self.scores = {}
        self._names, self._begun = list(names), None
        self._given = (engine, options.mesh, options.dtype, (options.samples, options.combinations))
        self._start()

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self.answers, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=worker.work, daemon=True,
                                        args=(*self._given, self._names, theirs))
        self._process.start()
        theirs.close()

    def take(self):
        """Handles one message of the worker. Returns False when all operators have a score. If the
        worker has died, scores its operator as Crashed and starts another worker for the remaining
        ones."""
        try:
            answer = self.answers.recv()
        except EOFError:
            return self._end()
        if isinstance(answer, str):
            self._begun = answer
        else:
            self._put(*answer)
        return True

    def _end(self):
        self._process.join()
        if self._begun is None:
            if self._names:
                sys.exit(f"sweep: the process of {self._given[0]} ended with {self._process.exitcode}")
            return False
        self._put(self._begun, Crashed())
        self._start()
        return True

    def _put(self, name, score):
        self.scores[name] = score
        self._names.remove(name)
        self._begun = None


def _mesh(text):
    sizes = text.replace("x", ",").split(",")
    if not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise argparse.ArgumentTypeError(f"got {text}, expected sizes of 1 or more, such as 2 or 2,2")
    return tuple(map(int, sizes))


def _count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text}, expected 1 or more")
    return int(text)


def _options():
    parser = argparse.ArgumentParser(prog="PYTHONPATH=tests/python python -m sweep", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", nargs="+", default=["*"], metavar="NAME",
                        help='operators by their names in OpInfo, such as add or "nn.functional.*"')
    parser.add_argument("--mesh", type=_mesh, default=(2,), metavar="2|2,2",
                        help="the sizes of the mesh's dimensions; default: 2")
    parser.add_argument("--dtype", default="float32", help="the dtype of the samples; default: float32")
    parser.add_argument("--samples", type=_count, default=3, metavar="N",
                        help="the maximum number of samples per operator; default: 3")
    parser.add_argument("--combinations", type=_count, default=24, metavar="N",
                        help="the maximum number of placement combinations per sample; default: 24")
    parser.add_argument("--to", metavar="FILE", help="the file for the table, as Markdown")
    options = parser.parse_args()
    if not isinstance(getattr(torch, options.dtype, None), torch.dtype):
        parser.error(f"--dtype: got {options.dtype}, expected a dtype of torch, such as float32")
    return parser, options


def _line(name, ours, theirs):
    verdict = ours.verdict()
    detail = {"wrong": "first_wrong", "refused": "first_refusal"}.get(verdict)
    return name, verdict, theirs.verdict(), getattr(ours, detail) if detail else ""


def _table(lines):
    yield "| operator | Shardlens | DTensor | message of Shardlens |"
    yield "| --- | --- | --- | --- |"
    for line in lines:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"


def _summary(lines):
    for column, engine in ((1, "Shardlens"), (2, "DTensor")):
        counts = [(sum(line[column] == verdict for line in lines), verdict) for verdict in _VERDICTS]
        yield f"{engine}: " + ", ".join(f"{count} {verdict}" for count, verdict in counts)
    behind = sum(line[1] == "refused" and line[2] == "right" for line in lines)
    yield f"refused here though DTensor runs it: {behind}"


def main():
    parser, options = _options()
    names = samples.names_of(options.ops)
    if not names:
        parser.error(f"--ops: got {' '.join(options.ops)}, expected a name of OpInfo")
    table = open(options.to, "w", encoding="utf-8") if options.to else None
    running = [Run(engine, options, names) for engine in ("Shardlens", "DTensor")]
    ours, theirs = (run.scores for run in running)
    lines = []
    while running:
        ready = multiprocessing.connection.wait([run.answers for run in running])
        running = [run for run in running if run.answers not in ready or run.take()]
        while len(lines) < len(names) and all(names[len(lines)] in each for each in (ours, theirs)):
            name = names[len(lines)]
            lines.append(_line(name, ours[name], theirs[name]))
            name, mine, other, detail = lines[-1]
            print(f"{name:40} {mine:10} DTensor {other:10} {detail}".rstrip(), flush=True)
    for text in _summary(lines):
        print(text)
    if table is not None:
        with table:
            print(*_table(lines), "", *_summary(lines), sep="\n", file=table)
    return 1 if any(line[1] == "wrong" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
