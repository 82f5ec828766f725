"""How long processes of this machine had to wait for a core: evidence from outside a sandbox."""

import time
from pathlib import Path

__all__ = ["CorePressure"]

_FILE = Path("/proc/pressure/cpu")


class CorePressure:
    """Measures from its making to the moment of asking; without the kernel's figures it is 0."""

    def __init__(self) -> None:
        self._started_s = time.monotonic()
        self._stalled_us = _stalled_us()

    def share(self) -> float:
        """Share of the time in which some process that could run was kept waiting, in [0, 1]."""
        wall_s = time.monotonic() - self._started_s
        stalled_us = _stalled_us()
        if stalled_us is None or self._stalled_us is None or wall_s <= 0:
            return 0.0
        return min(1.0, (stalled_us - self._stalled_us) / 1e6 / wall_s)


def _stalled_us() -> int | None:
    """The kernel's running total (Linux 4.20 and later with CONFIG_PSI), microseconds."""
    try:
        first = _FILE.read_text("ascii").splitlines()[0]
        return int(first.rpartition("total=")[2])
    except (OSError, ValueError, IndexError):
        return None
