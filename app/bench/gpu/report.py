"""Writes results.md: the machine, the parts and the figures of a run of the GPU suite."""
import re
import shutil
import subprocess
import time

from parts import FIGURES

# A line of a benchmark: "CASE  12.3 us ... copy 10.0 us ... host 4.5 us", or "CASE, WAY  12.3 us".
LINE = re.compile(r"^(?P<name>\S.*?)\s{2,}(?P<us>[\d.]+) us\b(?P<more>.*)$")
MORE = re.compile(r"\b(copy|host)\s+([\d.]+) us\b")
WAYS = ("eager", "compiled", "deterministic", "Liger", "as a graph", "raw NCCL")


def figures_of(text):
    """Returns {case: {way: {"us", "copy", "host"}}} of the lines of benchmarks, in their order. The
    way of this project's figures is ""; "copy" and "host" may be missing."""
    cases = {}
    for line in text.splitlines():
        if not (found := LINE.match(line)):
            continue
        case, _, way = found["name"].rpartition(", ")
        if way not in WAYS:
            case, way = found["name"], ""
        more = {kind: float(us) for kind, us in MORE.findall(found["more"])}
        cases.setdefault(case, {})[way] = {"us": float(found["us"]), **more}
    return cases


def figure_rows(cases):
    """Returns a row of cells for each case that this project has a figure of."""
    for case, ways in cases.items():
        if not (ours := ways.get("")):
            continue
        copy, host = ours.get("copy"), ours.get("host")
        beside = [f"{way} {each['us']:.1f} ({each['us'] / ours['us']:.1f}x)"
                  for way, each in ways.items() if way]
        yield [case, f"{ours['us']:.1f}", "" if host is None else f"{host:.1f}",
               "" if copy is None else f"{copy:.1f}",
               "" if copy is None else f"{100 * copy / ours['us']:.0f}%", ", ".join(beside)]


def table(head, rows):
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    lines = [" | ".join(row) for row in [head, ["---"] * len(head), *cells]]
    return "".join(f"| {line} |\n" for line in lines)


def driver_version():
    """Returns the version that nvidia-smi reports; empty without nvidia-smi or without a GPU."""
    command = [shutil.which("nvidia-smi") or "nvidia-smi", "--query-gpu=driver_version",
               "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.split("\n")[0].strip()


def machine_rows(suite):
    findings = suite.findings()
    rows = [["date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())],
            ["version of the driver", driver_version() or "unknown"]]
    for backend in ("simulated", "nccl"):
        rows += [[what, finding["found"]] for what, finding in findings.get(backend, {}).items()]
    return rows if findings else rows + [["doctor", "has not answered"]]


def part_rows(suite):
    for outcome in suite.outcomes:
        detail = outcome.detail if len(outcome.detail) <= 160 else outcome.detail[:157] + "..."
        if detail.startswith("{"):
            detail = ""  # JSON is in the log
        yield [outcome.part.name, outcome.state, f"{outcome.seconds:.1f}", detail]


def results_text(suite):
    figures = figures_of("".join(suite.output(part) for part in FIGURES))
    text = "# GPU suite\n\n" + table(["", ""], machine_rows(suite))
    text += "\n" + table(["part", "outcome", "seconds", "detail"], part_rows(suite))
    if rows := list(figure_rows(figures)):
        text += ("\nMicroseconds of a call. `copy` is a copy of as many bytes within the GPU in the "
                 "same run. In brackets: times slower than Shardlens.\n\n")
        text += table(["case", "Shardlens", "host's part", "copy", "of copy", "beside"], rows)
    return text
