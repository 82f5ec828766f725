"""A clock that stands still until a test moves it."""

import threading

__all__ = ["FakeClock"]


class FakeClock:
    """A ``Clock``; both readings move together, by ``advance`` alone. Safe across threads."""

    def __init__(self, *, wall_s: float = 1_700_000_000.0) -> None:
        self._lock = threading.Lock()
        self._begin_s = wall_s
        self._elapsed_s = 0.0

    def monotonic_s(self) -> float:
        """Seconds advanced since the clock was made."""
        return self._elapsed_s

    def wall_s(self) -> float:
        """The Unix time that it was made with, plus what it was advanced by."""
        return self._begin_s + self._elapsed_s

    def advance(self, seconds: float) -> None:
        """Move on; raises ``ValueError`` for a step back, as no clock of ours goes back."""
        if seconds < 0.0:
            raise ValueError(f"a clock cannot advance by {seconds!r} s; give at least 0")
        with self._lock:
            self._elapsed_s += seconds
