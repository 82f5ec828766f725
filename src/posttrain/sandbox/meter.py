"""What the driver asks a kernel mechanism about one execution while it runs and at its end."""

from dataclasses import dataclass
from typing import Protocol

from posttrain.core.task import Limits

__all__ = ["Meter", "Sample"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """Resources of one whole process tree, from its job's start to the moment of asking."""

    cpu_s: float = 0.0
    memory_bytes: int = 0
    """Anonymous memory held at the moment; files in memory are counted as disk."""
    peak_bytes: int | None = None
    num_tasks: int = 0
    oom_kills: int = 0
    pids_refused: int = 0
    """How often the kernel refused a fork because of the limit."""


class Meter(Protocol):
    """Measures and, where it can, bounds the process tree below one lane."""

    def begin(self, init_pid: int, limits: Limits) -> None:
        """Set the bounds; called while the execution waits for its job."""
        ...

    def sample(self) -> Sample:
        """Measure without waiting; also valid after the tree's death."""
        ...

    def close(self) -> None:
        """Give back what the meter holds; idempotent."""
        ...
