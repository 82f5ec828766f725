"""One thread that waits for every descriptor and every deadline of a sandbox.

    caller threads ── watch / call_at ──► reactor thread ── ready / tick ──► Run
    waits for: epoll (pipes, pidfds, wake-up)      unblocked by: output, death, a deadline

It sleeps without a time-out while nothing runs.
"""

import contextlib
import heapq
import itertools
import os
import select
import threading
import time
from typing import Protocol

__all__ = ["Reactor", "Watcher"]


class Watcher(Protocol):
    """Something that reacts; its methods are called in the reactor's thread only."""

    def ready(self, fd: int) -> None:
        """``fd`` can be read, or its other side is gone."""
        ...

    def tick(self, now: float) -> float | None:
        """A deadline passed; returns the next one (monotonic seconds), or None for no more."""
        ...

    def fail(self, error: Exception) -> None:
        """An unexpected error of ours in ``ready`` or ``tick``: end with a record of it."""
        ...


class Reactor:
    """Starts its thread at once; ``close`` ends it."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._wake, select.EPOLLIN)
        self._watchers: dict[int, Watcher] = {}
        self._timers: list[tuple[float, int, Watcher]] = []
        self._lock = threading.Lock()
        self._order = itertools.count()
        self._sleeps_until = float("inf")
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="sandbox-reactor", daemon=True)
        self._thread.start()

    def watch(self, fd: int, watcher: Watcher) -> None:
        """Report when ``fd`` can be read, until ``forget``."""
        self._watchers[fd] = watcher
        self._epoll.register(fd, select.EPOLLIN)

    def forget(self, fd: int) -> None:
        """Stop watching; to be called before ``fd`` is closed."""
        if self._watchers.pop(fd, None) is not None:
            with contextlib.suppress(OSError):
                self._epoll.unregister(fd)

    def call_at(self, when: float, watcher: Watcher) -> None:
        """Call ``watcher.tick`` at a monotonic time."""
        with self._lock:
            heapq.heappush(self._timers, (when, next(self._order), watcher))
            late = when < self._sleeps_until
        if late:
            self._wake_up()

    def close(self) -> None:
        """End the thread; idempotent. Watchers are told nothing."""
        if self._closed:
            return
        self._closed = True
        self._wake_up()
        self._thread.join(timeout=10)
        self._epoll.close()
        os.close(self._wake)

    def _wake_up(self) -> None:
        os.eventfd_write(self._wake, 1)

    def _loop(self) -> None:
        while not self._closed:
            for fd, _ in self._epoll.poll(self._time_to_sleep()):
                if fd == self._wake:
                    with contextlib.suppress(BlockingIOError):
                        os.eventfd_read(self._wake)
                    continue
                watcher = self._watchers.get(fd)
                if watcher is not None:
                    self._guarded_ready(watcher, fd)
            self._run_timers(time.monotonic())

    def _time_to_sleep(self) -> float:
        with self._lock:
            self._sleeps_until = self._timers[0][0] if self._timers else float("inf")
        if self._sleeps_until == float("inf"):
            return -1
        return max(0.0, self._sleeps_until - time.monotonic())

    def _run_timers(self, now: float) -> None:
        while True:
            with self._lock:
                if not self._timers or self._timers[0][0] > now:
                    return
                watcher = heapq.heappop(self._timers)[2]
            again = self._guarded_tick(watcher, now)
            if again is not None:
                with self._lock:
                    heapq.heappush(self._timers, (again, next(self._order), watcher))

    def _guarded_ready(self, watcher: Watcher, fd: int) -> None:
        try:
            watcher.ready(fd)
        except Exception as error:  # noqa: BLE001 - the boundary: our fault becomes that run's record
            watcher.fail(error)

    def _guarded_tick(self, watcher: Watcher, now: float) -> float | None:
        try:
            return watcher.tick(now)
        except Exception as error:  # noqa: BLE001 - the boundary: our fault becomes that run's record
            watcher.fail(error)
            return None
