"""Assembles a full tensor from the local parts of the ranks."""
import math

# A tensor is (shape, values); the values are flat and row-major.


def number(value):
    return float(value)  # also parses "nan", "inf", "-inf"


# Absolute and relative tolerance of floating-point elements, by dtype. Kernels of half precision
# round differently between devices.
TOLERANCES = {"float16": (2e-3, 2e-3), "bfloat16": (1.6e-2, 1.6e-2)}


def is_close(got, want, dtype):
    """Returns whether two elements are equal; floating ones within a tolerance. NaN equals NaN.
    `dtype` is that of the tensor."""
    a, b = number(got), number(want)
    if "float" not in dtype or math.isinf(a) or math.isinf(b):
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    absolute, relative = TOLERANCES.get(dtype, (1e-5, 1e-4))
    return abs(a - b) <= absolute + relative * abs(b)


def are_close(got, want, dtype):
    return len(got) == len(want) and all(is_close(a, b, dtype) for a, b in zip(got, want))


def chunks(positions, parts):
    size = -(-len(positions) // parts)
    return [positions[size * i : size * (i + 1)] for i in range(parts)]


def slabs(tensor, dim):
    """Splits the values by their index in dimension `dim`. Returns a list of values per index."""
    shape, values = tensor
    inner = math.prod(shape[dim + 1 :])
    stride = inner * shape[dim]
    layers = []
    for at in range(shape[dim]):
        starts = range(at * inner, len(values), stride) if values else ()
        layers.append([values[start + i] for start in starts for i in range(inner)])
    return layers


def from_slabs(layers, shape, dim):
    inner = math.prod(shape[dim + 1 :])
    values = []
    for start in range(0, math.prod(shape[:dim]) * inner, max(inner, 1)):
        for layer in layers:
            values += layer[start : start + inner]
    return shape, values


def join_shards(parts, dim, split_factor):
    n = sum(shape[dim] for shape, _ in parts)
    layers = [None] * n
    shares = [chunks(piece, len(parts)) for piece in chunks(list(range(n)), split_factor)]
    for rank, part in enumerate(parts):
        places = [at for share in shares for at in share[rank]]
        if part[0][dim] != len(places):
            raise ValueError(f"part {rank} of {n} has length {part[0][dim]}, not {len(places)}")
        for at, layer in zip(places, slabs(part, dim)):
            layers[at] = layer
    shape = list(parts[0][0])
    shape[dim] = n
    return from_slabs(layers, shape, dim)


REDUCTIONS = {
    "sum": sum,
    "avg": lambda terms: sum(terms) / len(terms),
    "min": min,
    "max": max,
    "product": math.prod,
}


def join(parts, placement, dtype):
    """Joins the parts along one mesh dimension, in coordinate order, to one tensor.

    Throws ValueError if their shapes do not fit the placement, or if replicas differ."""
    kind, _, rest = placement.replace(" ", "").rstrip(")").partition("(")
    if kind in ("S", "SS"):
        dim, _, factor = rest.partition(",")
        return join_shards(parts, int(dim), int(factor or 1))
    shape, first = parts[0]
    if any(part[0] != shape for part in parts):
        raise ValueError(f"unequal shapes under {placement}")
    if kind == "R":
        if not all(are_close(values, first, dtype) for _, values in parts):
            raise ValueError("replicas differ")
        return parts[0]
    if kind not in ("P", "MaskP"):
        raise ValueError(f"no reading of {placement}")
    fold = REDUCTIONS[rest.split(",")[0]]
    return shape, [fold([number(v) for v in terms]) for terms in zip(*(v for _, v in parts))]


def whole(result, mesh_shape):
    """Returns the values of the full tensor of a result.

    Mesh dimensions shard from left to right, so parts are joined from right to left. Masked
    partials are summed, which is right for fused lookups."""
    parts = [(local["shape"], local["data"]) for local in result["locals"]]
    for size, placement in reversed(list(zip(mesh_shape, result["placements"]))):
        groups = [parts[i : i + size] for i in range(0, len(parts), size)]
        parts = [join(group, placement, result["dtype"]) for group in groups]
    (tensor,) = parts
    if list(tensor[0]) != result["shape"]:
        raise ValueError(f"the parts make {tensor[0]}, not {result['shape']}")
    return tensor[1]


def held(result):
    """Returns the number of local elements, summed over the ranks."""
    return sum(math.prod(local["shape"]) for local in result["locals"])
