"""Cuts a file of Python tests into ctest entries of similar length: see PARTS of shardlens_ctest()."""
import os
import unittest


def load_tests(loader, tests, pattern):  # pylint: disable=unused-argument
    """For a module that imports this name: with SHARDLENS_TEST_PART=2/3, unittest runs every third test, from the
    second on."""
    part, parts = map(int, os.environ.get("SHARDLENS_TEST_PART", "1/1").split("/"))
    cases = [case for classes in tests for case in classes]
    return unittest.TestSuite(cases[part - 1::parts])
