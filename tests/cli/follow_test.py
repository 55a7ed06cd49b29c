"""serve and follow: copy the recordings of a run in progress to a client that has the token."""
import contextlib
import json
import os
import pathlib
import random
import socket
import sqlite3
import struct
import subprocess
import time
import unittest

from gloo_programs import RUN
from support import DEADLINE, PROGRAM, ProgramTest, environment, free_port, load_tests

TOKEN = "0123456789abcdef-of-the-test"


class Writer(sqlite3.Connection):
    """A connection to a recording that readers take for its writer: it owns the lock `live`."""

    def close(self):
        super().close()
        self.live.close()


class Following(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "far").mkdir()
        self.write("token", TOKEN + "\n")
        os.chmod(self.folder / "token", 0o600)
        self.name = self.write("a.json", RUN[1])

    def start(self, *args, **variables):
        process = subprocess.Popen([PROGRAM, *map(str, args)], cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(**variables))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def serve(self, *args):
        """Returns the started server and its address, HOST:PORT."""
        server = self.start("serve", "far", *args)
        line = server.stdout.readline()
        self.assertRegex(line, r"^listening on 127\.0\.0\.1:\d+\n$")
        return server, line.split()[-1]

    def follow(self, where, into="near", token=TOKEN):
        return self.start("follow", where, "--into", into, SHARDLENS_TOKEN=token)

    def expect_end(self, process, code, output):
        stdout, stderr = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, stdout + stderr), (code, output))

    def record(self):
        for done in self.run_processes(2, "--json", "--record", "far", self.name):
            self.assertEqual(done.returncode, 0, done.stderr)

    def expect_same(self):
        for position in ((), ("--event", 0), ("--event", 23)):
            self.assertEqual(self.expect_exit(0, "replay", "--json", "near", *position).stdout,
                             self.expect_exit(0, "replay", "--json", "far", *position).stdout)

    def reopened(self, name):
        """Marks a recording as unfinished. It stays unfinished while the returned connection is open."""
        connection = sqlite3.connect(self.folder / "far" / name, factory=Writer)
        self.addCleanup(connection.close)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.live = sqlite3.connect(self.folder / "far" / f"{name}-live")
        connection.live.execute("BEGIN EXCLUSIVE")
        connection.execute("DELETE FROM meta WHERE key IN ('ended', 'sealed_pages')")
        connection.commit()
        return connection

    def test_a_run_from_before_its_beginning_to_its_end(self):
        _, where = self.serve("--token-file", "token")
        follower = self.follow(where)
        self.assertEqual(follower.stdout.readline(), "following\n")
        self.record()
        stdout, stderr = follower.communicate(timeout=DEADLINE)
        self.assertEqual((follower.returncode, stderr), (0, ""))
        self.assertEqual(sorted(stdout.splitlines()[:2]), ["rank-0.shardlens", "rank-2.shardlens"])
        self.assertEqual(stdout.splitlines()[2:], ["the run has ended"])
        self.expect_same()

    def test_connections_without_the_token_take_no_places(self):
        self.record()
        _, where = self.serve("--token-file", "token")
        host, port = where.split(":")
        for _ in range(10):
            self.addCleanup(socket.create_connection((host, int(port)), timeout=DEADLINE).close)
        stdout, stderr = self.follow(where).communicate(timeout=DEADLINE)
        self.assertEqual((stdout.splitlines()[-1], stderr), ("the run has ended", ""))

    def test_prints_json_too(self):
        self.record()
        _, where = self.serve("--token-file", "token")
        follower = self.start("follow", where, "--into", "near", "--json", SHARDLENS_TOKEN=TOKEN)
        stdout, _ = follower.communicate(timeout=DEADLINE)
        reports = [json.loads(line) for line in stdout.splitlines()]
        self.assertEqual(reports[0], {"follow": "following"})
        self.assertEqual(sorted(each["file"] for each in reports[1:-1]),
                         ["rank-0.shardlens", "rank-2.shardlens"])
        self.assertEqual({each["follow"] for each in reports[1:-1]}, {"recording"})
        self.assertEqual(reports[-1], {"follow": "run_ended"})

    def bookmarks(self, name):
        with contextlib.closing(sqlite3.connect(self.folder / name, timeout=DEADLINE)) as recording:
            return dict(recording.execute("SELECT event, note FROM bookmarks"))

    def await_bookmarks(self, name, expected):
        deadline = time.monotonic() + DEADLINE
        while (got := self.bookmarks(name)) != expected:
            self.assertLess(time.monotonic(), deadline, got)

    def test_bookmarks_come_change_and_go_and_ones_own_stay(self):
        self.record()
        held = self.reopened("rank-2.shardlens")
        held.executemany("INSERT INTO bookmarks VALUES (?, ?)", [(3, "a"), (4, "b")])
        held.commit()
        _, where = self.serve("--token-file", "token")
        follower = self.follow(where)
        for line in ("following\n", "rank-", "rank-"):
            self.assertTrue(follower.stdout.readline().startswith(line))
        copy = "near/rank-2.shardlens"
        self.await_bookmarks(copy, {3: "a", 4: "b"})
        with contextlib.closing(sqlite3.connect(self.folder / copy, timeout=DEADLINE)) as mine:
            mine.execute("INSERT INTO bookmarks VALUES (5, 'mine')")
            mine.commit()
        held.execute("DELETE FROM bookmarks WHERE event=4")
        held.execute("UPDATE bookmarks SET note='A' WHERE event=3")
        held.commit()
        self.await_bookmarks(copy, {3: "A", 5: "mine"})
        held.close()
        follower.communicate(timeout=DEADLINE)
        self.assertEqual(follower.returncode, 0)
        self.assertEqual(self.bookmarks(copy), {3: "A", 5: "mine"})

    def test_continues_with_another_server(self):
        self.record()
        held = self.reopened("rank-2.shardlens")
        server, where = self.serve("--token-file", "token")
        follower = self.follow(where)
        for line in ("following\n", "rank-", "rank-"):
            self.assertTrue(follower.stdout.readline().startswith(line))
        server.kill()
        server.wait()
        self.assertEqual(follower.stdout.readline(), "connection lost, reconnecting\n")
        self.serve("--token-file", "token", "--port", where.split(":")[1])
        held.close()
        stdout, stderr = follower.communicate(timeout=DEADLINE)
        self.assertEqual((follower.returncode, stderr), (0, ""))
        self.assertEqual(stdout.splitlines()[-1], "the run has ended")
        self.expect_same()

    def test_reports_a_lost_connection(self):
        self.record()
        self.reopened("rank-2.shardlens")
        server, where = self.serve("--token-file", "token")
        follower = self.follow(where)
        self.assertEqual(follower.stdout.readline(), "following\n")
        server.kill()
        stdout, _ = follower.communicate(timeout=DEADLINE)
        self.assertEqual(follower.returncode, 1)
        self.assertEqual(stdout.splitlines()[-1],
                         "connection lost: the recordings end where it broke")

    def test_draws_a_token_that_is_typed_in(self):
        self.record()
        server, where = self.serve()
        token = server.stdout.readline().removeprefix("token ").strip()
        self.assertRegex(token, "^[0-9a-f]{32}$")
        follower = self.start("follow", where, "--into", "near")
        stdout, _ = follower.communicate(token + "\n", timeout=DEADLINE)
        self.assertEqual((follower.returncode, stdout.splitlines()[-1]), (0, "the run has ended"))
        self.expect_same()

    def test_a_wrong_token_is_refused_and_the_right_one_still_good(self):
        self.record()
        server, where = self.serve("--token-file", "token")
        # More clients than may follow at once; two at a time, because a refusal takes a second.
        wrong = [TOKEN[:-1], TOKEN + "x", *[""] * 8]
        for pair in zip(wrong[::2], wrong[1::2]):
            for follower in [self.follow(where, token=token) for token in pair]:
                self.expect_end(follower, 2, "shardlens: follow: refused: wrong token\n")
        self.assertFalse(list((self.folder / "near").iterdir()))
        self.assertEqual(self.follow(where).wait(timeout=DEADLINE), 0)
        self.expect_same()
        server.kill()
        _, stderr = server.communicate(timeout=DEADLINE)
        self.assertEqual(stderr.splitlines()[:len(wrong)],
                         ["shardlens: a client was refused: wrong token"] * len(wrong))

    def knock(self, where, hello, more=b""):
        """Sends this Hello and the bytes `more`. Returns what the server sends until it closes."""
        host, port = where.split(":")
        body = json.dumps(hello, ensure_ascii=False).encode()
        with socket.create_connection((host, int(port)), timeout=DEADLINE) as client:
            client.sendall(struct.pack("<IB", len(body), ord("H")) + body + more)
            received = b""
            with contextlib.suppress(ConnectionResetError):
                while part := client.recv(1 << 16):
                    received += part
        return received

    def test_a_client_that_sends_more_than_hello_is_dropped(self):
        self.record()
        self.reopened("rank-2.shardlens")
        server, where = self.serve("--token-file", "token")
        self.knock(where, {"token": TOKEN}, b"x")
        self.assertEqual(server.stderr.readline(), "shardlens: a client follows\n")
        self.assertEqual(server.stderr.readline(), "shardlens: a client has disconnected\n")

    def test_texts_that_are_no_utf8_are_served(self):
        self.record()
        held = self.reopened("rank-0.shardlens")
        held.execute("UPDATE meta SET value=CAST(X'61FF62' AS TEXT) WHERE key='title'")
        held.execute("UPDATE strings SET text=CAST(X'61FF62' AS TEXT) WHERE text=(SELECT name FROM tensors WHERE id=1)")
        held.execute("INSERT INTO meta VALUES ('ended', '1')")
        held.commit()
        held.close()
        _, where = self.serve("--token-file", "token")
        follower = self.follow(where)
        stdout, stderr = follower.communicate(timeout=DEADLINE)
        self.assertEqual((follower.returncode, stderr), (0, ""))
        copy = sqlite3.connect(self.folder / "near" / "rank-0.shardlens")
        self.addCleanup(copy.close)
        meta = copy.execute("SELECT value FROM meta WHERE key='title'")
        self.assertEqual(meta.fetchone(), ("a\ufffdb",))
        name = copy.execute("SELECT CAST(name AS BLOB) FROM tensors WHERE id=1")
        self.assertEqual(name.fetchone(), (b"a\xffb",))

    def test_a_folder_named_as_a_recording_is_none(self):
        self.record()
        (self.folder / "far" / "old.shardlens").mkdir()
        _, where = self.serve("--token-file", "token")
        self.assertEqual(self.follow(where).wait(timeout=DEADLINE), 0)
        self.expect_same()

    def test_replaces_no_recording(self):
        self.record()
        before = (self.folder / "far" / "rank-0.shardlens").read_bytes()
        _, where = self.serve("--token-file", "token")
        follower = self.follow(where, into="far")
        _, stderr = follower.communicate(timeout=DEADLINE)
        self.assertEqual(follower.returncode, 2)
        self.assertRegex(stderr, r"^shardlens: follow: far/rank-[02]\.shardlens already exists,"
                         " expected a folder without it\n$")
        self.assertEqual((self.folder / "far" / "rank-0.shardlens").read_bytes(), before)

    def test_a_killed_process_does_not_hold_up_the_end(self):
        self.record()
        self.reopened("rank-2.shardlens")  # as if the writer was killed and a reader has it open
        _, where = self.serve("--token-file", "token")
        follower = self.follow(where)
        stdout, _ = follower.communicate(timeout=DEADLINE)
        self.assertEqual((follower.returncode, stdout.splitlines()[-1]), (0, "the run has ended"))
        self.expect_same()

    def test_any_bytes_of_a_client_leave_the_server_serving(self):
        self.record()
        server, where = self.serve("--token-file", "token")
        host, port = where.split(":")
        chance = random.Random(10)
        hello = json.dumps({"token": TOKEN, "files": {"rank-0.shardlens": {
            "strings": -1, "tensors": 1e300, "events": [], "values": None}}}).encode()
        deep = (json.dumps({"token": TOKEN})[:-1].encode() + b', "files": ' + b"[" * 200_000
                + b"]" * 200_000 + b"}")
        payloads = [b"", b"H", b"\0\0\0\0", struct.pack("<IB", 0xFFFFFFFF, ord("H")),
                struct.pack("<IB", 1 << 20, ord("H")) + b"x" * 1000,
                struct.pack("<IB", len(hello), ord("H")) + hello,
                struct.pack("<IB", len(deep), ord("H")) + deep,
                *(chance.randbytes(chance.randrange(1, 300)) for _ in range(40))]
        for payload in payloads:
            with socket.create_connection((host, int(port)), timeout=DEADLINE) as client:
                with contextlib.suppress(OSError):
                    client.sendall(payload)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(1 << 16):
                        pass
        self.assertIsNone(server.poll())
        self.assertEqual(self.follow(where).wait(timeout=DEADLINE), 0)
        self.expect_same()

    def test_reports_a_missing_server(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            where = f"127.0.0.1:{listener.getsockname()[1]}"
            follower = self.follow(where)
            listener.accept()[0].close()
            self.expect_end(follower, 2, f"shardlens: follow: {where}: got a connection without a run,"
                            " expected a shardlens serve\n")

    def test_a_slow_hello_is_dropped(self):
        _, where = self.serve("--token-file", "token")
        host, port = where.split(":")
        with socket.create_connection((host, int(port)), timeout=2) as client:
            client.sendall(struct.pack("<IB", 1000, ord("H")))
            for _ in range(20):  # each long before the server's limit of ten seconds
                try:
                    client.sendall(b" ")
                    self.assertEqual(client.recv(1), b"")
                    break
                except TimeoutError:
                    continue
                except (BrokenPipeError, ConnectionResetError):
                    break
            else:
                self.fail("the server still waits for the rest of a Hello")

    def test_listens_on_the_loopback_alone(self):
        _, where = self.serve("--token-file", "token")
        port = f"{int(where.split(':')[1]):04X}"
        listening = [line.split()[1] for name in ("tcp", "tcp6")
                     for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]
                     if line.split()[3] == "0A" and line.split()[1].endswith(":" + port)]
        self.assertEqual(listening, ["0100007F:" + port])

    def test_invalid_arguments_are_refused(self):
        os.chmod(self.folder / "token", 0o640)
        self.expect_refusal("--token-file: token: others may read or write it, expected a token that only"
                            " its owner can read (chmod 600)", "serve", "far", "--token-file", "token")
        self.expect_refusal("serve: none is not a folder: expected the folder of a run's recordings", "serve", "none")
        port = free_port()
        follower = self.follow(f"127.0.0.1:{port}")
        self.expect_end(follower, 2, f"shardlens: follow: 127.0.0.1:{port}: cannot connect:"
                        " Connection refused\n")


if __name__ == "__main__":
    unittest.main()
