"""The part of a sandbox that both backends share: programs, lanes, executions.

    prepare ──► zygote per program ──► lanes, each with the next execution set up
    start ────► idle lane (or another) ──► bounds ──► job ──► Run ──► lane is idle again

A backend adds its ``Wall``: the command that starts an interpreter, and who measures its lanes.
"""

import contextlib
import os
import resource
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from posttrain.core.errors import SandboxError
from posttrain.core.execution import ExecResult, Outcome
from posttrain.sandbox.limits import refuse_unsupported, resource_limits
from posttrain.sandbox.meter import Meter
from posttrain.sandbox.protocol import Capability, ExecSpec, Program
from posttrain.sandbox.reactor import Reactor
from posttrain.sandbox.run import Run
from posttrain.sandbox.warm import Lane, Zygote
from posttrain.sandbox.wire import (
    boot_message,
    job_message,
    memory_file,
    packet_pair,
    send_job,
)

__all__ = ["ForkServer", "Wall"]

_COMMANDS = ""
"""Key of the zygote that has no program and serves commands."""
_DESCRIPTORS = 16384


class Wall(Protocol):
    """What tells one backend from another."""

    name: str
    folder: str
    """Where executions keep their files when they have no namespaces, else empty."""
    path: str
    """``PATH`` of commands."""
    owner: int | None
    """Who sandboxed processes are to the kernel, where that is not the driver's own user."""
    own_user_namespace: bool
    watchdog: bool

    def command(self, control_fd: int) -> tuple[list[str], tuple[int, ...]]:
        """The command line that starts a zygote on an inherited control socket, and further
        descriptors that it reads; the caller closes these."""
        ...

    def new_meter(self, lane_pid: int) -> Meter:
        """A meter for a lane that has not forked yet."""
        ...

    def capabilities(self) -> Mapping[str, Capability]: ...

    def close(self) -> None: ...


class _Pool:
    """One program's zygote and its idle lanes."""

    def __init__(self, zygote: Zygote, wall: Wall) -> None:
        self._zygote = zygote
        self._wall = wall
        self._idle: deque[Lane] = deque()
        self._lanes: set[Lane] = set()

    def add_idle(self) -> None:
        """Fork a lane ahead of its use."""
        self._idle.append(self._new_lane())

    def take(self) -> Lane:
        """A lane with a prepared execution; one that died while idle is replaced."""
        while True:
            try:
                lane = self._idle.popleft()
            except IndexError:
                return self._ready(self._new_lane())
            with contextlib.suppress(SandboxError):
                return self._ready(lane)

    def give_back(self, lane: Lane, *, healthy: bool) -> None:
        if healthy:
            self._idle.append(lane)
        else:
            self._lanes.discard(lane)
            lane.close()

    def close(self) -> None:
        for lane in tuple(self._lanes):
            self.give_back(lane, healthy=False)
        self._zygote.close()

    def _new_lane(self) -> Lane:
        lane = self._zygote.new_lane(self._wall.owner)
        try:
            lane.go(self._wall.new_meter(lane.pid))
        except SandboxError:
            lane.close()
            raise
        self._lanes.add(lane)
        return lane

    def _ready(self, lane: Lane) -> Lane:
        try:
            lane.await_init()
        except SandboxError:
            self.give_back(lane, healthy=False)
            raise
        return lane


class ForkServer:
    """A sandbox made of warm interpreters behind one kind of wall; implements ``Sandbox``."""

    def __init__(self, wall: Wall, *, slots: int) -> None:
        _allow_many_descriptors()
        self.name = wall.name
        self._wall = wall
        self._slots = slots
        self._reactor = Reactor()
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="sandbox-starter")
        self._pools: dict[str, _Pool] = {}
        self._lock = threading.Lock()
        self._nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._live: set[Run] = set()
        self._closed = False

    def capabilities(self) -> Mapping[str, Capability]:
        """Level by limit."""
        return self._wall.capabilities()

    def prepare(self, programs: Sequence[Program]) -> None:
        """Load programs into warm interpreters of their own; idempotent.

        Raises:
            SandboxError: an interpreter did not start or a program could not be loaded.
        """
        for program in programs:
            self._pool(program.name, program)

    def warm_up(self) -> None:
        """Start the interpreter for commands and shut one execution in, as a proof that it works.

        Raises:
            SandboxError: that failed.
        """
        pool = self._pool(_COMMANDS, None)
        pool.give_back(pool.take(), healthy=True)

    def start(self, spec: ExecSpec) -> Run:
        """Start without waiting.

        Raises:
            LimitUnsupportedError: a limit that this backend cannot hold.
            SandboxError: the sandbox itself failed to start.
        """
        refuse_unsupported(spec.limits, self.name)
        if (spec.argv is None) == (spec.program is None):
            raise ValueError("an execution needs either argv or program: give exactly one of them")
        if self._closed:
            raise SandboxError("the sandbox is closed: open another one")
        pool = self._pool(spec.program or _COMMANDS, None)
        lane = pool.take()

        def on_end(healthy: bool) -> None:
            self._live.discard(run)
            pool.give_back(lane, healthy=healthy)

        try:
            lane.meter.begin(lane.await_init(), spec.limits)
        except OSError as error:
            pool.give_back(lane, healthy=False)
            raise SandboxError(f"the limits of an execution could not be set: {error}") from error
        run = Run(limits=spec.limits, reactor=self._reactor, lane=lane, on_end=on_end)
        lane.forget_init()
        self._live.add(run)
        run.begin()
        self._hand_over(spec, lane, run)
        return run

    def _hand_over(self, spec: ExecSpec, lane: Lane, run: Run) -> None:
        wall = self._wall
        rlimits = resource_limits(
            spec.limits, own_user_namespace=wall.own_user_namespace, watchdog=wall.watchdog
        )
        env = spec.env if spec.argv is None else {"PATH": wall.path, **spec.env}
        stdin = memory_file(spec.stdin) if spec.stdin else self._nothing
        try:
            send_job(lane.control, job_message(spec, rlimits=rlimits, env=env), (stdin, *spec.fds))
        except OSError:
            run.kill(Outcome.SANDBOX_ERROR)
        finally:
            if stdin != self._nothing:
                os.close(stdin)

    def run(self, spec: ExecSpec) -> ExecResult:
        """``start`` and ``wait``; a failed start is a record too."""
        try:
            process = self.start(spec)
        except SandboxError as error:
            return ExecResult(outcome=Outcome.SANDBOX_ERROR, detail=str(error))
        return process.wait()

    def close(self) -> None:
        """End everything and remove what was made; idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        for run in tuple(self._live):
            run.kill()
            run.wait()
        for pool in self._pools.values():
            pool.close()
        self._reactor.close()
        self._starter.shutdown()
        os.close(self._nothing)
        self._wall.close()

    def _pool(self, name: str, program: Program | None) -> _Pool:
        pool = self._pools.get(name)
        if pool is not None:
            return pool
        with self._lock:
            if name not in self._pools:
                if name != _COMMANDS and program is None:
                    raise ValueError(
                        f"program {name!r} is not loaded; loaded are {sorted(self._pools)}; "
                        "call prepare() first"
                    )
                self._pools[name] = self._new_pool(program)
            return self._pools[name]

    def _new_pool(self, program: Program | None) -> _Pool:
        ours, theirs = packet_pair()
        command, read_fds = self._wall.command(theirs.fileno())
        inherited = (theirs.fileno(), *read_fds)
        try:
            zygote = self._starter.submit(Zygote.start, command, ours, inherited).result()
        except OSError as error:
            ours.close()
            raise SandboxError(f"the sandbox did not start: {error}") from error
        finally:
            theirs.close()
            for fd in read_fds:
                os.close(fd)
        pool = _Pool(zygote, self._wall)
        try:
            zygote.boot(boot_message(program, folder=self._wall.folder))
            for _ in range(self._slots):
                pool.add_idle()
        except SandboxError:
            pool.close()
            raise
        return pool


def _allow_many_descriptors() -> None:
    """Raise the soft limit: each lane takes about ten descriptors of the driver."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
