"""The worker process, which tests operators in turn. If one kills it, another worker tests the
rest."""
import warnings

import torch

from . import engines, samples


class Score:
    """Counts of an operator's combinations of placements that were right, refused and wrong."""

    def __init__(self):
        self.right = self.refused = self.wrong = 0
        self.ran_sharded = False
        self.first_refusal = self.first_wrong = ""

    def verdict(self):
        """Returns "right", "refused", "wrong" or "not tried". An operator that runs only on
        replicated or partial tensors counts as refused."""
        if self.wrong:
            return "wrong"
        if not self.right and not self.refused:
            return "not tried"
        return "right" if self.ran_sharded else "refused"

    # Counts one combination: refused if `refusal` is set, wrong if `difference` is set, else right.
    def add(self, placements, refusal, difference):
        if refusal is not None:
            self.refused += 1
            self.first_refusal = self.first_refusal or refusal
        elif difference is not None:
            self.wrong += 1
            self.first_wrong = self.first_wrong or f"{_text_of(placements)}: {difference}"
        else:
            self.right += 1
            self.ran_sharded |= any(isinstance(p, int) for each in placements for p in each)


def _text_of(placements):
    """Returns the placements of several tensors as text: "S(0)xR, R"."""
    return ", ".join("x".join(f"S({p})" if isinstance(p, int) else p for p in each)
                     for each in placements)


def score(engine, name, dtype, mesh_dims, most_samples, most_combinations):
    found = Score()
    for sample in samples.samples_of(name, dtype, most_samples):
        for placements in samples.combinations(sample.tensors, mesh_dims, most_combinations):
            found.add(placements, *_refusal_and_difference(engine, sample, placements))
    return found


def _refusal_and_difference(engine, sample, placements):
    """Returns (refusal, difference): the message of the engine's exception, or how the result
    differs from plain torch's. Both are None if the result is right."""
    try:
        sharded = [engine.distribute(tensor.clone(), each)
                   for tensor, each in zip(sample.tensors, placements)]
        got = [engine.full_tensor(each) for each in sample.run(sharded)]
    except Exception as error:  # pylint: disable=broad-except; engines refuse with any
        return (str(error) or type(error).__name__).splitlines()[0], None
    return None, sample.difference(got)


def work(engine, mesh, dtype, limits, names, answers):
    """Tests the operators in turn. Sends each name to `answers` before the test, and (name, Score)
    after it."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with getattr(engines, engine)(mesh) as ready:
        for name in names:
            answers.send(name)
            answers.send((name, score(ready, name, getattr(torch, dtype), len(mesh), *limits)))
    answers.close()
