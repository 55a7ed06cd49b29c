#!/usr/bin/env python3
"""Checks the links and commands of the READMEs and of the handbook, and the length of the READMEs.

    check_handbook.py FOLDER

A relative link must lead to a file or folder, and to a heading of a Markdown file. A link gallery:NAME must name an
entry of the gallery, and command:ID a command of the window. A room with more files than MOST_FILES has a README. In a code block of a shell and in inline code, the word after
`shardlens` must be a subcommand of app/cli, and after `-m shardlens` one of the Python package. Prints a line per
violation; exit status 1.
"""
import os
import re
import sys

README = "README.md"
DESIGN = "core/README.md"
HANDBOOK = "resources/handbook"
CLI = "app/cli"
PYTHON = "app/python/shardlens/__main__.py"
MOST_LINES = 150
MOST_PARAGRAPH_LINES = 4
MOST_ROOM_LINES = 20  # of the README of a room
MOST_FILES = 15  # of a room without a README
GALLERY = "resources/gallery"
CATALOGUE = "ui/shell/command_catalogue.cpp"
SHELLS = ("", "sh", "bash", "console")

FENCE = re.compile(r"^\s*```(\w*)")
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
SCHEME = re.compile(r"^([a-z][a-z+.-]*):(.*)")
HEADING = re.compile(r"^#+ +(.*)$")
COMMAND_ENTRY = re.compile(r'^\s*\{"(\w+)", (?:Go|File|Edit|View|Help),', re.M)
COMMENT = re.compile(r"(?:^|\s)#.*")
COMMAND = re.compile(r"(?P<module>-m\s+)?(?<![\w.-])(?:[\w.]+/)*shardlens\s+(?P<name>[a-z][\w-]*)")
CLI_ADDS = re.compile(r'\bline\.add(?:Hidden)?\(\s*"([\w-]+)"|\baddCopy\(line,\s*"([\w-]+)"')
PYTHON_ADDS = re.compile(r'\.add_parser\(\s*"([\w-]+)"')
STARTS_PARAGRAPH = re.compile(r"^\s*(?:[-*+]|\d+\.)\s")
NO_PARAGRAPH = re.compile(r"^\s*(?:#|\||!\[)")


def numbered(text):
    """Yields (number, language, line). The language is None for prose, and "" for a code block without one."""
    language = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence:
            language = fence[1] if language is None else None
        else:
            yield number, language, line


def anchors_of(text):
    """Returns the anchors that GitHub gives to the headings of a page."""
    anchors = []
    for _, language, line in numbered(text):
        heading = HEADING.match(line)
        if language is None and heading:
            anchor = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
            count = sum(each == anchor or re.fullmatch(re.escape(anchor) + r"-\d+", each) is not None for each in anchors)
            anchors.append(f"{anchor}-{count}" if count else anchor)
    return anchors


def link_complaints(path, text, exists, anchors=lambda page: None, schemes=None):
    """`exists` is called with a path from the root of the repository. `anchors` returns those of a Markdown page, or
    None if they are unknown. `schemes` maps a scheme to the names that may follow it; other schemes lead elsewhere."""
    for number, language, line in numbered(text):
        if language is not None:
            continue
        for target in LINK.findall(INLINE.sub("", line)):
            scheme = SCHEME.match(target)
            if scheme:
                if scheme[1] in (schemes or {}) and scheme[2] not in schemes[scheme[1]]:
                    yield f"{path}:{number}: link to {target}, expected a known {scheme[1]} name"
                continue
            file, _, anchor = target.partition("#")
            leads_to = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if leads_to.startswith("..") or not exists(leads_to):
                yield f"{path}:{number}: link to {target}, expected a file of the repository"
            elif anchor and leads_to.endswith(".md") and anchor not in (anchors(leads_to) or [anchor]):
                yield f"{path}:{number}: link to {target}, expected a heading of {leads_to}"


def command_complaints(path, text, commands, modules):
    """`commands` are the subcommands of shardlens, `modules` those of python -m shardlens."""
    for number, language, line in numbered(text):
        if language is None:
            parts = INLINE.findall(line)
        else:
            parts = [COMMENT.sub("", line)] if language in SHELLS else []
        for found in (each for part in parts for each in COMMAND.finditer(part)):
            if found["name"] not in (modules if found["module"] else commands):
                program = "python -m shardlens" if found["module"] else "shardlens"
                yield f"{path}:{number}: {program} {found['name']}, expected one of its subcommands"


def length_complaints(path, text, most=MOST_LINES):
    count = len(text.splitlines())
    if count > most:
        yield f"{path}: {count} lines, expected at most {most}"
    length = 0
    for number, language, line in numbered(text):
        if language is not None or not line.strip() or NO_PARAGRAPH.match(line):
            length = 0
            continue
        length = 1 if STARTS_PARAGRAPH.match(line) else length + 1
        if length == MOST_PARAGRAPH_LINES + 1:
            yield f"{path}:{number}: expected a paragraph of at most {MOST_PARAGRAPH_LINES} lines"


def contents_complaints(index, text, pages):
    """`pages` are the names of the files beside the table of contents."""
    linked = {target.split("#")[0] for target in LINK.findall(text)}
    for page in pages:
        if page != os.path.basename(index) and page not in linked:
            yield f"{index}: expected a link to {page}"


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def subcommands(root):
    """Returns the names of the subcommands of shardlens and of python -m shardlens."""
    commands = set()
    for folder, _, names in os.walk(os.path.join(root, CLI)):
        for name in (n for n in names if n.endswith(".cpp")):
            found = CLI_ADDS.findall(read(folder, name))
            commands.update(one or other for one, other in found)
    return commands, set(PYTHON_ADDS.findall(read(root, PYTHON)))


def rooms_of(root):
    """Yields (folder, whether it has a README, number of its source files) for each room."""
    for top in ("app", "core", "kernels", "ui"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            count = sum(name.endswith((".h", ".cpp", ".cu", ".cuh", ".py")) for name in names)
            yield os.path.relpath(folder, root), README in names, count


def violations(root):
    def exists(path):
        return os.path.exists(os.path.join(root, path))

    def anchors(path):
        return anchors_of(read(root, path))

    schemes = {"gallery": {os.path.splitext(name)[0] if name.endswith(".json") else name
                           for name in os.listdir(os.path.join(root, GALLERY))},
               "command": set(COMMAND_ENTRY.findall(read(root, CATALOGUE)))}
    names = subcommands(root)
    pages = sorted(n for n in os.listdir(os.path.join(root, HANDBOOK)) if n.endswith(".md"))
    readmes = [f"{folder}/{README}" for folder, has_readme, _ in rooms_of(root) if has_readme]
    for path in [README] + readmes + [f"{HANDBOOK}/{page}" for page in pages]:
        text = read(root, path)
        yield from link_complaints(path, text, exists, anchors, schemes)
        yield from command_complaints(path, text, *names)
    yield from length_complaints(README, read(root, README))
    for path in readmes:
        yield from length_complaints(path, read(root, path), MOST_LINES if path == DESIGN else MOST_ROOM_LINES)
    for folder, has_readme, count in rooms_of(root):
        if count > MOST_FILES and not has_readme:
            yield f"{folder}: {count} files, expected a {README}"
    index = f"{HANDBOOK}/index.md"
    yield from contents_complaints(index, read(root, index), pages)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(violations(sys.argv[1]))
    print("\n".join(found) if found else "every link leads to a file, and every command exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
