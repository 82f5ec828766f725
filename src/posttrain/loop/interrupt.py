"""Ctrl-C and SIGTERM as one typed ending: what was done is safe, and how to go on is said."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from posttrain.core.errors import PosttrainError

__all__ = ["Interrupted", "sigterm_as_interrupt"]


class Interrupted(PosttrainError):  # noqa: N818 - how a run ends, not a fault
    """The user ended the run; ``command`` goes on with it."""

    exit_code = 130

    def __init__(self, command: str) -> None:
        super().__init__(f"interrupted; go on with: {command}")
        self.command = command


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """While open, SIGTERM raises ``KeyboardInterrupt`` in the main thread, as SIGINT does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
