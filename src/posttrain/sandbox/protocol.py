"""What every sandbox backend offers: start something under limits, talk to it, learn how it ended.

    driver ── start(spec) ──► Process ── wait() ──► ExecResult
                 │               └─ kill()
                 └─ fds: extra descriptors that the program inherits (sockets to a sibling)

Two kinds of work. A *command* is an argv run in the sandbox. A *program* is a trusted Python file
of ours that the backend's warm interpreter (zygote) loaded before any candidate existed; each
execution forks it and calls ``main(payload, fds)`` in the fork. ``main`` itself must call
``consult()`` from its globals right before the first line of candidate code runs; this is what
``ExecResult.consulted`` reports, and it cannot be taken back by the candidate.

A backend enforces each limit or refuses it (``LimitUnsupportedError``) before anything starts.
Nothing that was started outlives ``wait()``: the whole process tree is dead when it returns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from posttrain.core.execution import ExecResult, Outcome
from posttrain.core.task import Limits

__all__ = ["Capability", "ExecSpec", "Level", "Process", "Program", "Sandbox"]


class Level(StrEnum):
    """How firmly a backend holds a limit."""

    ENFORCED = "enforced"
    ADVISORY = "advisory"
    ABSENT = "absent"


@dataclass(frozen=True, kw_only=True, slots=True)
class Capability:
    """One limit on one backend, with the kernel mechanism that holds it."""

    level: Level
    mechanism: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A trusted, self-contained (standard library only) file with ``main(payload, fds)``.

    If it has a function ``warm_up()`` too, the zygote calls that a few times: what has run before a
    fork need not be made ready by each fork again. It must leave nothing behind.
    """

    name: str
    path: Path
    preload: tuple[str, ...] = ()
    """Modules imported in the zygote beside those that the file itself imports."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecSpec:
    """One execution: exactly one of ``argv`` and ``program`` is given."""

    limits: Limits
    argv: tuple[str, ...] | None = None
    program: str | None = None
    payload: bytes = b""
    fds: tuple[int, ...] = ()
    """Driver-side descriptors; duplicated into the sandbox, still owned by the caller here."""
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Relative paths written into the private working directory before the start."""
    env: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Process(Protocol):
    """A running execution."""

    def wait(self) -> ExecResult:
        """Drain output, enforce the limits, end the whole tree, and report; idempotent."""
        ...

    def kill(self, outcome: Outcome = Outcome.CANCELLED) -> None:
        """End the tree; ``wait`` then reports ``outcome`` unless a limit was hit before."""
        ...


@runtime_checkable
class Sandbox(Protocol):
    """One backend, safe to call from several threads."""

    name: str

    def capabilities(self) -> Mapping[str, Capability]:
        """Level by limit: wall, cpu, memory, pids, disk, files, output, network, idle."""
        ...

    def prepare(self, programs: Sequence[Program]) -> None:
        """Load programs into the warm interpreter ahead of their first use; idempotent."""
        ...

    def start(self, spec: ExecSpec) -> Process:
        """Start without waiting; raises ``SandboxError`` when the sandbox itself cannot start."""
        ...

    def run(self, spec: ExecSpec) -> ExecResult:
        """``start`` and ``wait``; a failed start is an ``ExecResult`` with ``sandbox_error``."""
        ...

    def close(self) -> None:
        """End everything that this backend started and remove what it made; idempotent."""
        ...
