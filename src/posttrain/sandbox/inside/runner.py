"""One execution: an init that outlives it and reports, and the process that carries out the job.

    lane ── fork ──► init ── fork ──► job ──► candidate code and its descendants
                      │  reaps, kills what is left, reports on the status socket, exits
                      └─ holds the status socket, which the job gives up at ``consult``

Messages on the status socket: ``H`` init is there (its credentials ride along), then from the
driver the job itself, then ``C`` candidate code is about to run, ``F`` + text the job could not
be set up, ``E`` + ``REPORT`` the tree is dead. Nothing that a candidate can reach still holds
the socket when candidate code runs, so that no ``C`` can be taken back and no ``E`` forged.
"""

import contextlib
import fcntl
import gc
import json
import os
import resource
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from posttrain.sandbox.inside import kernel

__all__ = ["REPORT", "Enclosure", "execute"]

REPORT = struct.Struct("<iidQQQI")
"""exit code, signal, CPU seconds, largest resident bytes of one process, disk bytes used, files
used, processes left when the job's own process ended."""

_MESSAGE_BYTES = 1 << 18
_MAX_FDS = 64
_SETUP_FAILED = 125
_NOT_EXECUTABLE = 126
_NOT_FOUND = 127

Main = Callable[[bytes, tuple[int, ...]], object]


class Enclosure(Protocol):
    """What ``entry`` offers: how an execution is kept apart."""

    def fork(self) -> int: ...
    def enter(self) -> None: ...
    def narrow(self, *, disk_bytes: int, files: int, loopback: bool) -> str: ...
    def room_used(self) -> tuple[int, int]: ...
    def remove(self) -> None: ...


class _Stopped(Exception):  # noqa: N818 - a request from the driver, not an error
    """The driver asked an init without a pid namespace to end its tree."""


def execute(
    status: socket.socket, enclosure: Enclosure, program: dict[str, Any] | None
) -> NoReturn:
    """Be the init of one execution; ``program`` is the loaded module's namespace."""
    kernel.set_parent_death_signal(signal.SIGTERM if os.getpid() != 1 else signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        enclosure.enter()
    except OSError as error:
        status.send(b"F" + str(error).encode())
        os._exit(_SETUP_FAILED)
    signal.signal(signal.SIGTERM, _stop)
    job = os.fork()
    if job == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _carry_out(status, enclosure, program)
    kernel.set_dumpable(False)
    status.send(b"H")
    _supervise(job, status, enclosure)


def _stop(signal_number: int, frame: object) -> None:
    raise _Stopped


def _supervise(job: int, status: socket.socket, enclosure: Enclosure) -> NoReturn:
    wait_status = signal.SIGKILL.value
    with contextlib.suppress(_Stopped):
        pid = 0
        while pid != job:
            pid, wait_status = os.waitpid(-1, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    num_left = _kill_descendants()
    code = os.waitstatus_to_exitcode(wait_status)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = REPORT.pack(
        max(code, 0),
        max(-code, 0),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
        *enclosure.room_used(),
        num_left,
    )
    enclosure.remove()
    with contextlib.suppress(OSError):
        status.send(b"E" + report)
    os._exit(0)


def _kill_descendants() -> int:
    """End every process below this init; returns how many there were at first."""
    if os.getpid() == 1:
        return _kill_namespace()
    first = None
    while True:
        below = _descendants(os.getpid())
        first = len(below) if first is None else first
        if not below:
            return first
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _reap(os.WNOHANG)


def _kill_namespace() -> int:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0
    num_left = sum(name.isdigit() for name in os.listdir("/proc")) - 1
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    _reap(0)
    return num_left


def _reap(options: int) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _descendants(root: int) -> list[int]:
    found: list[int] = []
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children") as file:
                    waiting.extend(int(child) for child in file.read().split())
        found.append(pid)
    return found[1:]


def _carry_out(
    status: socket.socket, enclosure: Enclosure, program: dict[str, Any] | None
) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _volunteer_for_oom_kill()
    message, fds, _, _ = socket.recv_fds(status, _MESSAGE_BYTES, _MAX_FDS)
    if not message:
        os._exit(0)
    status_fd = _move_up(status.detach())
    try:
        header, body, fds = _decode(message, list(fds))
        received, status_fd = _arrange(header, fds, status_fd)
        _restrict(header, body, enclosure)
    except (OSError, ValueError, KeyError) as error:
        with contextlib.suppress(OSError):
            os.write(status_fd, b"F" + f"{type(error).__name__}: {error}".encode())
        os._exit(_SETUP_FAILED)
    gc.enable()
    if header["argv"] is not None:
        _exec_command(header, status_fd)
    os.environ.clear()
    os.environ.update(header["env"])
    assert program is not None
    program["consult"] = _once(status_fd)
    _exit_with(_run_main(program["main"], body[: header["payload"]], received))


def _volunteer_for_oom_kill() -> None:
    """Out of memory, the kernel is to choose candidate code, not its init or lane."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _decode(message: bytes, fds: list[int]) -> tuple[dict[str, Any], bytes, list[int]]:
    """Split a job into header, body and descriptors; a large one comes as a memory file."""
    length = int.from_bytes(message[:4], "little")
    if length == 0:
        with open(fds.pop(), "rb") as file:
            message = file.read()
        length = int.from_bytes(message[:4], "little")
    return json.loads(message[4 : 4 + length]), message[4 + length :], fds


def _arrange(header: dict[str, Any], fds: list[int], status_fd: int) -> tuple[tuple[int, ...], int]:
    """Put descriptors at 0, 1, 2, then 3, 4, …, the status socket after them; close all others."""
    high = [_move_up(fd) for fd in fds]
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=target < 3 or header["argv"] is not None)
    os.dup2(status_fd, len(high), inheritable=False)
    os.closerange(len(high) + 1, 65536)
    return tuple(range(3, len(high))), len(high)


def _move_up(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100)


def _restrict(header: dict[str, Any], body: bytes, enclosure: Enclosure) -> None:
    box = enclosure.narrow(
        disk_bytes=header["disk_bytes"], files=header["files_limit"], loopback=header["loopback"]
    )
    os.umask(0o022)
    os.chdir(box)
    start = header["payload"]
    for path, length in header["files"]:
        _place(path, body[start : start + length])
        start += length
    for name, soft, hard in header["rlimits"]:
        resource.setrlimit(getattr(resource, name), (soft, hard))


def _place(path: str, content: bytes) -> None:
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        raise ValueError(f"file {path!r} is not a relative path below the working directory")
    if len(parts) > 1:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def _once(status_fd: int) -> Callable[[], None]:
    held = [status_fd]

    def consult() -> None:
        while held:
            fd = held.pop()
            os.write(fd, b"C")
            os.close(fd)

    return consult


def _run_main(main: Main, payload: bytes, fds: tuple[int, ...]) -> int:
    try:
        main(payload, fds)
    except SystemExit as stop:
        return _exit_status(stop.code)
    except KeyboardInterrupt:
        return 130
    except BaseException:  # noqa: BLE001 - the boundary: a program's failure becomes its status
        with contextlib.suppress(Exception):
            traceback.print_exc()
        return 1
    return 0


def _exit_status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    with contextlib.suppress(Exception):
        print(code, file=sys.stderr)  # noqa: T201 - what the interpreter does for such a code
    return 1


def _exit_with(code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: BLE001 - a candidate may have replaced the stream
            code = code or 120
    os._exit(code)


def _exec_command(header: dict[str, Any], status_fd: int) -> NoReturn:
    os.write(status_fd, b"C")
    os.close(status_fd)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    argv = header["argv"]
    try:
        os.execvpe(argv[0], argv, header["env"])
    except FileNotFoundError as error:
        _refuse_command(argv[0], error, _NOT_FOUND)
    except OSError as error:
        _refuse_command(argv[0], error, _NOT_EXECUTABLE)


def _refuse_command(name: str, error: OSError, code: int) -> NoReturn:
    os.write(2, f"{name}: {error.strerror}\n".encode())
    os._exit(code)
