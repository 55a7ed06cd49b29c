"""Runs the parts of the GPU suite one after another, each with a limit, and records how each ended."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time

# The part that reports the machine. If it finds no GPU, parts that need one are not started.
DOCTOR = "doctor"
CANNOT_RUN = 77  # the exit code of a program that cannot run on this machine


@dataclasses.dataclass(frozen=True)
class Part:
    """A command. Its words that are paths name files that must exist."""
    name: str
    command: list
    limit: float  # seconds
    needs_gpu: bool = True
    optional: bool = False  # may be missing


@dataclasses.dataclass(frozen=True)
class Outcome:
    part: Part
    # "passed", "failed", "stopped" (at its limit), "missing", "no GPU", "cannot run" (exit code 77)
    # or "not started" (the time of the suite is over)
    state: str
    seconds: float = 0
    detail: str = ""  # the reason, or the last line of the output


def has_failed(outcome):
    if outcome.state == "missing":
        return not outcome.part.optional
    return outcome.state in ("failed", "stopped", "not started")


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


class Suite:
    """The outcomes so far, and one log per part in `folder`. `seconds` limits the whole run."""

    def __init__(self, folder, seconds):
        self.folder = pathlib.Path(folder)
        self.end = time.monotonic() + seconds
        self.outcomes = []

    def log(self, part_name):
        return self.folder / f"{part_name.replace(' ', '_')}.log"

    def output(self, part_name):
        """Returns the output of a part so far; empty if it was not started."""
        log = self.log(part_name)
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def run(self, part):
        outcome = self._outcome(part)
        self.outcomes.append(outcome)
        return outcome

    def _outcome(self, part):
        self.log(part.name).unlink(missing_ok=True)
        if part.needs_gpu and (reason := self.why_no_gpu()):
            return Outcome(part, "no GPU", detail=reason)
        missing = [str(word) for word in part.command
                   if isinstance(word, pathlib.Path) and not word.exists()]
        if missing:
            return Outcome(part, "missing", detail=", ".join(missing))
        limit = min(part.limit, self.end - time.monotonic())
        if limit <= 0:
            return Outcome(part, "not started", detail="the time of the suite is over")
        return self._ended(part, limit)

    def _ended(self, part, limit):
        start = time.monotonic()
        with open(self.log(part.name), "wb") as log:
            try:
                code = exit_code(part.command, log, limit)
            except OSError as error:
                return Outcome(part, "failed", detail=str(error))
        seconds = time.monotonic() - start
        detail = last_line(self.output(part.name))
        if code is None:
            return Outcome(part, "stopped", seconds, f"exceeded its limit of {limit:.0f} s; {detail}")
        if code == CANNOT_RUN:
            return Outcome(part, "cannot run", seconds, detail)
        if code != 0:
            return Outcome(part, "failed", seconds, f"exit code {code}; {detail}")
        return Outcome(part, "passed", seconds, detail)

    def findings(self):
        """Returns what the doctor found, by backend: {"nccl": {"GPUs": finding}}. Empty if it has
        not answered."""
        text = self.output(DOCTOR)
        try:
            answer, _ = json.JSONDecoder().raw_decode(text[text.index("{"):])
            return {each["backend"]: {finding["what"]: finding for finding in each["findings"]}
                    for each in answer["backends"]}
        except (ValueError, KeyError):
            return {}

    def why_no_gpu(self):
        """Returns the doctor's reason; empty if it found a GPU or has not answered."""
        gpus = self.findings().get("nccl", {}).get("GPUs", {"state": "good"})
        return "" if gpus["state"] == "good" else gpus["found"]


def exit_code(command, log, limit):
    """Runs a command. Returns its exit code, or None if it exceeded the limit. Then ends its
    process group, including processes that it left running."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                               stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
