"""A run on two hosts, simulated by two network namespaces joined by one pair of interfaces.

Both have the same host name, which resolves to their loopback address, as on misconfigured
hosts."""
import os
import shutil
import subprocess
import unittest

from gloo_programs import RUN
from support import DEADLINE, GUI, PROGRAM, TORCHRUN, ProgramTest, environment, torchrun_runs

FIRST, SECOND = "10.203.17.1", "10.203.17.2"
PORT = 29417


def ip(*args):
    return subprocess.run(["ip", *args], capture_output=True, text=True, timeout=DEADLINE, check=False)


def why_not():
    if shutil.which("ip") is None:
        return "no two hosts: there is no ip (package iproute2)"
    name = f"shardlens-{os.getpid()}-try"
    made = ip("netns", "add", name)
    entered = ip("netns", "exec", name, "true")
    ip("netns", "del", name)
    if made.returncode or entered.returncode:
        return "no two hosts: no network namespaces here: " + (made.stderr or entered.stderr).strip()
    return None


REASON = why_not()


@unittest.skipIf(REASON, REASON)
class TwoHosts(ProgramTest):
    def setUp(self):
        super().setUp()
        self.hosts = [f"shardlens-{os.getpid()}-{i}" for i in range(2)]
        self.started = []
        self.addCleanup(self.tear_down_hosts)
        for host in self.hosts:
            self.ip("netns", "add", host)
        self.ip("link", "add", "sl0", "netns", self.hosts[0], "type", "veth",
                "peer", "name", "sl0", "netns", self.hosts[1])
        for host, address in zip(self.hosts, (FIRST, SECOND)):
            self.ip("-n", host, "address", "add", address + "/30", "dev", "sl0")
            self.ip("-n", host, "link", "set", "sl0", "up")
            self.ip("-n", host, "link", "set", "lo", "up")
        self.name = self.write("a.json", RUN[1])
        self.simulated = self.expect_exit(0, "run", "--json", "--record", "a.shardlens", self.name).stdout

    def ip(self, *args):
        done = ip(*args)
        self.assertEqual(done.returncode, 0, f"ip {' '.join(args)}: {done.stderr}")

    def tear_down_hosts(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for host in self.hosts:
            left = ip("netns", "pids", host).stdout.split()
            for pid in left:
                os.kill(int(pid), 9)
            ip("netns", "del", host)

    def start(self, host, *command, **variables):
        self.started.append(subprocess.Popen(
            ["ip", "netns", "exec", self.hosts[host], *map(str, command)], cwd=self.folder,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(**variables)))

    def expect_the_answer(self):
        ended = [process.communicate(timeout=2 * DEADLINE) for process in self.started]
        self.assertEqual([process.returncode for process in self.started], [0] * len(ended),
                         "\n".join(stderr for _, stderr in ended))
        self.assertEqual([stdout for stdout, _ in ended],
                         [self.simulated] + [""] * (len(ended) - 1))

    def gather(self):
        """Copies the recordings of both hosts into one folder, as a user does to view them."""
        (self.folder / "all").mkdir()
        for host in range(2):
            for path in (self.folder / f"host-{host}").iterdir():
                shutil.copy(path, self.folder / "all")
        self.assertEqual(sorted(path.name for path in (self.folder / "all").iterdir()),
                         [f"rank-{rank}.shardlens" for rank in range(4)])

    def expect_the_recording(self):
        for position in ((), ("--event", 17)):
            self.assertEqual(self.expect_exit(0, "replay", "--json", "all", *position).stdout,
                             self.expect_exit(0, "replay", "--json", "a.shardlens", *position).stdout)

    def picture(self, recording):
        done = subprocess.run([GUI, recording, "--event", "17", "--screenshot", "out.png"],
                              cwd=self.folder, text=True, timeout=2 * DEADLINE, capture_output=True,
                              env=environment(), check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "out.png").read_bytes()

    @unittest.skipUnless(torchrun_runs(), "no torchrun: it comes with the full torch")
    def test_under_torchrun(self):
        """The agent of torchrun owns the store."""
        for host in range(2):
            self.start(host, TORCHRUN, "--no-python", "--nnodes", 2, "--node-rank", host,
                       "--nproc-per-node", 2, "--master-addr", FIRST, "--master-port", PORT,
                       PROGRAM, "run", "--backend", "gloo", "--json", "--record", f"host-{host}",
                       self.name)
        self.expect_the_answer()
        self.gather()
        self.expect_the_recording()
        if GUI:
            self.assertNotEqual(self.picture("all"), self.picture("host-1"))

    def start_processes(self, master):
        for rank in range(4):
            host = rank // 2
            self.start(host, PROGRAM, "run", "--backend", "gloo", "--json", "--record",
                       f"host-{host}", self.name, RANK=str(rank), WORLD_SIZE="4",
                       MASTER_ADDR=master[host], MASTER_PORT=str(PORT))

    def test_started_by_hand(self):
        """Process 0 owns the store."""
        self.start_processes([FIRST, FIRST])
        self.expect_the_answer()
        self.gather()
        self.expect_the_recording()

    def test_where_the_first_hosts_name_is_its_loopback(self):
        self.start_processes(["127.0.0.1", FIRST])
        _, output = self.started[3].communicate(timeout=2 * DEADLINE)
        self.assertEqual(self.started[3].returncode, 1, output)
        self.assertIn(f"process 0 is at 127.0.0.1 and this one at {SECOND}, one of which", output)
        self.assertIn("MASTER_ADDR is expected to be, for all,", output)


if __name__ == "__main__":
    unittest.main()
