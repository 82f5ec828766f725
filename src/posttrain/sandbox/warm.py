"""Driver-side handles of a warm interpreter (zygote) and of its lanes (see ``inside.server``).

A lane serves one execution at a time and keeps the next one prepared: forked, shut in, waiting
for its job. So the cost of the namespaces is paid while the driver does something else.
"""

import contextlib
import os
import signal
import socket
import subprocess
import threading

from posttrain.core.errors import SandboxError
from posttrain.sandbox.meter import Meter
from posttrain.sandbox.wire import memory_file, packet_pair, receive_hello

__all__ = ["Lane", "Slot", "Zygote"]

_ANSWER_TIMEOUT_S = 30.0
_EXIT_TIMEOUT_S = 5.0

Slot = tuple[socket.socket, int]
"""The status socket of a prepared execution, and the process id of its init."""


def _greeting_pair() -> tuple[socket.socket, socket.socket]:
    """A packet pair whose first end reports who sent each message."""
    ours, theirs = packet_pair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    ours.settimeout(_ANSWER_TIMEOUT_S)
    return ours, theirs


def _request(control: socket.socket, kind: bytes) -> socket.socket:
    ours, theirs = _greeting_pair()
    try:
        socket.send_fds(control, [kind], [theirs.fileno()])
    except OSError as error:
        ours.close()
        raise SandboxError(f"a warm interpreter is gone: {error}") from error
    finally:
        theirs.close()
    return ours


class Lane:
    """One fork of the zygote, with the meter that its executions are measured by."""

    def __init__(self, control: socket.socket, pid: int, meter: Meter) -> None:
        self._control = control
        self._pidfd = os.pidfd_open(pid)
        self._next: socket.socket | None = None
        self.meter = meter

    def prepare(self) -> None:
        """Ask for the next execution to be set up; does not wait for it."""
        self._next = _request(self._control, b"R")

    def take(self) -> Slot:
        """The prepared execution; waits until it is set up.

        Raises:
            SandboxError: it could not be set up.
        """
        status, self._next = self._next, None
        if status is None:
            raise SandboxError("a lane was used before its next execution was prepared")
        try:
            init_pid = receive_hello(status)
        except SandboxError:
            status.close()
            raise
        status.settimeout(None)
        return status, init_pid

    def close(self) -> None:
        """End the lane and its prepared execution; idempotent."""
        if self._pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        os.close(self._pidfd)
        self._pidfd = -1
        self._control.close()
        if self._next is not None:
            self._next.close()
            self._next = None
        self.meter.close()


class Zygote:
    """A started interpreter; use ``start`` and then ``await_ready``."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", control: socket.socket, log: int
    ) -> None:
        self._process = process
        self._control = control
        self._log = log
        self._lock = threading.Lock()

    @classmethod
    def start(
        cls, command: list[str], control: socket.socket, inherited: tuple[int, ...]
    ) -> "Zygote":
        """Start ``command``; among the descriptors it inherits is the other end of ``control``.

        The thread that calls this must live as long as the zygote is wanted: the kernel ties the
        parent-death signal to the thread, not to the process.
        """
        log = memory_file(b"")
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=inherited,
            env={"PATH": os.defpath},
            start_new_session=True,
        )
        return cls(process, control, log)

    def boot(self, message: bytes) -> None:
        """Send the sources and the program, and wait until they are loaded.

        Raises:
            SandboxError: the interpreter did not start, or the program could not be loaded.
        """
        self._control.settimeout(_ANSWER_TIMEOUT_S)
        fd = memory_file(message)
        try:
            socket.send_fds(self._control, [b"B"], [fd])
            answer = self._control.recv(4096)
        except OSError as error:
            raise SandboxError(f"the sandbox did not start: {self._why(str(error))}") from error
        finally:
            os.close(fd)
        if answer != b"R":
            reason = answer[1:].decode("utf-8", "replace")
            raise SandboxError(f"the sandbox did not start: {self._why(reason)}")
        self._control.settimeout(None)

    def new_lane(self) -> tuple[socket.socket, int]:
        """Fork a lane; returns its control socket and process id."""
        with self._lock:
            control = _request(self._control, b"L")
        try:
            return control, receive_hello(control)
        except SandboxError:
            control.close()
            raise

    def close(self) -> None:
        """End the interpreter and everything below it; idempotent."""
        self._control.close()
        try:
            self._process.wait(timeout=_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._log >= 0:
            os.close(self._log)
            self._log = -1

    def _why(self, reason: str) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.2)
        logged = os.pread(self._log, 4096, 0).decode("utf-8", "replace").strip()
        return " | ".join(part for part in (reason, *logged.splitlines()[-3:]) if part)
