"""The report of `doctor` on this machine, and on invalid launches."""
import json
import os
import socket
import subprocess
import unittest

from support import DEADLINE, PROGRAM, ProgramTest, environment


class Doctor(ProgramTest):
    def examine(self, **variables):
        done = subprocess.run([PROGRAM, "doctor", "--json"], text=True, timeout=DEADLINE,
                              capture_output=True, env=environment(**variables), check=False)
        backends = {each["backend"]: each for each in json.loads(done.stdout)["backends"]}
        return done.returncode, backends

    def finding(self, backends, backend, what):
        return next(each for each in backends[backend]["findings"] if each["what"] == what)

    def test_simulated_ranks_and_processes_can_run_here(self):
        code, backends = self.examine()
        self.assertEqual(code, 0)
        self.assertEqual(list(backends), ["simulated", "gloo", "nccl"])
        self.assertTrue(backends["simulated"]["ready"])
        self.assertTrue(backends["gloo"]["ready"])
        self.assertRegex(self.finding(backends, "gloo", "meeting")["found"], r"^two processes joined in \d+ ms$")
        self.assertIn(str(os.cpu_count()), self.finding(backends, "simulated", "machine")["found"])

    def test_advises_on_missing_gpu_support(self):
        _, backends = self.examine()
        if backends["nccl"]["ready"]:
            self.skipTest("nothing is missing here: there is a GPU")
        for each in backends["nccl"]["findings"]:
            if each["state"] != "good":
                self.assertTrue(each["todo"], each)

    def test_names_the_variable_that_hides_all_gpus(self):
        driver = os.pathsep.join([os.environ["SHARDLENS_FAKE_DRIVER"],
                                  os.environ.get("LD_LIBRARY_PATH", "")])
        _, backends = self.examine(LD_LIBRARY_PATH=driver, CUDA_VISIBLE_DEVICES="")
        gpus = self.finding(backends, "nccl", "GPUs")
        self.assertEqual(gpus["found"], 'no GPU (the driver sees none; CUDA_VISIBLE_DEVICES is "")')
        self.assertEqual(gpus["todo"], "set it to the numbers of the GPUs to use, or unset it")
        _, backends = self.examine(LD_LIBRARY_PATH=driver)
        self.assertRegex(self.finding(backends, "nccl", "GPUs")["found"], r"^Fake \(1\S* GiB\)$")

    def test_reports_missing_features_as_version_does(self):
        _, backends = self.examine()
        version = dict(line.split(maxsplit=1) for line in
                       self.expect_exit(0, "--version").stdout.splitlines())
        for part, line in (("kernels", "CUDA"), ("communicator", "NCCL")):
            built = self.finding(backends, "nccl", part)
            self.assertEqual(built["found"], version[line])
            self.assertRegex(version[line], r"^(nvcc \d|\d+\.\d+\.\d+|left out: .)")
            left_out = version[line].startswith("left out: ")
            self.assertEqual(built["state"], "absent" if left_out else "good")
            self.assertEqual("CUDA toolkit" in built["todo"], left_out)

    def test_a_port_that_is_taken(self):
        launch = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = str(listener.getsockname()[1])
            _, backends = self.examine(MASTER_PORT=port, **launch)
            taken = self.finding(backends, "gloo", "port")
            self.assertEqual((taken["state"], taken["found"]), ("wrong", port + " is taken"))
            self.assertIn("--master-port", taken["todo"])
            _, backends = self.examine(MASTER_PORT=port, TORCHELASTIC_USE_AGENT_STORE="True",
                                       **launch)
            self.assertEqual(self.finding(backends, "gloo", "port")["state"], "good")
        _, backends = self.examine(MASTER_PORT=port, **launch)
        self.assertEqual(self.finding(backends, "gloo", "port")["found"], port + " is free")

    def test_a_launch_that_is_wrong(self):
        code, backends = self.examine(RANK="2", WORLD_SIZE="2")
        self.assertEqual(code, 1)
        self.assertFalse(backends["gloo"]["ready"])
        launch = self.finding(backends, "gloo", "launch")
        self.assertEqual(launch["found"],
                         'the variable RANK is "2": a number from 0 to 1 is expected')

    def test_in_words(self):
        lines = self.expect_exit(0, "doctor").stdout.splitlines()
        self.assertEqual(lines[0], "simulated: ready")
        self.assertRegex(lines[1], r"^  good    torch         \d+\.\d+\.\d+\S*, /")
        self.assertIn("gloo: ready", lines)


if __name__ == "__main__":
    unittest.main()
