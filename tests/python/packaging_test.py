"""How pip builds the package: the torch folder that it finds, and its settings."""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import venv

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "app/python/backend"))

# What pip puts into PYTHONPATH of an isolated build: a module that hides the environment's packages.
HIDE_PACKAGES = """
import sys
sys.path[:] = [folder for folder in sys.path if "site-packages" not in folder and "elsewhere" not in folder]
"""


class TorchOfPython(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", self.folder], check=True))
        venv.create(self.folder / "venv", symlinks=True)
        self.python = self.folder / "venv/bin/python3"
        packages = next((self.folder / "venv/lib").glob("python3*/site-packages"))
        self.torch = self.folder / "elsewhere/torch"
        (self.torch / "lib").mkdir(parents=True)
        (self.torch / "__init__.py").write_text("raise SystemExit('torch was imported')")
        (packages / "elsewhere.pth").write_text(str(self.torch.parent))

    # Returns what CMake finds, with PYTHONPATH if `path` is given.
    def found(self, abi="", path=None):
        script = self.folder / "find.cmake"
        script.write_text(f'include("{ROOT}/app/cmake/torch_of_python.cmake")\n'
                          f'shardlens_torch_of("{self.python}" found {abi})\nmessage("[${{found}}]")\n')
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        answer = subprocess.run(["cmake", "-P", script], env=environment, capture_output=True, text=True,
                                check=True)
        return answer.stderr.strip()

    def test_of_an_environment_that_names_it_by_a_pth_file(self):
        self.assertEqual(self.found(), f"[{self.torch}]")

    def test_in_an_isolated_build(self):
        (self.folder / "overlay").mkdir()
        (self.folder / "overlay/sitecustomize.py").write_text(HIDE_PACKAGES)
        self.assertEqual(self.found(path=self.folder / "overlay"), f"[{self.torch}]")

    def test_that_only_pythonpath_names(self):
        for pth in (self.folder / "venv").rglob("elsewhere.pth"):
            pth.unlink()
        self.assertEqual(self.found(), "[]")
        self.assertEqual(self.found(path=self.torch.parent), f"[{self.torch}]")

    def test_of_a_python_with_another_abi_is_not_taken(self):
        self.assertEqual(self.found(abi=sysconfig.get_config_var("SOABI")), f"[{self.torch}]")
        self.assertEqual(self.found(abi="cpython-399-x86_64-linux-gnu"), "[]")

    def test_without_libraries_is_not_taken(self):
        (self.torch / "lib").rmdir()
        self.assertEqual(self.found(), "[]")


class UnsupportedTorch(unittest.TestCase):
    def test_is_refused_with_its_version_and_the_setting_that_needs_no_torch(self):
        for version in ("headeronly", "csrc/api/include/torch"):  # newer and older versions of torch
            with self.subTest(version=version), tempfile.TemporaryDirectory() as folder:
                torch = pathlib.Path(folder, "torch")
                for file in ("lib/libtorch_cpu.so", "lib/libc10.so", "include/ATen/ATen.h"):
                    (torch / file).parent.mkdir(parents=True, exist_ok=True)
                    (torch / file).touch()
                header = torch / "include/torch" / version / "version.h"
                header.parent.mkdir(parents=True)
                header.write_text("#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 8\n"
                                  "#define TORCH_VERSION_PATCH 1\n")
                script = pathlib.Path(folder, "find.cmake")
                script.write_text(f'cmake_minimum_required(VERSION 3.25)\nset(SHARDLENS_TORCH "{torch}")\n'
                                  f'list(APPEND CMAKE_MODULE_PATH "{ROOT}/app/cmake")\n'
                                  'set(SHARDLENS_PYTHON_ALONE ON)\ninclude(FindTorchWheel)\n')
                refusal = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=False)
                self.assertEqual(refusal.returncode, 1)
                stated = " ".join(refusal.stderr.split())
                self.assertIn(f"torch 2.8.1 in {torch}: Shardlens is written against torch 2.11 and 2.15", stated)
                self.assertIn("pip install ./app/python --config-settings engine=off", stated)


class Settings(unittest.TestCase):
    def setUp(self):
        try:
            import shardlens_backend
        except ImportError:
            self.skipTest("scikit_build_core is not installed")
        self.translated = shardlens_backend._translated

    def test_become_options_of_cmake(self):
        self.assertEqual(self.translated({"engine": "off", "window": "on", "cmake.build-type": "Debug"}),
                         {"cmake.define.SHARDLENS_TORCH_FREE": "ON", "cmake.define.SHARDLENS_WINDOW": "ON",
                          "cmake.build-type": "Debug"})
        self.assertEqual(self.translated({"engine": "on"}), {"cmake.define.SHARDLENS_TORCH_FREE": "OFF"})
        self.assertEqual(self.translated(None), {})

    def test_with_other_values_are_refused(self):
        with self.assertRaises(SystemExit) as refusal:
            self.translated({"engine": "none"})
        self.assertEqual(str(refusal.exception), "--config-settings engine: got 'none', expected on or off")


if __name__ == "__main__":
    unittest.main()
