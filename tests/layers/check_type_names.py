#!/usr/bin/env python3
"""Checks that no two headers of the product define types with the same qualified name.

    check_type_names.py FOLDER

The linker accepts two such types silently and uses one destructor for both, against the
one-definition rule. Prints a line per name; exit status 1.
"""
import os
import re
import sys

ROOMS = ("app", "core", "kernels", "ui")
HEADER_ENDINGS = (".h", ".cuh")

COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^\s*#[^\n]*', re.S | re.M)
TOKEN = re.compile(
    r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
    r"|(?<![\w<,])(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+(?:alignas\([^)]*\)\s*)?"
    r"(?P<type>[\w:]+)(?:\s+final)?\s*(?::[^;{()]*)?\{"
    r"|using\s+(?P<alias>\w+)\s*="
    r"|(?P<open>\{)|(?P<close>\})")


def types_of(text):
    """Yields the types that a header defines at namespace scope, as "shardlens::cli::Ink"."""
    text = COMMENT_OR_LITERAL.sub(" ", text)
    around = []  # enclosing scopes: the name of a namespace, None for any other brace
    for token in TOKEN.finditer(text):
        name = token["type"] or token["alias"]
        if name and None not in around:
            yield "::".join(part for part in around + [name] if part)
        if token["close"]:
            if around:
                around.pop()
        elif token["namespace"] is not None:
            around.append(token["namespace"])
        elif not token["alias"]:
            around.append(None)


def headers(root):
    for top in ROOMS:
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(n for n in names if n.endswith(HEADER_ENDINGS)):
                yield os.path.relpath(os.path.join(folder, name), root)


def doubled(root):
    where = {}
    for path in headers(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for name in set(types_of(file.read())):
                where.setdefault(name, []).append(path)
    for name, paths in sorted(where.items()):
        if len(paths) > 1:
            yield f"{name} is defined in {' and in '.join(paths)}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(doubled(sys.argv[1]))
    print("\n".join(found) if found else "every type name is defined once")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
