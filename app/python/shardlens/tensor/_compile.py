"""Makes torch.compile run programs eagerly, with a warning.

Compiled code would bypass the dispatcher, and with it the engine, and access the memory of plain
tensors.
"""
import functools
import sys
import warnings

import torch

_EAGERLY = ("torch.compile: got a program of shardlens.tensor, which runs eagerly, as if it were not "
            "compiled, so that each of its operators runs on the engine's ranks and can be recorded; on "
            "torch's own DTensor it is compiled")


# Replaces torch.compile.
def install():
    plain = torch.compile

    @functools.wraps(plain)
    def compile(model=None, **options):
        if model is None:  # used as a decorator with options
            return functools.partial(compile, **options)
        warnings.warn(_EAGERLY, stacklevel=2)
        made = plain(model, **options)
        torch.compiler.set_stance("force_eager")
        return made
    torch.compile = compile
    if "torch._dynamo" in sys.modules:  # for functions that were compiled before
        torch.compiler.set_stance("force_eager")
