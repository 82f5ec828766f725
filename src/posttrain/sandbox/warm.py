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

__all__ = ["Channel", "Lane", "Zygote"]

_EXIT_TIMEOUT_S = 5.0


class Channel:
    """The driver's ends of what joins it to a lane, and for a moment the lane's ends too."""

    def __init__(self, owner: int | None) -> None:
        self.control, self._their_control = packet_pair()
        pipes = os.pipe(), os.pipe()
        self.outputs = pipes[0][0], pipes[1][0]
        for fd in self.outputs:
            os.set_blocking(fd, False)
            if owner is not None:
                os.fchown(fd, owner, owner)
        self._their_outputs = pipes[0][1], pipes[1][1]
        self.consult_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def hand_over(self, zygote: socket.socket) -> None:
        """Have a lane forked that gets the other ends."""
        fds = [self._their_control.fileno(), *self._their_outputs, self.consult_fd]
        try:
            socket.send_fds(zygote, [b"L"], fds)
        finally:
            self._their_control.close()
            for fd in self._their_outputs:
                os.close(fd)

    def close(self) -> None:
        """Close the driver's ends."""
        self.control.close()
        for fd in (*self.outputs, self.consult_fd):
            os.close(fd)


class Lane:
    """One fork of the zygote, with the meter that its executions are measured by.

    It waits for ``go``, so that whatever bounds it can be made first.
    """

    def __init__(self, channel: Channel, pid: int) -> None:
        self.control = channel.control
        """What its executions are told and say; see ``wire``."""
        self.outputs = channel.outputs
        """Reading ends of standard output and standard error; non-blocking."""
        self.pid = pid
        self._meter: Meter | None = None
        self._channel = channel
        self._pidfd = os.pidfd_open(pid)
        self._init_pid = 0

    @property
    def meter(self) -> Meter:
        """Who measures its executions; there is one after ``go``."""
        assert self._meter is not None
        return self._meter

    def go(self, meter: Meter) -> None:
        """Let it fork.

        Raises:
            SandboxError: it is gone.
        """
        self._meter = meter
        try:
            self.control.send(b"G")
        except OSError as error:
            raise SandboxError(f"a lane ended at its start: {error}") from error

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

    def was_consulted(self) -> bool:
        """Whether candidate code was about to run since the last call."""
        try:
            return os.eventfd_read(self._channel.consult_fd) > 0
        except BlockingIOError:
            return False

    def close(self) -> None:
        """End the lane and its prepared execution; idempotent."""
        if self._pidfd < 0:
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        os.close(self._pidfd)
        self._pidfd = -1
        self._channel.close()
        if self._meter is not None:
            self._meter.close()


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

    def new_lane(self, owner: int | None) -> Lane:
        """Fork a lane, which waits for its ``go``; ``owner`` gets its pipes, to open by name.

        Raises:
            SandboxError: it could not be forked.
        """
        try:
            channel = Channel(owner)
        except OSError as error:
            raise SandboxError(f"no further lane: {error}") from error
        try:
            with self._lock:
                channel.hand_over(self._control)
            return Lane(channel, receive_hello(channel.control))
        except (OSError, SandboxError) as error:
            channel.close()
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
