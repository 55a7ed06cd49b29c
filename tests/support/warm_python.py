"""A Python interpreter for tests whose programs start with torch imported.

Importing torch takes most of the time of a short program. warm_python() starts a server that imports torch once, and
returns the path of an executable that takes the place of `python`: it has the server fork a process that runs the
command line with the caller's arguments, environment, folder and streams, and ends as that process ends. Each program
is a separate process, as torchrun's ranks are when torchrun itself runs on this interpreter.

Known: -c, -m, -u, -W and scripts. Options that change how Python starts need a real start.
"""
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

_CLIENT = """#!{python} -IS
import array, json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
request = json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode()
server.sendmsg([len(request).to_bytes(8, "little")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
server.sendall(request)
answers = server.makefile("r")
child = int(answers.readline())
def forward(number, frame):
    try:
        os.kill(child, number)
    except ProcessLookupError:
        pass  # the child has ended; its code follows
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, forward)
code = int(answers.readline())
if code < 0:
    if -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


def warm_python(*modules, python=sys.executable):
    """Starts a server of this Python that has imported these modules and ends with this process. Returns the
    executable's path. Raises ImportError if the server cannot import them."""
    folder = tempfile.TemporaryDirectory()
    address, executable = os.path.join(folder.name, "socket"), os.path.join(folder.name, "python")
    with open(executable, "w", encoding="utf-8") as file:
        file.write(_CLIENT.format(python=os.path.realpath(python), address=address))
    os.chmod(executable, 0o755)
    ours, theirs = os.pipe()
    server = subprocess.Popen([python, __file__, address, executable, *modules], stdin=ours,
                              stdout=subprocess.PIPE, text=True)
    os.close(ours)
    answer = server.stdout.readline()
    if answer != "ready\n":
        os.close(theirs)
        raise ImportError(f"warm_python: got {answer!r} of {python}, expected it to import {', '.join(modules)}")

    def end():
        os.close(theirs)
        server.wait()
        folder.cleanup()
    atexit.register(end)
    return executable


def _serve(address, modules):
    """Forks a process for each client. Returns only in the forked processes, with the client's connection. Ends when
    standard input is closed, because the test has ended then."""
    import gc
    import select
    try:
        for module in modules:
            __import__(module)
    except (ImportError, OSError) as error:  # OSError: a library of the module is missing
        sys.exit(str(error))
    gc.freeze()  # the forks share what is imported
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing waits for the forks of this process
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen(64)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([server, sys.stdin], [], [])
            if sys.stdin in ready:
                os._exit(0)
            client, _ = server.accept()
            if os.fork() == 0:
                return client
            client.close()


def _start(client):
    """Reads a client's request and forks the program. Returns the request in the program's process. The calling process
    reports the child's number and exit code to the client, kills the child if the client is gone, and exits."""
    import select
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(client, 8, 3)
    with client.makefile("rb") as stream:
        request = json.loads(stream.read(int.from_bytes(size, "little")))
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        client.close()
        return request
    for stream in streams:
        os.close(stream)
    try:
        client.sendall(f"{child}\n".encode())
    except OSError:
        pass  # the client is gone, which select() reports
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, client], [], [])
    if ended not in ready:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        client.sendall(f"{code}\n".encode())
    except OSError:
        pass  # the client is gone
    os._exit(0)


def _run(arguments, environment, folder, executable):
    """Runs a command line of Python in this process."""
    import runpy
    import types
    import warnings
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.executable = executable
    if "torch" in sys.modules and "OMP_NUM_THREADS" in environment:
        sys.modules["torch"].set_num_threads(int(environment["OMP_NUM_THREADS"]))
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:0] = [path for path in paths if path not in sys.path]
    while arguments[0] in ("-u", "-W"):
        if arguments.pop(0) == "-u":
            sys.stdout.reconfigure(write_through=True)
        else:
            warnings.simplefilter(arguments.pop(0))
    if arguments[0] == "-m":
        sys.path.insert(0, os.getcwd())
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *arguments[2:]]
        sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), sys.modules["__main__"].__dict__)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    _, _address, _executable, *_modules = sys.argv
    sys.path.pop(0)
    _run(*_start(_serve(_address, _modules)), _executable)
