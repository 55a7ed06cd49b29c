"""Runs launched by torchrun: the rendezvous uses the store of its agent."""
import unittest

from gloo_programs import REFUSED, RUN
from support import ProgramTest, torchrun_runs


@unittest.skipUnless(torchrun_runs(), "no torchrun: it comes with the full torch")
class Torchrun(ProgramTest):
    def test_answers_are_those_of_simulated_ranks(self):
        name = self.write_lines("a.jsonl", RUN)
        expected = self.expect_exit(0, "run", "--json", name).stdout
        done = self.torchrun(4, "--json", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, expected)

    def test_refusals_are_reported_before_the_processes_end(self):
        name = self.write_lines("a.jsonl", REFUSED)
        expected = self.expect_exit(1, "run", "--json", name).stdout
        done = self.torchrun(2, "--json", name)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, expected)


if __name__ == "__main__":
    unittest.main()
