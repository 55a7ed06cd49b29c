"""without_cuda.py FOLDER: writes the libraries of CUDA that are missing in the lib folder of torch.

torch does not load without them. The functions of those written here return an error, so torch finds no GPU and
computes on the CPU. Needs a C compiler. Writes nothing for a torch without CUDA."""
import collections
import pathlib
import re
import subprocess
import sys

LIBRARY = re.compile(r"NEEDED.*\[(lib(?:cu|nccl|nv)[^\]]*)\]")
FUNCTION = re.compile(r"^\s+U ((?:__cuda|cu|nccl|nv)\w+)(?:@(\S+))?$", re.MULTILINE)
VERSION = re.compile(r"File: (\S+)|Name: (\S+)  Flags")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def versions_of(library):
    """Yields (name of a library, version of its symbols) for each version that the library needs."""
    needed = ""
    for file, version in VERSION.findall(output("readelf", "-VW", library)):
        if version:
            yield needed, version
        needed = file or needed


def write_library(folder, name, versions):
    """Writes a library whose functions return an error. `versions`: a version, or "", -> its functions."""
    functions = sorted(set().union(*versions.values()))
    source = "".join(f"int {function}(void) {{ return 100; }}\n" for function in functions)
    script = folder / f"{name}.map"
    script.write_text("".join(f"{version} {{ {''.join(f'{function};' for function in sorted(versions[version]))} }};"
                              for version in versions if version))
    options = [f"-Wl,--version-script={script}"] if any(versions) else []
    subprocess.run(["cc", "-shared", "-nostdlib", "-fPIC", "-w", "-fno-builtin", "-x", "c", "-",
                    f"-Wl,-soname,{name}", *options, "-o", folder / name], input=source, text=True, check=True)
    script.unlink()


def main(folder):
    libraries = sorted(folder.glob("lib*.so*"))
    names = {name for each in libraries for name in LIBRARY.findall(output("readelf", "-dW", each))}
    names -= {each.name for each in libraries}
    functions = collections.defaultdict(set)  # version -> functions
    for each in libraries:
        for function, version in FUNCTION.findall(output("nm", "-D", each)):
            functions[version].add(function)
    versions = {pair for each in libraries for pair in versions_of(each) if pair[0] in names}
    for number, name in enumerate(sorted(names)):
        own = {version: functions[version] for needed, version in versions if needed == name}
        if number == 0:
            own[""] = functions[""]
        write_library(folder, name, own)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
