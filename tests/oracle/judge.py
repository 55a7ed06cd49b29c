"""Compares an answer of `shardlens run --json` with DTensor's answer. README.md has the rules."""
from collections import Counter

from whole import are_close, held, whole

# The collectives, ranked by the bytes they move. A higher weight moves more.
WEIGHT = {"all_to_all": 1, "scatter": 1, "broadcast": 2, "reduce_scatter": 2, "all_gather": 3,
          "all_reduce": 4}


def step_names(scenario):
    return [step.get("id", f"step{i}") for i, step in enumerate(scenario["steps"])]


def kinds_by_step(answer):
    kinds = {}
    for entry in answer["collectives"]:
        kinds.setdefault(entry["step"], Counter())[entry["kind"]] += entry.get("count", 1)
    return kinds


def weight(kinds):
    return sum(WEIGHT[kind] * count for kind, count in kinds.items())


def is_masked(result):
    return any(placement.startswith("MaskP") for placement in result["placements"])


def complaints(case, answer):
    """Returns the list of errors in an answer; empty if it is right. `answer` may be None."""
    if answer is None:
        return ["no answer"]
    if "must_refuse" in case:
        return list(refusal_complaints(case["must_refuse"], answer))
    if not answer["ok"]:
        return ["{step} is refused: {message}".format(**answer["error"])]
    if case.get("upstream_wrong") or not case["expect"]["ok"]:
        return list(plain_complaints(case, answer))
    return list(dtensor_complaints(case, answer))


def refusal_complaints(refusal, answer):
    if answer["ok"]:
        yield f"{refusal['step']} ran, expected a refusal"
        return
    step, message = answer["error"]["step"], answer["error"]["message"]
    if step != refusal["step"]:
        yield f"{step} is refused, not {refusal['step']}: {message}"
    for word in refusal["words"]:
        if word.lower() not in message.lower():
            yield f"the message does not say '{word}': {message}"


def plain_complaints(case, answer):
    """Requires every result to equal that of plain PyTorch. For cases where DTensor fails."""
    for name, want in case["dense"].items():
        got = answer["results"].get(name)
        if got is None:
            yield f"{name} is missing"
        elif got["shape"] != want["shape"]:
            yield f"{name}: shape {got['shape']}, not {want['shape']}"
        else:
            yield from whole_complaints(name, got, want["data"], case["scenario"])


def whole_complaints(name, got, want, scenario):
    try:
        values = whole(got, scenario["mesh"]["shape"])
    except ValueError as error:
        yield f"{name}: {error}"
        return
    if not are_close(values, want, got["dtype"]):
        yield f"{name} under {got['placements']} is another tensor"


def dtensor_complaints(case, answer):
    """Compares the answer with DTensor's, step by step.

    After no step may there be more collectives than DTensor needed up to it. Other placements
    than DTensor's are allowed after fewer collectives, and for a gradient with fewer local
    elements."""
    scenario, expect = case["scenario"], case["expect"]
    ours, theirs = kinds_by_step(answer), kinds_by_step(expect)
    sent = allowed = 0
    alike = True  # all placements so far are DTensor's, so its collectives are comparable
    for step, name in zip(scenario["steps"], step_names(scenario)):
        mine, its = ours.get(name, Counter()), theirs.get(name, Counter())
        sent, allowed = sent + mine.total(), allowed + its.total()
        if sent > allowed:
            yield f"{name}: {sent} collectives so far, DTensor {allowed}"
        results = [key for key in expect["results"] if key == name or key.startswith(name + ".")]
        for key in results:
            got, want = answer["results"].get(key), expect["results"][key]
            if got is None:
                yield f"{key} is missing"
                continue
            fewer = sent < allowed or (step["call"] == "grad" and held(got) < held(want))
            yield from result_complaints(key, got, want, fewer, scenario)
            alike = alike and got["placements"] == want["placements"]
        if alike and step["call"] == "redistribute":
            yield from kind_complaints(name, mine, its)


def result_complaints(name, got, want, fewer, scenario):
    for key in ("shape", "dtype"):
        if got[key] != want[key]:
            yield f"{name}: {key} {got[key]}, not {want[key]}"
            return
    if got["placements"] != want["placements"]:
        if not fewer:
            yield f"{name}: placements {got['placements']}, not {want['placements']}"
        if not is_masked(want):
            want_values = whole(want, scenario["mesh"]["shape"])
            yield from whole_complaints(name, got, want_values, scenario)
        return
    for mine, its in zip(got["locals"], want["locals"], strict=True):
        rank = its["rank"]
        if mine["rank"] != rank or mine["shape"] != its["shape"]:
            yield f"{name}: rank {mine['rank']} has shape {mine['shape']}, not {its['shape']}"
        # Masked rows have no defined values. The step that reduces them is checked.
        elif not is_masked(want) and not are_close(mine["data"], its["data"], want["dtype"]):
            yield f"{name}: rank {rank} has other values"


def kind_complaints(name, mine, its):
    if its and not mine:
        yield f"{name} names no collective, DTensor {dict(its)}"
    if weight(mine) > weight(its):
        yield f"{name}: {dict(mine)}, where DTensor needs {dict(its)}"
