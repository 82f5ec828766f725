"""What travels between the driver and a warm interpreter: boot text, requests, jobs, reports.

Every message is one packet of a ``SOCK_SEQPACKET`` socket. The driver's messages are trusted by
the other side; of what comes back only fixed forms are read (one letter, or a packed record),
since by then candidate code may have run.
"""

import marshal
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from posttrain.core.errors import SandboxError
from posttrain.sandbox.inside.runner import REPORT
from posttrain.sandbox.protocol import ExecSpec, Program

__all__ = [
    "BOOT",
    "Report",
    "Status",
    "boot_message",
    "job_message",
    "memory_file",
    "packet_pair",
    "receive_hello",
    "receive_status",
    "send_job",
]

BOOT = """
import _socket, marshal, sys, types
control = _socket.socket(fileno=int(sys.argv[1]))
_, ancillary, _, _ = control.recvmsg(16, _socket.CMSG_SPACE(4))
with open(int.from_bytes(ancillary[0][2][:4], sys.byteorder), "rb") as file:
    boot = marshal.load(file)
for name in ("posttrain", "posttrain.sandbox", "posttrain.sandbox.inside"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []
for name, code in boot.pop("modules"):
    full = "posttrain.sandbox.inside." + name
    module = sys.modules[full] = types.ModuleType(full)
    setattr(sys.modules["posttrain.sandbox.inside"], name, module)
    exec(code, module.__dict__)
del code
module.main(control, boot)
"""
"""Run by ``python -c``; its argument is the number of the control socket."""

ANSWER_TIMEOUT_S = 30
"""Long after any interpreter on an overloaded machine has started."""
_INSIDE = "posttrain.sandbox.inside"
_MODULES = ("kernel", "entry", "runner", "server")
_INLINE_BYTES = 96 * 1024
_ELSEWHERE = b"\0\0\0\0"
"""A header of no length: the whole job is in the last descriptor."""
_MESSAGE_BYTES = 4096
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What the init of an execution says after its tree is dead."""

    exit_code: int
    signal: int
    cpu_s: float
    max_resident_bytes: int
    disk_bytes: int
    files: int
    num_left: int


@dataclass(kw_only=True, slots=True)
class Status:
    """All that is known about an execution from its lane so far."""

    consulted: bool = False
    setup_error: str | None = None
    report: Report | None = None
    is_over: bool = False
    """The lane has reaped its init."""
    is_lost: bool = False
    """Both the lane and the init are gone, or going."""


def packet_pair() -> tuple[socket.socket, socket.socket]:
    """Two joined packet sockets; reading from the first ends after ``ANSWER_TIMEOUT_S``.

    It also tells who sent a message.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", ANSWER_TIMEOUT_S, 0))
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


def memory_file(content: bytes) -> int:
    """A descriptor of an anonymous file at its start; needs no reader to be written."""
    fd = os.memfd_create("posttrain", os.MFD_CLOEXEC)
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def boot_message(program: Program | None, *, folder: str) -> bytes:
    """What a zygote reads first; ``folder`` is empty where executions get namespaces.

    It is compiled here, by the same interpreter: compiling there would leave the heap that every
    execution inherits large and full of holes.

    Raises:
        SandboxError: the program cannot be read or compiled.
    """
    inside = Path(__file__).parent / "inside"
    modules = [(name, _compiled(inside / f"{name}.py", f"{_INSIDE}.{name}")) for name in _MODULES]
    wanted = None
    if program is not None:
        try:
            code = _compiled(program.path, program.name)
        except (OSError, SyntaxError, ValueError) as error:
            raise SandboxError(f"program {program.name!r} cannot be loaded: {error}") from error
        wanted = {"name": program.name, "code": code, "preload": program.preload}
    return marshal.dumps({"modules": modules, "program": wanted, "folder": folder})


def _compiled(path: Path, name: str) -> CodeType:
    return compile(path.read_text("utf-8"), f"<{name}>", "exec", dont_inherit=True)


def job_message(
    spec: ExecSpec, *, rlimits: tuple[tuple[int, int, int], ...], env: Mapping[str, str]
) -> bytes:
    """Length of the header, the header, then the payload and the files one after another."""
    header = {
        "argv": None if spec.argv is None else list(spec.argv),
        "env": dict(env),
        "payload": len(spec.payload),
        "files": [(path, len(content)) for path, content in spec.files.items()],
        "disk_bytes": spec.limits.disk_bytes,
        "files_limit": spec.limits.files,
        "loopback": spec.limits.network == "loopback",
        "rlimits": rlimits,
    }
    # Both ends are the same interpreter, and its own format is the cheapest to read there.
    packed = marshal.dumps(header)
    return b"".join((len(packed).to_bytes(4, "little"), packed, spec.payload, *spec.files.values()))


def send_job(control: socket.socket, message: bytes, fds: Sequence[int]) -> None:
    """Hand over a job; one that is too large for a packet goes as a memory file, sent last."""
    if len(message) <= _INLINE_BYTES:
        socket.send_fds(control, [message], fds)
        return
    large = memory_file(message)
    try:
        socket.send_fds(control, [_ELSEWHERE], [*fds, large])
    finally:
        os.close(large)


def receive_hello(peer: socket.socket) -> int:
    """Wait for ``H``; returns the sender's process id as this process sees it.

    Raises:
        SandboxError: the peer failed, or died, or did not answer in time.
    """
    try:
        message, ancillary, _, _ = peer.recvmsg(_MESSAGE_BYTES, socket.CMSG_SPACE(12))
    except OSError as error:
        raise SandboxError(f"a warm interpreter did not answer: {error}") from error
    if message != b"H":
        reason = message[1:].decode("utf-8", "replace") or "it ended without a message"
        raise SandboxError(f"a sandboxed process could not be set up: {reason}")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return int(_CREDENTIALS.unpack(content[:12])[0])
    raise SandboxError("the kernel passed no credentials with a greeting")


def receive_status(control: socket.socket, status: Status) -> None:
    """Take in what is there without waiting, up to the end of the execution."""
    while not (status.is_over or status.is_lost):
        try:
            message = control.recv(_MESSAGE_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            message = b""
        if message[:1] == b"D":
            status.is_over = True
            message = message[1:]
        elif not message:
            status.is_lost = True
        _take_in(message, status)


def _take_in(message: bytes, status: Status) -> None:
    kind, rest = message[:1], message[1:]
    if kind == b"F":
        status.setup_error = rest.decode("utf-8", "replace")
    elif kind == b"E" and len(rest) == REPORT.size:
        exit_code, signal_number, cpu_s, resident, disk_bytes, files, left = REPORT.unpack(rest)
        status.report = Report(
            exit_code=exit_code,
            signal=signal_number,
            cpu_s=cpu_s,
            max_resident_bytes=resident,
            disk_bytes=disk_bytes,
            files=files,
            num_left=left,
        )
