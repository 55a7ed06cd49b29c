"""The fenced code blocks of a Markdown page, and what their info strings mean.

    ```sh                          a shell runs the commands; each must end with exit code 0,
                                   or with N if its comment contains "exit code N"
    ```python                      Python runs the program
    ```python file=NAME            the block is written to this file, which later blocks use
    ```json file=NAME              the same; a JSON block with "steps" is a scenario and is also run
    ```text output                 the lines must be in the output of the block before, in this order
    ```text                        is not run
    ```sh not-run: REASON          is not run, for this reason; for every language
"""
import dataclasses
import re

FENCE = re.compile(r"^( *)```(.*)$")
INFO = re.compile(r"(?P<language>sh|python|json|text)(?: (?:file=(?P<file>[\w.-]+)|(?P<output>output)|"
                  r"not-run: (?P<reason>.+)))?")


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    file: str = None
    output: bool = False
    reason: str = None


def blocks_of(markdown):
    """Returns the blocks of a page. Raises ValueError, with the line, for an info string that has no meaning."""
    blocks, opened = [], None
    for number, line in enumerate(markdown.splitlines(), 1):
        fence = FENCE.match(line)
        if not fence:
            if opened:
                opened.text += line[indent:] + "\n"
        elif opened:
            blocks.append(opened)
            opened = None
        else:
            info = INFO.fullmatch(fence[2])
            if not info:
                raise ValueError(f"{number}: code block {fence[2]!r}, expected sh, python, json or text, and file=NAME, "
                                 "output or not-run: REASON")
            indent = len(fence[1])
            opened = Block(number + 1, info["language"], "", info["file"], bool(info["output"]), info["reason"])
    if opened:
        raise ValueError(f"{opened.line}: code block without an end")
    return blocks


def commands_of(script):
    """Yields (number of the line in the block, command, expected exit code). A backslash continues a command."""
    lines = script.splitlines()
    begun = 0
    for number, line in enumerate(lines):
        if line.endswith("\\"):
            continue
        command = "\n".join(lines[begun:number + 1])
        if command.strip() and not command.lstrip().startswith("#"):
            code = re.search(r"#.*\bexit code (\d+)", command)
            yield begun, command, int(code[1]) if code else 0
        begun = number + 1


def missing_line(expected, output):
    """Returns the first expected line that is not in the output behind the line expected before it, or None. The line
    "..." stands for any lines."""
    rest = iter([line.strip() for line in output.splitlines()])
    for line in expected.splitlines():
        line = line.strip()
        if line and line != "..." and line not in rest:
            return line
    return None
