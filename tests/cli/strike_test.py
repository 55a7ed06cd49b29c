"""Processes killed or stopped in the middle of a run: the survivors name the lost process."""
import contextlib
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import unittest

from gloo_programs import lookup
from support import (DEADLINE, LATE, PATIENCE, PROGRAM, TORCHRUN, ProgramTest, environment, free_port, load_tests,
                     torchrun_runs)

VICTIM_PROGRAM = os.environ["SHARDLENS_VICTIM_PROGRAM"]
PROCESSES = 4
PARTS = 4  # the parts of a run; each process is killed once in each part
UNDER_TORCHRUN = 3
GENEROUS = 20 * PATIENCE  # seconds; the documented limit is five, but a loaded machine is slower


def fate(victim, events, by):
    return {"SHARDLENS_VICTIM": str(victim), "SHARDLENS_EVENTS": str(events),
            "SHARDLENS_SIGNAL": str(int(by))}


class Struck:
    """Processes started without torchrun, one of which is killed or stopped by a signal.

    The constructor waits until the remaining processes have ended."""

    def __init__(self, folder, scenario, victim, events, by, then=lambda struck: None):
        self.folder, self.victim, self.port = folder, victim, free_port()
        self.processes = [self.start(rank, scenario, events, by) for rank in range(PROCESSES)]
        try:
            then(self)
            for rank, process in enumerate(self.processes):
                if rank != victim:
                    process.wait(timeout=DEADLINE)
        finally:
            for process in self.processes:
                process.kill()
                process.wait()

    def start(self, rank, scenario, events, by):
        self.error_file(rank).unlink(missing_ok=True)
        with open(self.stderr_file(rank), "w", encoding="utf-8") as stderr:
            return subprocess.Popen(
                [VICTIM_PROGRAM, "run", "--backend", "gloo", "--record", "records", scenario],
                cwd=self.folder, text=True, stdout=subprocess.DEVNULL, stderr=stderr,
                env=environment(
                    RANK=str(rank), WORLD_SIZE=str(PROCESSES), MASTER_ADDR="127.0.0.1",
                    MASTER_PORT=str(self.port), TORCHELASTIC_ERROR_FILE=str(self.error_file(rank)),
                    **fate(self.victim, events, by)))

    def stderr_file(self, rank):
        return self.folder / f"stderr-{rank}"

    def error_file(self, rank):
        return self.folder / f"error-{rank}.json"

    def stderr(self, rank):
        return LATE.sub("", self.stderr_file(rank).read_text(encoding="utf-8"))

    def seconds_until_named_by(self, rank):
        """Returns the time from the victim's last output to the survivor's error file."""
        return (self.error_file(rank).stat().st_mtime -
                self.stderr_file(self.victim).stat().st_mtime)


class Strikes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.scenario = self.write("a.json", lookup("struck", fill="arange", masking="stepwise"))
        self.slowest = 0.0

    def events(self):
        """Returns the number of events in the recording of process 0 of an undisturbed run."""
        spared = Struck(self.folder, self.scenario, victim=None, events=0, by=signal.SIGKILL)
        self.assertEqual([each.returncode for each in spared.processes], [0] * PROCESSES)
        with self.recording(0) as recording:
            return recording.execute("SELECT sum(count) FROM blocks").fetchone()[0]

    def recording(self, rank):
        return contextlib.closing(
            sqlite3.connect(self.folder / "records" / f"rank-{rank}.shardlens"))

    def strike(self, victim, events, by):
        struck = Struck(self.folder, self.scenario, victim, events, by)
        self.assertEqual(struck.processes[victim].returncode, -signal.SIGKILL, struck.stderr(victim))
        self.assertIn("here it happens", struck.stderr(victim))
        for rank in range(PROCESSES):
            if rank != victim:
                self.expect_survivor(struck, rank)
        self.expect_exit(0, "replay", "--json", f"records/rank-{victim}.shardlens")
        with socket.socket() as listener:  # the port is free again
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", struck.port))
            listener.listen()

    def expect_survivor(self, struck, rank):
        stderr = struck.stderr(rank)
        self.assertEqual(struck.processes[rank].returncode, 1, stderr)
        lines = [line for line in stderr.splitlines() if line.startswith("shardlens: ")]
        self.assertTrue(lines, stderr)
        self.assertRegex(lines[-1], rf"rank {struck.victim} (has left|is gone|hangs|keeps)")
        self.expect_whole(rank, lines[-1].removeprefix("shardlens: "))
        error = json.loads(struck.error_file(rank).read_text(encoding="utf-8"))
        self.assertEqual("shardlens: " + error["message"]["message"], lines[-1])
        self.slowest = max(self.slowest, struck.seconds_until_named_by(rank))

    def expect_whole(self, rank, message):
        """Expects a single undamaged file with the error event of the loss. A loss after the last
        step adds no event."""
        beside = (self.folder / "records").glob(f"rank-{rank}.shardlens-*")
        self.assertEqual([path.name for path in beside], [])
        with self.recording(rank) as recording:
            self.assertEqual(recording.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        file = f"records/rank-{rank}.shardlens"
        self.assertEqual(self.rows("SELECT id FROM events WHERE duration IS NULL", file), [])
        errors = self.rows("SELECT name FROM events WHERE kind = 'Error'", file)
        self.assertEqual(errors, [] if message.startswith("the end: ") else [(message,)])

    def kill_each_process_in(self, parts):
        chance = random.Random(parts[0])
        events = self.events()
        for victim in range(PROCESSES):
            for part in parts:
                first, last = part * events // PARTS + 1, (part + 1) * events // PARTS
                event = chance.randint(first, last)
                with self.subTest(victim=victim, event=event):
                    self.strike(victim, event, signal.SIGKILL)
        print(f"{PROCESSES * len(parts)} killed among {events} events, named within {self.slowest:.2f} s")
        self.assertLess(self.slowest, GENEROUS)

    def test_each_process_killed_in_the_first_half_of_a_run_is_named_by_the_others(self):
        self.kill_each_process_in(range(PARTS // 2))

    def test_each_process_killed_in_the_second_half_of_a_run_is_named_by_the_others(self):
        self.kill_each_process_in(range(PARTS // 2, PARTS))

    def test_any_rank_stopped_at_any_event_is_named_by_the_others(self):
        chance = random.Random(7)
        events = self.events()
        for victim in range(PROCESSES):
            event = chance.randint(1, events)
            with self.subTest(victim=victim, event=event):
                self.strike(victim, event, signal.SIGSTOP)
        print(f"{PROCESSES} stopped, named within {self.slowest:.2f} s")
        self.assertLess(self.slowest, GENEROUS)

    @unittest.skipUnless(torchrun_runs(), "no torchrun: it comes with the full torch")
    def test_torchrun_shows_the_killed_one_as_the_root_cause(self):
        chance = random.Random(8)
        events = self.events()
        for number in range(UNDER_TORCHRUN):
            victim, event = chance.randrange(PROCESSES), chance.randint(1, events)
            with self.subTest(number=number, victim=victim, event=event):
                done = subprocess.run(
                    [TORCHRUN, "--no-python", "--master-port", str(free_port()),
                     "--nproc-per-node", str(PROCESSES), VICTIM_PROGRAM, "run", "--backend", "gloo",
                     "--record", "records", self.scenario],
                    cwd=self.folder, text=True, timeout=2 * DEADLINE, capture_output=True, check=False,
                    env=environment(**fate(victim, event, signal.SIGKILL)))
                self.assertEqual(done.returncode, 1, done.stderr)
                cause = done.stderr.partition("Root Cause")[2]
                self.assertRegex(cause, rf"rank +: {victim} \(local_rank: {victim}\)", done.stderr)
                self.assertRegex(cause, r"exitcode +: -9 ")
                named = [line for line in done.stderr.splitlines()
                         if line.startswith("shardlens: ") and f"rank {victim} " in line]
                self.assertEqual(len(named), PROCESSES - 1, done.stderr)
                for rank in range(PROCESSES):
                    if rank != victim:
                        self.expect_whole(rank, named[0].removeprefix("shardlens: "))

    def test_a_terminated_waiting_process_ends_the_others(self):
        def terminate(struck):
            os.waitid(os.P_PID, struck.processes[3].pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            struck.processes[0].terminate()
        struck = Struck(self.folder, self.scenario, 3, 20, signal.SIGSTOP, then=terminate)
        for rank in range(PROCESSES - 1):
            self.assertEqual(struck.processes[rank].returncode, 1, struck.stderr(rank))
            self.assertRegex(struck.stderr(rank),
                             "^shardlens: rank 0 was ended by SIGTERM in step .*\n$")
            self.expect_whole(rank, struck.stderr(rank).removeprefix("shardlens: ").rstrip())

    def test_terminated_while_the_others_are_missing(self):
        process = subprocess.Popen(
            [PROGRAM, "run", "--backend", "gloo", self.scenario], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(RANK="0", WORLD_SIZE="2", MASTER_ADDR="127.0.0.1",
                            MASTER_PORT=str(free_port()),
                            TORCHELASTIC_ERROR_FILE=str(self.folder / "error.json")))
        line = process.stderr.readline()
        self.assertIn("waiting for 1 of 2 processes to connect", line)
        self.assertIn("among them process 1", line)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 1, stderr)
        self.assertIn("process 0 was ended by SIGTERM", stderr)
        error = json.loads((self.folder / "error.json").read_text(encoding="utf-8"))
        self.assertIn("was ended by SIGTERM", error["message"]["message"])


if __name__ == "__main__":
    unittest.main()
