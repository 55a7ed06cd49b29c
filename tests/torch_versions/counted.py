"""counted.py PROGRAM [ARGUMENT ...]: runs a program, and prints how many collectives each rank calls."""
import os
import pathlib
import runpy
import sys

from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

NAMESPACES = ("c10d", "_c10d_functional", "_dtensor")
GROUPS = {"process_group", "group_name"}  # the arguments of operators that communicate


class Counted(TorchDispatchMode):
    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # DTensor calls its collectives under this mode
        if func.namespace in NAMESPACES:
            self.count += any(argument.name in GROUPS for argument in func._schema.arguments)
        return func(*args, **(kwargs or {}))

    @classmethod
    def ignore_compile_internals(cls):
        return True


def main():
    del sys.argv[0]
    sys.path.insert(0, str(pathlib.Path(sys.argv[0]).parent))
    with Counted() as counted:
        runpy.run_path(sys.argv[0], run_name="__main__")
    sys.stdout.write(f"rank {os.environ['RANK']} calls {counted.count}\n")


main()
