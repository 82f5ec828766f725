"""Start the processes of one grading, joined by sockets, and make sure that they end.

    literals, cases   driver ◄──────────── socket ───────────► candidate
    programs          driver ◄─ verdict ─ tests ◄── socket ──► candidate
    trust shared      driver ◄─ verdict ─ tests with the candidate in their process

The driver closes the ends that a process inherits as soon as that process runs, so the death of
either side is read as the end of the stream by the other.
"""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from posttrain.core.errors import SandboxError
from posttrain.core.task import Limits, VerifierSpec
from posttrain.sandbox.protocol import ExecSpec, Process, Sandbox
from posttrain.verify.bundle import CANDIDATE, TESTS
from posttrain.verify.fault import InfraFaultError
from posttrain.verify.programs.channel import Channel
from posttrain.verify.programs.frame import dump

__all__ = ["joined", "joined_pair", "running_candidate", "running_tests"]

_GRACE_S = 10
"""How long past the wall time the driver waits for a sandbox that ought to have ended it."""
_TIMEVAL = struct.Struct("ll")
_TESTS_SLACK_S = 0.5
_TESTS_CPU_S = 10.0
_TESTS_MEMORY_BYTES = 1 << 30


@contextmanager
def joined(limits: Limits) -> Iterator[tuple[Channel, socket.socket]]:
    """Our channel and the other end, for a process to inherit; both are closed on leaving."""
    ours, theirs = socket.socketpair()
    wait_s = int(limits.wall_s) + _GRACE_S
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIMEVAL.pack(wait_s, 0))
    channel = Channel(ours.detach())
    try:
        yield channel, theirs
    finally:
        channel.close()
        theirs.close()


@contextmanager
def joined_pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two joined ends, for two processes to inherit; both are closed here on leaving."""
    one, other = socket.socketpair()
    with one, other:
        yield one, other


@contextmanager
def running_candidate(
    sandbox: Sandbox,
    limits: Limits,
    *,
    code: str,
    verifier: VerifierSpec,
    seed: int,
    end: socket.socket,
) -> Iterator[Process]:
    """A candidate's host that serves calls on ``end``; it is dead on leaving."""
    forbidden = list(verifier.options.get("forbid", ()))
    spec = ExecSpec(
        limits=limits,
        program=CANDIDATE,
        payload=dump([code, verifier.entry_point or "", seed, forbidden]),
        fds=(end.fileno(),),
    )
    with _running(sandbox, spec) as process:
        end.close()
        yield process


@contextmanager
def running_tests(
    sandbox: Sandbox, limits: Limits, *, job: dict[str, object], ends: tuple[socket.socket, ...]
) -> Iterator[Process]:
    """A test process; the first of ``ends`` is its verdict's, the second the candidate's."""
    is_shared = len(ends) == 1
    spec = ExecSpec(
        limits=limits if is_shared else _limits_of_tests(limits),
        program=TESTS,
        payload=dump(job),
        fds=tuple(end.fileno() for end in ends),
    )
    with _running(sandbox, spec) as process:
        for end in ends:
            end.close()
        yield process


@contextmanager
def _running(sandbox: Sandbox, spec: ExecSpec) -> Iterator[Process]:
    try:
        process = sandbox.start(spec)
    except SandboxError as error:
        raise InfraFaultError(str(error)) from error
    try:
        yield process
    except BaseException:
        process.kill()
        raise
    finally:
        process.wait()


def _limits_of_tests(limits: Limits) -> Limits:
    """A test process does little, but waits for the candidate; it may outlast it by a moment."""
    return Limits(
        wall_s=limits.wall_s + _TESTS_SLACK_S,
        cpu_s=_TESTS_CPU_S,
        memory_bytes=_TESTS_MEMORY_BYTES,
        pids=8,
    )
