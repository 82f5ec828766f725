"""One execution: an init that outlives it and reports, and the process that carries out the job.

    lane ──► init ── fork ──► job's process ──► candidate code and its descendants
              └─ receives the job, sets everything up, forks; reaps, kills what is left, reports

Messages on the lane's socket: ``H`` the init is there (its credentials ride along), then from
the driver the job itself, then ``F`` + text the job could not be set up, or ``E`` + ``REPORT``
the tree is dead. The job's process has no part of that socket. It has an event counter, which
``consult`` raises and closes: nothing that a candidate can reach still holds it when candidate
code runs, so that it cannot be lowered, and only the driver reads it.

The init does all it can before the fork, because it may borrow the lane's memory: what it does
costs no page copies, while the forked process copies every page that it touches. For the same
reason the init never closes or changes an object that the lane uses, only its own descriptors;
and it raises nothing.
"""

import _socket
import contextlib
import fcntl
import gc
import marshal
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Protocol

from posttrain.sandbox.inside import kernel

__all__ = ["REPORT", "Channel", "Enclosure", "Execution"]

REPORT = struct.Struct("<iidQQQI")
"""exit code, signal, CPU seconds, largest resident bytes of one process, disk bytes used, files
used, processes left when the job's own process ended."""

_MESSAGE_BYTES = 1 << 18
_MAX_FDS = 64
_F_SETPIPE_SZ = 1031
_F_GETPIPE_SZ = 1032
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

    @property
    def shares_memory(self) -> bool:
        """True when the lane sees what an init leaves in its objects."""
        ...

    def fork_lane(self) -> int: ...
    def run(self, init: Callable[[], None]) -> None: ...
    def enter(self) -> None: ...
    def narrow(self, *, disk_bytes: int, files: int, loopback: bool) -> str: ...
    def room_used(self) -> tuple[int, int]: ...
    def remove(self) -> None: ...


class Channel:
    """A lane's descriptors: its socket, the pipes for output, the event counter for consulting.

    The pipes serve one execution after another, so that what a candidate can change about their
    writing ends is set back each time.
    """

    def __init__(self, fds: list[int]) -> None:
        self.control = _socket.socket(fileno=fds[0])
        self.outputs = fds[1:3]
        self.consult_fd = fds[3]
        self._pipe_bytes = fcntl.fcntl(fds[1], _F_GETPIPE_SZ)

    def restore(self) -> None:
        """Make both pipes block and hold as much as at first."""
        for fd in self.outputs:
            fcntl.fcntl(fd, fcntl.F_SETFL, 0)
            if fcntl.fcntl(fd, _F_GETPIPE_SZ) != self._pipe_bytes:
                fcntl.fcntl(fd, _F_SETPIPE_SZ, self._pipe_bytes)


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
        self, channel: Channel, enclosure: Enclosure, program: dict[str, Any] | None
    ) -> None:
        self._channel = channel
        self._enclosure = enclosure
        self._program = program
        self._said = b""

    def run(self) -> bytes:
        """Carry out the next one; returns what the lane has to pass on from its init."""
        self._said = b""
        self._enclosure.run(self._init)
        return self._said

    def _init(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL_SIGNALS)
        control_fd = self._channel.control.fileno()
        said = b""
        try:
            self._enclosure.enter()
            self._channel.control.send(b"H")
            job = _receive(self._channel)
            if job is not None:
                control_fd = _arrange(job, self._channel)
                _restrict(job, self._enclosure)
                said = self._fork(job, control_fd)
        except Exception as error:  # noqa: BLE001 - the boundary: our fault becomes a message
            said = b"F" + f"{type(error).__name__}: {error}".encode()
        with contextlib.suppress(OSError):
            self._enclosure.remove()
            if self._enclosure.shares_memory:
                self._said = said
            elif said:
                os.write(control_fd, said)

    def _fork(self, job: _Job, control_fd: int) -> bytes:
        consult_fd = control_fd - 1
        if self._program is not None:
            self._program["consult"] = _once(consult_fd)
        # Before the fork, so that no candidate can be quick enough to open this process.
        kernel.set_dumpable(False)
        # Nothing made until now is the child's to collect: a collection would write into all of it.
        gc.freeze()
        pid = os.fork()
        if pid == 0:
            os.close(control_fd)
            _carry_out(job, consult_fd, self._program)
        os.closerange(0, control_fd)
        return _supervise(pid, self._enclosure)


def _receive(channel: Channel) -> _Job | None:
    """Wait for the job; None when the driver no longer wants an execution."""
    room = _socket.CMSG_SPACE(4 * _MAX_FDS)
    message, ancillary, _, _ = channel.control.recvmsg(_MESSAGE_BYTES, room)
    if not message:
        return None
    fds = memoryview(ancillary[0][2]).cast("i").tolist()
    return _Job(message, fds)


def _supervise(job: int, enclosure: Enclosure) -> bytes:
    """Wait for the job's process or for the driver's wish to stop, then end the tree."""
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
    return b"E" + REPORT.pack(
        max(code, 0),
        max(-code, 0),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
        *enclosure.room_used(),
        num_left,
    )


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


def _arrange(job: _Job, channel: Channel) -> int:
    """Put descriptors where the job expects them and close all others; returns the socket's.

    0, 1, 2, then 3, 4, … for those that the driver passed, then the event counter, the socket.
    """
    channel.restore()
    stdin, *passed = job.fds
    ordered = [stdin, *channel.outputs, *passed, channel.consult_fd, channel.control.fileno()]
    high = [_move_up(fd) for fd in ordered]
    num_inherited = 3 + len(passed) if job.header["argv"] is not None else 3
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=target < num_inherited)
    os.closerange(len(high), _HIGHEST_FD)
    job.fds = list(range(3, 3 + len(passed)))
    return len(high) - 1


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


def _carry_out(job: _Job, consult_fd: int, program: dict[str, Any] | None) -> NoReturn:
    """Be the job's process; every page touched here is copied, so there is little to do."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    kernel.set_dumpable(True)
    if job.header["argv"] is not None:
        _exec_command(job, consult_fd)
    assert program is not None
    if job.header["env"]:
        os.environ.update(job.header["env"])
    gc.enable()
    _exit_with(_run_main(program["main"], job.payload, tuple(job.fds)))


def _once(consult_fd: int) -> Callable[[], None]:
    held = [consult_fd]

    def consult() -> None:
        while held:
            fd = held.pop()
            os.eventfd_write(fd, 1)
            os.close(fd)

    return consult


def _run_main(main: Main, payload: bytes, fds: tuple[int, ...]) -> int:
    try:
        main(payload, fds)
    except SystemExit as stop:
        return _exit_status(stop.code)
    except KeyboardInterrupt:
        return 130
    except BaseException as error:  # noqa: BLE001 - the boundary: a failure becomes a status
        with contextlib.suppress(Exception):
            sys.__excepthook__(type(error), error, error.__traceback__)
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


def _exec_command(job: _Job, consult_fd: int) -> NoReturn:
    _once(consult_fd)()
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
