"""One execution on the driver's side: drains both pipes, holds the limits, assembles the result.

Its methods run in the reactor's thread, except ``wait`` and ``kill``, which any thread may call.
The execution has ended when its lane says that it reaped the init, which the kernel lets die only
after every process below it. To stop one, its init is asked to end the tree. An init that had to
be killed leaves its lane in an unknown state, so that the lane is given up with it.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Limits
from posttrain.sandbox.ending import Ending, judge_ending
from posttrain.sandbox.meter import Sample
from posttrain.sandbox.process_tree import run_delay_s
from posttrain.sandbox.reactor import Reactor
from posttrain.sandbox.warm import Lane
from posttrain.sandbox.wire import Report, Status, receive_status

__all__ = ["TICK_S", "Run"]

TICK_S = 0.02
_DELAY_PERIOD_S = 0.25
"""How often it is asked how long the run's processes had to wait for a core."""
_PATIENCE_S = 1.0
"""How long an init may take to end its tree before it is killed itself."""
_READ_BYTES = 65536


class Run:
    """A running execution; implements ``Process``."""

    def __init__(
        self,
        *,
        limits: Limits,
        reactor: Reactor,
        lane: Lane,
        on_end: Callable[[bool], None],
    ) -> None:
        self._limits = limits
        self._reactor = reactor
        self._lane = lane
        self._control_fd = lane.control.fileno()
        self._init_pid = lane.await_init()
        self._pidfd = -1
        self._chunks: dict[int, list[bytes]] = {fd: [] for fd in lane.outputs}
        self._room = limits.output_bytes
        self._on_end = on_end
        """Told whether the lane is good for another execution."""
        self._status = Status()
        self._stopped: Ending | None = None
        self._patience_ends = float("inf")
        self._truncated = False
        self._run_delay_s = 0.0
        self._result: ExecResult | None = None
        self._ended = threading.Lock()
        self._ended.acquire()
        self._lock = threading.Lock()
        self._started = self._last_output = self._delay_measured = time.monotonic()

    def begin(self) -> None:
        """Start to watch; called once, right before the job is sent."""
        self._started = self._last_output = self._delay_measured = time.monotonic()
        for fd in (*self._lane.outputs, self._control_fd):
            self._reactor.watch(fd, self)
        self._reactor.call_at(self._started + TICK_S, self)

    def wait(self) -> ExecResult:
        """Block until the tree is dead and the record complete; idempotent."""
        with self._ended:
            assert self._result is not None
            return self._result

    def kill(self, outcome: Outcome = Outcome.CANCELLED) -> None:
        """End the tree; has no effect on the outcome when a limit was hit before."""
        self._stop((outcome, None))

    def ready(self, fd: int) -> None:
        """Take output, take a message, or notice the end."""
        if fd == self._control_fd:
            receive_status(self._lane.control, self._status)
            if self._status.is_over:
                self._finish()
            elif self._status.is_lost:
                self._await_death()
        elif fd == self._pidfd:
            self._finish()
        elif self._take(fd) == 0:
            self._reactor.forget(fd)

    def tick(self, now: float) -> float | None:
        """Measure, stop what is over a limit, and say when to look again."""
        if self._result is not None:
            return None
        if now - self._delay_measured >= _DELAY_PERIOD_S:
            self._delay_measured = now
            self._run_delay_s = max(self._run_delay_s, run_delay_s(self._init_pid))
        ending = self._stopped or self._limit_hit(now, self._lane.meter.sample())
        if ending is not None:
            self._stop(ending)
        return min(now + TICK_S, max(self._started + self._limits.wall_s, now + 0.001))

    def fail(self, error: Exception) -> None:
        """Record a fault of ours; whatever candidate code does from here on is not judged."""
        self._stop((Outcome.SANDBOX_ERROR, None))
        result = ExecResult(
            outcome=Outcome.SANDBOX_ERROR, detail=f"{type(error).__name__}: {error}"
        )
        self._complete(result, healthy=False)

    def _limit_hit(self, now: float, sample: Sample) -> Ending | None:
        limits = self._limits
        if sample.oom_kills or sample.memory_bytes > limits.memory_bytes:
            return Outcome.OOM, "memory_bytes"
        if sample.cpu_s > limits.cpu_s:
            return Outcome.CPU_TIMEOUT, "cpu_s"
        if now - self._started >= limits.wall_s:
            return Outcome.WALL_TIMEOUT, "wall_s"
        if limits.idle_s is not None and now - self._last_output >= limits.idle_s:
            return Outcome.IDLE_TIMEOUT, "idle_s"
        if sample.num_tasks > limits.pids:
            return Outcome.PIDS_LIMIT, "pids"
        return None

    def _stop(self, ending: Ending) -> None:
        if self._result is not None:
            return
        now = time.monotonic()
        if self._stopped is None:
            self._stopped = ending
            self._patience_ends = now + _PATIENCE_S
        number = signal.SIGTERM if now < self._patience_ends else signal.SIGKILL
        with self._lock, contextlib.suppress(ProcessLookupError):
            if self._result is None:
                signal.pidfd_send_signal(self._death_fd(), number)

    def _death_fd(self) -> int:
        """A descriptor of the init; most executions end before anyone needs one."""
        if self._pidfd < 0:
            self._pidfd = os.pidfd_open(self._init_pid)
        return self._pidfd

    def _await_death(self) -> None:
        """Lane and init closed their socket; the kernel may still be ending the tree."""
        self._reactor.forget(self._control_fd)
        try:
            with self._lock:
                fd = self._death_fd()
        except ProcessLookupError:
            self._finish()
        else:
            self._reactor.watch(fd, self)

    def _take(self, fd: int) -> int | None:
        """Read once; returns the number of bytes, or None when there is nothing yet."""
        try:
            data = os.read(fd, _READ_BYTES)
        except BlockingIOError:
            return None
        if not data:
            return 0
        self._last_output = time.monotonic()
        kept = data[: self._room] if len(data) > self._room else data
        if kept:
            self._chunks[fd].append(kept)
            self._room -= len(kept)
        if len(kept) < len(data):
            self._truncated = True
            self._stop((Outcome.OUTPUT_LIMIT, "output_bytes"))
        return len(data)

    def _finish(self) -> None:
        wall_s = time.monotonic() - self._started
        for fd in self._lane.outputs:
            while self._take(fd):
                pass
        status = self._status
        status.consulted = self._lane.was_consulted()
        result = self._assemble(status, self._lane.meter.sample(), wall_s)
        healthy = status.is_over and (status.report or status.setup_error) is not None
        self._complete(result, healthy=healthy)

    def _assemble(self, status: Status, sample: Sample, wall_s: float) -> ExecResult:
        outcome, limit_hit = judge_ending(status, sample, self._limits, self._stopped)
        report = status.report
        exit_code, signal_number = _exit_of(report if self._stopped is None else None)
        return ExecResult(
            outcome=outcome,
            exit_code=exit_code,
            signal=signal_number,
            cpu_s=max(sample.cpu_s, report.cpu_s if report else 0.0),
            wall_s=wall_s,
            run_delay_s=self._run_delay_s,
            peak_memory_bytes=sample.peak_bytes or (report.max_resident_bytes if report else None),
            stdout=b"".join(self._chunks[self._lane.outputs[0]]),
            stderr=b"".join(self._chunks[self._lane.outputs[1]]),
            truncated=self._truncated,
            limit_hit=limit_hit,
            consulted=status.consulted,
            detail=_detail(outcome, status),
        )

    def _complete(self, result: ExecResult, *, healthy: bool) -> None:
        if self._result is not None:
            return
        for fd in (*self._lane.outputs, self._control_fd):
            self._reactor.forget(fd)
        with self._lock:
            self._result = result
            if self._pidfd >= 0:
                self._reactor.forget(self._pidfd)
                os.close(self._pidfd)
        self._on_end(healthy)
        self._ended.release()


def _exit_of(report: Report | None) -> tuple[int | None, int | None]:
    """Exit code and signal, at most one of which there is."""
    if report is None:
        return None, None
    return (None, report.signal) if report.signal else (report.exit_code, None)


def _detail(outcome: Outcome, status: Status) -> str:
    if status.setup_error is not None:
        return status.setup_error
    if outcome is Outcome.SANDBOX_DEAD:
        return "the first process of the sandbox ended without a report"
    return ""
