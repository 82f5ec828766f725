"""Time as a value that is passed in, so that tests need not wait."""

import time
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """Where durations (``monotonic_s``) and dates (``wall_s``) come from."""

    def monotonic_s(self) -> float:
        """Seconds that never go back; the origin is arbitrary."""
        ...

    def wall_s(self) -> float:
        """Unix time in seconds."""
        ...


class SystemClock:
    """The machine's clock."""

    def monotonic_s(self) -> float:
        """Seconds since an arbitrary point."""
        return time.monotonic()

    def wall_s(self) -> float:
        """Unix time in seconds."""
        return time.time()
