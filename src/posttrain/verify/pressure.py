"""How long processes of this machine had to wait for a core: evidence from outside a sandbox."""

import threading
import time
from pathlib import Path

__all__ = ["CorePressure"]

_FILE = Path("/proc/pressure/cpu")
_FRESH_S = 0.5
"""A reading of this age still serves as the start of a grading: asking the kernel costs time."""


class CorePressure:
    """The kernel's account of waiting; without it every share is 0. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = _read()

    def mark(self) -> tuple[float, float]:
        """A point in time to measure from; at most ``_FRESH_S`` in the past."""
        with self._lock:
            if time.monotonic() - self._last[0] > _FRESH_S:
                self._last = _read()
            return self._last

    def share_since(self, mark: tuple[float, float]) -> float:
        """Share of the time in which some process that could run was kept waiting, in [0, 1]."""
        now_s, stalled_s = _read()
        elapsed_s = now_s - mark[0]
        return min(1.0, (stalled_s - mark[1]) / elapsed_s) if elapsed_s > 0 else 0.0


def _read() -> tuple[float, float]:
    """Monotonic time and the running total of waiting (Linux with CONFIG_PSI), both in seconds."""
    try:
        first = _FILE.read_text("ascii").splitlines()[0]
        stalled_us = int(first.rpartition("total=")[2])
    except (OSError, ValueError, IndexError):
        stalled_us = 0
    return time.monotonic(), stalled_us / 1e6
