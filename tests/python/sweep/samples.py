"""PyTorch's own samples (OpInfo) of its operators, and the placements that their tensors are tested
under."""
import fnmatch
import functools
import itertools
import math
import random

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

# Operators with undefined results.
_UNFILLED = ("empty", "new_empty", "resize_")


def names_of(patterns):
    """Returns the names of the operators that match a pattern, in PyTorch's order."""
    return [name_of(op) for op in op_db
            if any(fnmatch.fnmatch(name_of(op), pattern) for pattern in patterns)]


def name_of(op):
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


class Sample:
    """A call of an operator on plain tensors (`tensors`), with its results and gradients
    (`expected`)."""

    def __init__(self, op, sample, differentiate):
        self._op = op
        self._leaves, self._tree = pytree.tree_flatten(
            ((sample.input, *sample.args), dict(sample.kwargs)))
        self._places = [at for at, leaf in enumerate(self._leaves) if isinstance(leaf, torch.Tensor)]
        self._differentiate = differentiate
        self.tensors = [self._leaves[at].detach() for at in self._places]
        self.expected = self.run([tensor.clone() for tensor in self.tensors])

    # Returns True if a second run in plain torch gives the same results.
    def is_repeatable(self):
        again = self.run([tensor.clone() for tensor in self.tensors])
        return difference(again, self.expected) is None

    def difference(self, got):
        """Returns a description of the first result in `got` that differs from plain torch's, or
        None. The tolerance includes plain torch's own rounding error, measured against float64."""
        found = difference(got, self.expected)
        return found and difference(got, self.expected, self._exact)

    @functools.cached_property
    def _exact(self):
        """The results in float64, or None if the operator does not support it."""
        try:
            return self.run([_wide(tensor) for tensor in self.tensors])
        except Exception:  # pylint: disable=broad-except; operators refuse with any
            return None

    def run(self, tensors):
        """Runs the operator on these tensors. Returns its results, then the gradients of the
        tensors; a gradient is None if the results do not depend on the tensor."""
        leaves = list(self._leaves)
        wanted = []
        for at, tensor in zip(self._places, tensors):
            if self._differentiate and (tensor.is_floating_point() or tensor.is_complex()):
                wanted.append(tensor.requires_grad_())
            leaves[at] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self._tree)
        made = pytree.tree_leaves(self._op(*args, **kwargs))
        ends = [each for each in made if isinstance(each, torch.Tensor) and each.requires_grad]
        if ends and wanted:
            sum(_loss(each) for each in ends).backward()
        return [each.detach() if isinstance(each, torch.Tensor) else each for each in made] + [
            tensor.grad for tensor in wanted]


def _loss(tensor):
    """Returns a scalar loss whose gradient differs from element to element."""
    if tensor.is_complex():
        return (tensor * tensor.detach().conj()).sum().real
    return (tensor * tensor.detach()).sum()


def samples_of(name, dtype, most):
    """Returns up to `most` samples that have more than one element and are repeatable in plain
    torch. Empty if the operator does not support the dtype."""
    return itertools.islice(_all_samples(name, dtype), most)


def _all_samples(name, dtype):
    op = next(op for op in op_db if name_of(op) == name)
    if dtype not in op.supported_dtypes("cpu") or op.name.startswith(_UNFILLED):
        return
    differentiate = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    for given in _made(op.sample_inputs("cpu", dtype, requires_grad=False)):
        try:
            sample = Sample(op, given, differentiate)
            is_repeatable = sample.is_repeatable()
        except Exception:  # pylint: disable=broad-except; not a sample of a call that runs
            continue
        if is_repeatable and any(tensor.numel() > 1 for tensor in sample.tensors):
            yield sample


def _made(given):
    """Yields the samples up to the first that raises: sparse tensors do not exist under
    LocalTensorMode."""
    try:
        yield from given
    except RuntimeError:
        pass


def combinations(tensors, mesh_dims, most):
    """Returns up to `most` combinations: for each tensor a tuple with one placement per mesh
    dimension. A placement is "R", "P" or the sharded dimension.

    Returns all combinations if they are few enough. Else prefers those where only one tensor is not
    replicated or all tensors have the same placements, and adds random ones. The choice is
    deterministic."""
    each = [[*itertools.product(_placements(tensor), repeat=mesh_dims)] for tensor in tensors]
    if math.prod(len(options) for options in each) <= most:
        return list(itertools.product(*each))
    whole = ("R",) * mesh_dims
    chosen = dict.fromkeys(
        tuple(option if other == at else whole for other in range(len(each)))
        for at, options in enumerate(each) for option in options)
    chosen.update(dict.fromkeys((option,) * len(each) for option in each[0]
                                if all(option in options for options in each)))
    drawn = random.Random(len(each))
    chosen = dict.fromkeys(drawn.sample(list(chosen), min(len(chosen), most - most // 4)))
    while len(chosen) < most:
        chosen[tuple(drawn.choice(options) for options in each)] = None
    return list(chosen)


def _placements(tensor):
    sums = [] if tensor.dtype == torch.bool else ["P"]
    return ["R", *range(tensor.dim()), *sums]


def difference(got, expected, exact=None):
    """Returns a description of the first result that differs, or None. With `exact` results in
    float64, the tolerance grows by the rounding error of `expected`."""
    if len(got) != len(expected):
        return f"got {len(got)} results, expected {len(expected)}"
    for at, (one, other) in enumerate(zip(got, expected)):
        why = _difference(one, other, exact and exact[at])
        if why is not None:
            return f"result {at}: {why}"
    return None


def _difference(got, expected, exact):
    if not isinstance(expected, torch.Tensor):
        is_same = got == expected or (got != got and expected != expected)
        return None if is_same else f"got {got}, expected {expected}"
    if not isinstance(got, torch.Tensor):
        return f"got {got}, expected a tensor"
    if (got.shape, got.dtype) != (expected.shape, expected.dtype):
        return (f"got {got.dtype} of shape {list(got.shape)}, "
                f"expected {expected.dtype} of shape {list(expected.shape)}")
    # Ranks may add partial values in another order.
    relative = {torch.bfloat16: 2e-2, torch.float16: 2e-3, torch.float64: 1e-7,
                torch.complex128: 1e-7}.get(expected.dtype, 1e-4)
    scale = max(1.0, _largest(expected))
    absolute = relative / 10 * scale
    if isinstance(exact, torch.Tensor) and exact.shape == expected.shape:
        absolute = max(absolute, min(4 * _largest(exact - expected), scale / 100))
    close = torch.isclose(got, expected, rtol=relative, atol=absolute, equal_nan=True)
    if close.all():
        return None
    where = tuple((~close).nonzero()[0].tolist())
    return f"got {got[where].item()}, expected {expected[where].item()} at {list(where)}"


def _largest(tensor):
    """Returns the largest absolute value of the finite elements; 0 if there are none."""
    finite = tensor[tensor.isfinite()].abs()
    return finite.max().item() if finite.numel() else 0.0


# Returns a copy in float64 or complex128; integers keep their dtype.
def _wide(tensor):
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    return tensor.double() if tensor.is_floating_point() else tensor.clone()
