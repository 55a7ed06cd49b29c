"""The reports of a CommDebugMode as a table and as JSON, in the formats of DTensor's
CommDebugMode."""
import json
import typing

_YELLOW, _RED, _PLAIN = "\033[1;33m", "\033[1;31m", "\033[0m"
_TRIVIAL = {"aten.detach.default", "aten.t.default", "aten.view.default", "aten._to_copy.default",
            "aten.as_strided.default", "aten.transpose.int", "aten._lazy_clone.default"}
_PASSES = {"forward": "FORWARD PASS", "backward": "BACKWARD PASS", "checkpointing": "ACTIVATION CHECKPOINTING"}


class Operator(typing.NamedTuple):
    """A call of an operator. `shapes` and `placements` are those of its sharded tensors, empty if
    it has none."""
    name: str
    direction: str
    shapes: list
    placements: list
    mesh: str


# Returns the operators that a report of this noise level has.
def _selected(operators, noise_level):
    return [operator for operator in operators if noise_level > 2 or noise_level > 0
            and operator.name not in _TRIVIAL and (noise_level > 1 or operator.shapes)]


# Returns the table. `modules`: Module by name. `sent`: counts by module and direction. `operators`:
# lists of Operator by module.
def table(modules, sent, operators, noise_level, colours=True):
    def coloured(colour, line):
        return f"{colour}{line}{_PLAIN}" if colours else line

    lines = []
    for name, module in modules.items():
        indent = "    " * len(module.parents)
        lines.append(indent + name)
        if noise_level > 0 and module.kind:
            lines.append(f"{indent}*module type: {module.kind}")
            if placements := module.placements():
                lines.append(f"{indent}*Parameter List")
                lines += [f"{indent} *{key}: {value}" for key, value in placements.items()]
        selected = _selected(operators.get(name, []), noise_level)
        for direction, title in _PASSES.items():
            ran = [operator for operator in selected if operator.direction == direction]
            counts = sent.get(name, {}).get(direction, {})
            if ran or counts:
                lines.append(f"{indent}  {title}")
            lines += [coloured(_YELLOW, f"{indent}    *{kind}: {count}") for kind, count in counts.items()]
            for operator in ran:
                lines.append(coloured(_YELLOW, f"{indent}    **{operator.name}"))
                if operator.shapes:
                    lines += [coloured(_RED, f"{indent}      {what}") for what in (
                        f"shape: {operator.shapes}", f"sharding: {operator.placements}",
                        f"device mesh: {operator.mesh}")]
    return "".join(line + "\n" for line in lines)


# Returns the JSON text of the module `root` and its children.
def dump(modules, sent, operators, root, noise_level):
    def described(name):
        module = modules[name]
        fields = {"fqn": name, "module_type": "", "parameters": [],
                  "children": [described(child) for child in module.children]}
        if noise_level > 0:
            fields["module_type"] = module.kind
            fields["parameters"] = [(key, str(value)) for key, value in module.placements().items()]
        for direction in ("forward", "backward"):
            counts = sent.get(name, {}).get(direction, {})
            fields[f"collectives_{direction}"] = [(str(kind), count) for kind, count in counts.items()]
        selected = _selected(operators.get(name, []), noise_level)
        for direction in _PASSES:
            fields[f"operations_{direction}"] = [
                {"name": operator.name, "input_shape": [str(shape) for shape in operator.shapes],
                 "input_sharding": [str(placements) for placements in operator.placements],
                 "device_mesh": operator.mesh, "is_bw": direction != "forward",
                 "is_activation_checkpointing": direction == "checkpointing"}
                for operator in selected if operator.direction == direction]
        return fields

    return json.dumps(described(root), indent=4)
