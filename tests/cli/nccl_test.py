"""Ranks on GPUs: a missing requirement is reported before any step runs; otherwise they run."""
import json
import unittest

from gloo_programs import RUN
from support import ProgramTest

NEED_GPUS = ("no NVIDIA driver", "no GPU", "the NVIDIA driver", "the driver sees no GPU",
             "no NCCL", "NCCL: got", "torch's part for GPUs",
             "this program was built without")


class OnGpus(ProgramTest):
    def test_run_or_report_the_missing_part(self):
        name = self.write("a.json", RUN[0])
        done = self.run_program("run", "--json", "--backend", "nccl", name)
        if done.returncode != 2:
            simulated = json.loads(self.expect_exit(0, "run", "--json", name).stdout)
            self.assertEqual(json.loads(done.stdout), simulated, done.stderr)
            return
        self.assertEqual(done.stdout, "")
        message = json.loads(done.stderr)["error"]["message"]
        self.assertTrue(message.startswith("--backend nccl: "), message)
        reason = message.removeprefix("--backend nccl: ")
        self.assertTrue(reason.startswith(NEED_GPUS), reason)
        self.skipTest(reason)


if __name__ == "__main__":
    unittest.main()
