"""Driver-side handles of a warm interpreter (zygote) and of its lanes (see ``inside.server``).

A lane serves one execution at a time and by itself prepares the next one: set apart, shut in,
waiting for its job. So the cost of the namespaces is paid while the driver does something else.
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

__all__ = ["Lane", "Zygote"]

_EXIT_TIMEOUT_S = 5.0


class Lane:
    """One fork of the zygote, with the meter that its executions are measured by."""

    def __init__(self, control: socket.socket, pid: int, meter: Meter) -> None:
        self.control = control
        """What its executions are told and say; see ``wire``."""
        self.meter = meter
        self._pidfd = os.pidfd_open(pid)
        self._init_pid = 0

    def await_init(self) -> int:
        """The process id of the prepared execution's init; waits until it is set up.

        Raises:
            SandboxError: it could not be set up.
        """
        if not self._init_pid:
            self._init_pid = receive_hello(self.control)
        return self._init_pid

    def forget_init(self) -> None:
        """The prepared execution was used; the lane prepares the next one."""
        self._init_pid = 0

    def close(self) -> None:
        """End the lane and its prepared execution; idempotent."""
        if self._pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        os.close(self._pidfd)
        self._pidfd = -1
        self.control.close()
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

    def new_lane(self) -> tuple[socket.socket, int]:
        """Fork a lane; returns its control socket and process id.

        Raises:
            SandboxError: it could not be forked.
        """
        ours, theirs = packet_pair()
        try:
            with self._lock, theirs:
                socket.send_fds(self._control, [b"L"], [theirs.fileno()])
            return ours, receive_hello(ours)
        except (OSError, SandboxError) as error:
            ours.close()
            raise SandboxError(f"no further lane: {self._why(str(error))}") from error

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
