"""One driver per run: an advisory lock on the run directory that the kernel drops on any exit."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from posttrain.core.errors import UserError
from posttrain.store.disk import storing

__all__ = ["RunBusyError", "run_lock"]


class RunBusyError(UserError):
    """Another process drives the run."""


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the run in ``folder`` for this process; raises ``RunBusyError`` naming the holder."""
    path = folder / "driver.lock"
    with storing(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _take(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
        raise RunBusyError(
            f"run {folder.name!r} is driven by process {holder or 'unknown'}; "
            "wait for it or end it first"
        ) from None
    with storing(folder):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
