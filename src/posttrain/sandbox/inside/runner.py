"""One execution: an init that outlives it and reports, and the process that carries out the job.

    lane ──► init ── fork ──► job's process ──► candidate code and its descendants
              │  receives the job, sets everything up, forks; reaps, kills what is left, reports
              └─ holds the lane's socket, which the job's process gives up at ``consult``

Messages on the lane's socket: ``H`` the init is there (its credentials ride along), then from
the driver the job itself, then ``C`` candidate code is about to run, ``F`` + text the job could
not be set up, ``E`` + ``REPORT`` the tree is dead. Nothing that a candidate can reach still holds
the socket when candidate code runs, so that no ``C`` can be taken back and no ``E`` forged.

The init does all it can before the fork, because it may borrow the lane's memory: what it does
costs no page copies, while the forked process copies every page that it touches. For the same
reason the init never closes or changes an object that the lane uses, only its own descriptors;
and it raises nothing.
"""

import contextlib
import fcntl
import gc
import marshal
import os
import resource
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Protocol

from posttrain.sandbox.inside import kernel

__all__ = ["REPORT", "Enclosure", "Execution"]

REPORT = struct.Struct("<iidQQQI")
"""exit code, signal, CPU seconds, largest resident bytes of one process, disk bytes used, files
used, processes left when the job's own process ended."""

_MESSAGE_BYTES = 1 << 18
_MAX_FDS = 64
_ABOVE_ALL = 100
_HIGHEST_FD = 65536
_INIT_SIGNALS = (signal.SIGCHLD, signal.SIGTERM)
_ALL_SIGNALS = signal.valid_signals()
"""All are blocked in the init: the interpreter's own handlers would answer to a candidate."""
_NOT_EXECUTABLE = 126
_NOT_FOUND = 127

Main = Callable[[bytes, tuple[int, ...]], object]


class Enclosure(Protocol):
    """What ``entry`` offers: how an execution is kept apart."""

    def fork_lane(self) -> int: ...
    def run(self, init: Callable[[], None]) -> None: ...
    def enter(self) -> None: ...
    def narrow(self, *, disk_bytes: int, files: int, loopback: bool) -> str: ...
    def room_used(self) -> tuple[int, int]: ...
    def remove(self) -> None: ...


class _Job:
    """A received job, set up in the init and inherited by its own process."""

    def __init__(self, message: bytes, fds: list[int]) -> None:
        length = int.from_bytes(message[:4], "little")
        if length == 0:
            with open(fds.pop(), "rb") as file:
                message = file.read()
            length = int.from_bytes(message[:4], "little")
        header = marshal.loads(message[4 : 4 + length])
        body = message[4 + length :]
        self.header: dict[str, Any] = header
        self.payload = body[: header["payload"]]
        self.files = body[header["payload"] :]
        self.fds = fds


class Execution:
    """The executions of one lane; ``program`` is a loaded module's namespace, None for commands."""

    def __init__(
        self, control: socket.socket, enclosure: Enclosure, program: dict[str, Any] | None
    ) -> None:
        self._control = control
        self._enclosure = enclosure
        self._program = program

    def run(self) -> None:
        """Be the init of the next one."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL_SIGNALS)
        control_fd = self._control.fileno()
        try:
            self._enclosure.enter()
            self._control.send(b"H")
            job = _receive(self._control)
            if job is not None:
                control_fd = _arrange(job, control_fd)
                _restrict(job, self._enclosure)
                self._fork(job, control_fd)
        except Exception as error:  # noqa: BLE001 - the boundary: our fault becomes a message
            with contextlib.suppress(OSError):
                os.write(control_fd, b"F" + f"{type(error).__name__}: {error}".encode())
        with contextlib.suppress(OSError):
            self._enclosure.remove()

    def _fork(self, job: _Job, control_fd: int) -> None:
        if self._program is not None:
            self._program["consult"] = _once(control_fd)
        # Before the fork, so that no candidate can be quick enough to open this process.
        kernel.set_dumpable(False)
        pid = os.fork()
        if pid == 0:
            _carry_out(job, control_fd, self._program)
        os.closerange(0, control_fd)
        _supervise(pid, control_fd, self._enclosure)


def _receive(control: socket.socket) -> _Job | None:
    """Wait for the job; None when the driver no longer wants an execution."""
    message, ancillary, _, _ = control.recvmsg(_MESSAGE_BYTES, socket.CMSG_SPACE(4 * _MAX_FDS))
    if not message:
        return None
    fds = memoryview(ancillary[0][2]).cast("i").tolist()
    return _Job(message, fds)


def _supervise(job: int, control_fd: int, enclosure: Enclosure) -> None:
    """Wait for the job's process or for the driver's wish to stop, then end the tree and report."""
    code = -int(signal.SIGKILL)
    waiting = True
    while waiting:
        info = signal.sigwaitinfo(_INIT_SIGNALS)
        if info.si_signo == signal.SIGTERM:
            # Process id 0 stands for a sender outside this namespace: no candidate.
            waiting = os.getpid() == 1 and info.si_pid != 0
            continue
        for pid, status in _reaped():
            if pid == job:
                code, waiting = os.waitstatus_to_exitcode(status), False
    num_left = _kill_namespace() if os.getpid() == 1 else _kill_descendants()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = REPORT.pack(
        max(code, 0),
        max(-code, 0),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
        *enclosure.room_used(),
        num_left,
    )
    os.write(control_fd, b"E" + report)


def _reaped() -> Iterator[tuple[int, int]]:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, status


def _kill_namespace() -> int:
    """End every other process of the pid namespace; returns how many there were."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0
    num_left = 0
    with contextlib.suppress(OSError):
        num_left = sum(name.isdigit() for name in os.listdir("/proc")) - 1
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    return num_left


def _kill_descendants() -> int:
    """End every process below this subreaper; returns how many there were at first."""
    first = len(_descendants(os.getpid()))
    while below := _descendants(os.getpid()):
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for _ in _reaped():
            pass
    return first


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


def _arrange(job: _Job, control_fd: int) -> int:
    """Put descriptors at 0, 1, 2, then 3, 4, …, the lane's socket after them; close all others."""
    control_fd = _move_up(control_fd)
    high = [_move_up(fd) for fd in job.fds]
    inherited = len(high) if job.header["argv"] is not None else 3
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=target < inherited)
    os.dup2(control_fd, len(high), inheritable=False)
    os.closerange(len(high) + 1, _HIGHEST_FD)
    job.fds = list(range(3, len(high)))
    return len(high)


def _move_up(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _ABOVE_ALL)


def _restrict(job: _Job, enclosure: Enclosure) -> None:
    header = job.header
    box = enclosure.narrow(
        disk_bytes=header["disk_bytes"], files=header["files_limit"], loopback=header["loopback"]
    )
    os.umask(0o022)
    os.chdir(box)
    start = 0
    for path, length in header["files"]:
        _place(path, job.files[start : start + length])
        start += length
    for kind, soft, hard in header["rlimits"]:
        resource.setrlimit(kind, (soft, hard))


def _place(path: str, content: bytes) -> None:
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        raise ValueError(f"file {path!r} is not a relative path below the working directory")
    if len(parts) > 1:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def _carry_out(job: _Job, control_fd: int, program: dict[str, Any] | None) -> NoReturn:
    """Be the job's process; every page touched here is copied, so there is little to do."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    kernel.set_dumpable(True)
    if job.header["argv"] is not None:
        _exec_command(job, control_fd)
    assert program is not None
    if job.header["env"]:
        os.environ.update(job.header["env"])
    gc.enable()
    _exit_with(_run_main(program["main"], job.payload, tuple(job.fds)))


def _once(control_fd: int) -> Callable[[], None]:
    held = [control_fd]

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


def _exec_command(job: _Job, control_fd: int) -> NoReturn:
    os.write(control_fd, b"C")
    os.close(control_fd)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    argv = job.header["argv"]
    try:
        os.execvpe(argv[0], argv, job.header["env"])
    except FileNotFoundError as error:
        _refuse_command(argv[0], error, _NOT_FOUND)
    except OSError as error:
        _refuse_command(argv[0], error, _NOT_EXECUTABLE)


def _refuse_command(name: str, error: OSError, code: int) -> NoReturn:
    os.write(2, f"{name}: {error.strerror}\n".encode())
    os._exit(code)
