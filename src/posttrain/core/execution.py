"""What happened when something ran in a sandbox.

``Outcome`` is a closed list. ``consulted`` says whether candidate code had started: once it has,
a crash, a time-out or a dead sandbox is the candidate's own failure unless there is evidence
from outside its reach (DESIGN invariant 1, told in docs/architecture.md).
"""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ExecResult", "Outcome"]


class Outcome(StrEnum):
    """How one execution ended."""

    OK = "ok"
    NONZERO = "nonzero"
    SIGNALED = "signaled"
    CPU_TIMEOUT = "cpu_timeout"
    WALL_TIMEOUT = "wall_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    OOM = "oom"
    PIDS_LIMIT = "pids_limit"
    OUTPUT_LIMIT = "output_limit"
    DISK_LIMIT = "disk_limit"
    CANCELLED = "cancelled"
    SANDBOX_DEAD = "sandbox_dead"
    SANDBOX_ERROR = "sandbox_error"

    @property
    def is_timeout(self) -> bool:
        """True for the three time limits."""
        return self in (Outcome.CPU_TIMEOUT, Outcome.WALL_TIMEOUT, Outcome.IDLE_TIMEOUT)

    @property
    def is_limit(self) -> bool:
        """True when a declared limit ended the run."""
        return self.is_timeout or self in (
            Outcome.OOM,
            Outcome.PIDS_LIMIT,
            Outcome.OUTPUT_LIMIT,
            Outcome.DISK_LIMIT,
        )

    @property
    def is_ours(self) -> bool:
        """True for the two outcomes that name the sandbox, not the program."""
        return self in (Outcome.SANDBOX_DEAD, Outcome.SANDBOX_ERROR)


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecResult:
    """The record of one execution; times in seconds, memory of the whole process tree."""

    outcome: Outcome
    exit_code: int | None = None
    signal: int | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    run_delay_s: float = 0.0
    """How long the thread that waited longest for a core did so; measured of long runs only."""
    peak_memory_bytes: int | None = None
    """None where the backend cannot measure it."""
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    limit_hit: str | None = None
    """Name of the ``Limits`` field that ended the run."""
    consulted: bool = False
    detail: str = ""
    """For ``sandbox_error`` and ``sandbox_dead``: what failed."""

    @property
    def is_infra_fault(self) -> bool:
        """True when the sandbox failed before any candidate code ran."""
        return self.outcome.is_ours and not self.consulted
