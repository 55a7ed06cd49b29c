"""Scenarios with the same answer on simulated ranks and on ranks in processes."""
GRID = {"shape": [2, 2], "names": ["dp", "tp"]}


def scenario(title, *steps, mesh=None, **more):
    return {"shardlens": 1, "title": title, "mesh": mesh or GRID, "steps": list(steps), **more}


def filled(name, shape, *placements, **more):
    return {"id": name, "call": "tensor", "shape": shape, "placements": list(placements),
            "fill": "randn", **more}


def ids(name, data, *placements):
    return {"id": name, "call": "tensor", "data": data, "dtype": "int64",
            "placements": list(placements)}


def moved(name, source, *placements, **more):
    return {"id": name, "call": "redistribute", "args": ["$" + source],
            "placements": list(placements), **more}


def lookup(title, fill="randn", **more):
    return scenario(
        title,
        filled("w", [10, 3], "R", "S(0)", fill=fill, requires_grad=True),
        ids("x", [0, 9, 4, 4, 2, 7], "S(0)", "R"),
        {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
        moved("z", "y", "S(0)", "R"),
        {"id": "l", "call": "aten.sum", "args": ["$z"]},
        {"call": "backward", "args": ["$l"]},
        {"id": "g", "call": "grad", "args": ["$w"]}, **more)


TERMS = {"id": "t", "call": "from_locals", "placements": ["P(sum)", "P(sum)"],
         "locals": [{"fill": "randn", "shape": [5, 3], "seed": seed} for seed in range(4)]}
PAIR = {"shape": [2], "names": ["tp"], "ranks": [3, 0]}

ORDER = {"ranks": [2, 0, 3, 1]}
LINE = {"shape": [4]}


def legacy(call, cut, **kwargs):
    """A lookup of the ShardedTensor API: table and ids are sharded, one chunk per rank."""
    return scenario(
        call + " " + cut, filled("w", [10, 3], cut, requires_grad=True, **ORDER),
        ids("x", [[0, 9], [4, 4], [2, 7], [1, 1], [3, 0]], "S(0)"),
        {"id": "y", "call": call, "args": ["$w", "$x"], "kwargs": kwargs},
        {"id": "l", "call": "aten.sum", "args": ["$y"]}, {"call": "backward", "args": ["$l"]},
        {"id": "g", "call": "grad", "args": ["$w"]},
        {"id": "n", "call": "detach", "args": ["$w"]}, mesh=LINE)


RUN = [
    lookup("a masked lookup, forward and back"),
    lookup("the same step by step", masking="stepwise"),
    scenario("random numbers",
             filled("x", [6, 4], "S(0)", "R"),
             {"id": "d", "call": "aten.dropout", "args": ["$x", 0.5, True]},
             {"id": "r", "call": "aten.rand_like", "args": ["$d"]}),
    scenario("replicas of large ids that differ",
             filled("w", [8, 8192], "S(0)"),
             {"id": "x", "call": "from_locals", "placements": ["R"],
              "locals": [{"data": [n, n + 1], "dtype": "int64"} for n in (0, 2, 4, 6)]},
             {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
             moved("z", "y", "R"), mesh=LINE),
    scenario("ids that are terms",
             filled("w", [8, 3], "S(0)"),
             {"id": "x", "call": "from_locals", "placements": ["P(sum)"],
              "locals": [{"data": [n, 2 - n], "dtype": "int64"} for n in (9, -5, 3, -4)]},
             {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
             moved("z", "y", "R"), mesh=LINE),
    scenario("rows with one owner, and ranks that own none",
             filled("w", [6, 2048], "S(0)"),
             ids("x", [[0, 5], [3, 3], [2, 4], [4, 0], [5, 0]], "R"),
             {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
             moved("r", "y", "R"), moved("a", "y", "S(0)"), moved("b", "y", "S(1)"),
             moved("c", "y", "S(2)"), moved("again", "y", "R"),
             {"id": "n", "call": "aten.neg", "args": ["$r"]}, mesh=LINE),
    scenario("rows with one owner in groups of two dimensions",
             filled("w", [7, 2048], "S(0)", "S(0)"),
             ids("x", [0, 5, 3, 3, 6, 1, 2, 2], "R", "R"),
             {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
             moved("r", "y", "R", "R"), moved("a", "y", "S(0)", "S(0)"),
             moved("b", "y", "R", "S(1)")),
    scenario("rows with one owner, and processes with no rank of their mesh",
             filled("w", [7, 2048], "S(0)", mesh=PAIR, requires_grad=True),
             filled("v", [7, 2048], "R", mesh=PAIR, requires_grad=True),
             {**ids("x", [0, 5, 3, 3, 6, 1, 2, 2], "R"), "mesh": PAIR},
             {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]}, moved("r", "y", "R"),
             {"id": "u", "call": "aten.embedding", "args": ["$v", "$x"]},
             {"id": "m", "call": "aten.mul.Tensor", "args": ["$r", "$u"]},
             {"id": "l", "call": "aten.sum", "args": ["$m"]}, {"call": "backward", "args": ["$l"]},
             {"id": "g", "call": "grad", "args": ["$w"]},
             {"id": "h", "call": "grad", "args": ["$v"]}),
    scenario("uneven and empty shards", filled("a", [5, 3], "S(0)", "S(0)"),
             moved("b", "a", "S(1)", "R"), moved("c", "b", "R", "S(0)"), moved("d", "c", "R", "R"),
             moved("e", "a", "S(0)", "S(0)", shard_order={"0": [1, 0]})),
    scenario("terms", TERMS, moved("s", "t", "S(0)", "R"), moved("r", "s", "R", "R"),
             moved("a", "t", "R", "P(sum)"), moved("b", "a", "S(1)", "S(1)")),
    scenario("in other dtypes", filled("a", [5, 3], "S(0)", "R", requires_grad=True),
             moved("b", "a", "R", "R", forward_dtype="bfloat16", backward_dtype="float64"),
             {"id": "l", "call": "aten.sum", "args": ["$b"]}, {"call": "backward", "args": ["$l"]},
             {"id": "g", "call": "grad", "args": ["$a"]}),
    scenario("from one rank", filled("a", [5, 3], "S(0)", "R", source=3),
             filled("b", [2], "R", "R", source=1),
             {"id": "c", "call": "aten.neg", "args": ["$a"]}),
    scenario("on some of the ranks", filled("a", [5], "S(0)", mesh=PAIR, requires_grad=True),
             {"id": "b", "call": "aten.mul.Tensor", "args": ["$a", "$a"]}, moved("c", "b", "R"),
             {"id": "l", "call": "aten.sum", "args": ["$c"]}, {"call": "backward", "args": ["$l"]},
             {"id": "g", "call": "grad", "args": ["$a"]}),
    scenario("three mesh dimensions", filled("a", [7, 4], "S(0)", "S(1)", "S(0)"),
             moved("b", "a", "R", "S(0)", "S(1)"), moved("c", "b", "R", "R", "R"),
             mesh={"shape": [2, 2, 2]}),
    scenario("complex numbers",
             {"id": "t", "call": "from_locals", "placements": ["P(sum)", "S(0)"],
              "locals": [{"data": [f"{n}-{n}.5j", "2j", n], "dtype": "complex64"}
                         for n in range(4)]},
             {"id": "c", "call": "aten._conj", "args": ["$t"]}, moved("r", "c", "R", "R"),
             moved("s", "t", "S(0)", "R"), moved("a", "r", "S(0)", "S(0)"),
             {"id": "f", "call": "aten.fft_fft", "args": ["$a"]}),
    scenario("letters beyond ASCII", {**ids("größe", [1], "R", "R"), "note": "ü"}),
    legacy("sharded_embedding", "S(0)", max_norm=1),
    legacy("sharded_embedding", "S(1)", max_norm=1, norm_type=1, padding_idx=4),
    legacy("sharded_embedding_bag", "S(0)", mode="mean", padding_idx=1),
    legacy("sharded_embedding_bag", "S(1)", mode="sum", max_norm=1),
]
REFUSED = [
    # Only ranks 2 and 3 see the invalid id. Only rank 3 has the wrong shape.
    scenario("a bad id", filled("w", [10, 3], "R", "S(0)"),
             {"id": "x", "call": "from_locals", "placements": ["S(0)", "R"],
              "locals": [{"data": [at], "dtype": "int64"} for at in (0, 0, 10, 10)]},
             {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]}),
    scenario("a bad shape", {**TERMS, "placements": ["S(0)", "R"], "locals": [
        {"data": data} for data in ([1, 2], [1, 2], [1, 2], [1, 2, 3])]}),
    scenario("an unknown operator", filled("a", [2], "R", "R"),
             {"id": "b", "call": "aten.frobnicate", "args": ["$a"]}),
    scenario("two meshes", filled("a", [2], "R", "R"), filled("b", [2], "R", mesh=PAIR),
             {"id": "c", "call": "aten.add.Tensor", "args": ["$a", "$b"]}),
    scenario("across meshes", filled("a", [2], "R", "R"), moved("b", "a", "R", mesh=PAIR)),
    scenario("a bad id of a legacy table", filled("w", [10, 3], "S(1)", **ORDER),
             {"id": "x", "call": "from_locals", "placements": ["S(0)"],
              "locals": [{"data": [at], "dtype": "int64"} for at in (0, 0, 10, 10)]},
             {"id": "y", "call": "sharded_embedding", "args": ["$w", "$x"],
              "kwargs": {"max_norm": 1}}, mesh=LINE),
]
