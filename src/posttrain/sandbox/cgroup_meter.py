"""Bound and measure one lane by its control group, v1 or v2.

Counters of a group only grow, so each execution is measured from where the last one ended. Files
in the private tmpfs are charged to the group as memory: the kernel's hard limit is therefore
memory plus disk, and anonymous memory alone is compared with ``memory_bytes`` at every tick once
the group's total is above it.
"""

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from posttrain.core.task import Limits
from posttrain.sandbox.meter import Sample

__all__ = ["CgroupMeter"]

_OWN_PROCESSES = 2
"""The lane, and the init of an execution."""
_OWN_BYTES = 8 * 1024 * 1024
"""What these two hold themselves."""
_WRITABLE = os.O_RDWR | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class _Names:
    """File names and the keys in them, which differ between the versions."""

    limit: str
    swap_limit: str
    usage: str
    peak: str
    events: str
    anonymous_key: bytes
    cpu_controller: str
    cpu: str
    cpu_key: bytes
    cpu_units_per_s: float


_V1 = _Names(
    limit="memory.limit_in_bytes",
    swap_limit="memory.memsw.limit_in_bytes",
    usage="memory.usage_in_bytes",
    peak="memory.max_usage_in_bytes",
    events="memory.oom_control",
    anonymous_key=b"rss",
    cpu_controller="cpuacct",
    cpu="cpuacct.usage",
    cpu_key=b"",
    cpu_units_per_s=1e9,
)
_V2 = _Names(
    limit="memory.max",
    swap_limit="memory.swap.max",
    usage="memory.current",
    peak="memory.peak",
    events="memory.events",
    anonymous_key=b"anon",
    cpu_controller="cpu",
    cpu="cpu.stat",
    cpu_key=b"usage_usec",
    cpu_units_per_s=1e6,
)


class CgroupMeter:
    """The group of one lane; ``group`` maps controllers to folders that hold the lane already."""

    def __init__(
        self, group: dict[str, Path], *, unified: bool, on_close: Callable[[], None]
    ) -> None:
        self._names = _V2 if unified else _V1
        self._on_close = on_close
        self._closed = False
        self._bounds: tuple[int, int] | None = None
        memory, pids = group["memory"], group.get("pids")
        cpu = group.get(self._names.cpu_controller)
        self._memory, self._pids = memory, pids
        self._usage = _open(memory / self._names.usage)
        self._peak = _open(memory / self._names.peak, _WRITABLE)
        self._events = _open(memory / self._names.events)
        self._pids_events = _open(pids / "pids.events") if pids else None
        self._cpu = _open(cpu / self._names.cpu) if cpu else None
        self._memory_bytes = 0
        self._peak_seen = 0
        self._cpu_before = self._oom_before = self._refused_before = 0

    def begin(self, init_pid: int, limits: Limits) -> None:
        """Set the bounds where they differ from the last execution's, and start to count.

        Raises:
            OSError: a bound was refused.
        """
        hard_bytes = limits.memory_bytes + limits.disk_bytes + _OWN_BYTES
        if self._bounds != (hard_bytes, limits.pids):
            self._set_memory(hard_bytes)
            if self._pids is not None:
                _write(self._pids / "pids.max", limits.pids + _OWN_PROCESSES)
            self._bounds = (hard_bytes, limits.pids)
        if self._peak is not None:
            os.pwrite(self._peak, b"0", 0)
        self._memory_bytes = limits.memory_bytes
        self._peak_seen = 0
        self._cpu_before = self._counter(self._cpu, self._names.cpu_key)
        self._oom_before = self._counter(self._events, b"oom_kill")
        self._refused_before = self._counter(self._pids_events, b"max")

    def sample(self) -> Sample:
        """Read the counters; a few microseconds."""
        usage_bytes = self._counter(self._usage, b"")
        anonymous_bytes = usage_bytes
        if usage_bytes > self._memory_bytes:
            stat = _open(self._memory / "memory.stat")
            anonymous_bytes = self._counter(stat, self._names.anonymous_key)
            if stat is not None:
                os.close(stat)
        self._peak_seen = max(self._peak_seen, usage_bytes, self._counter(self._peak, b""))
        cpu = self._counter(self._cpu, self._names.cpu_key) - self._cpu_before
        return Sample(
            cpu_s=cpu / self._names.cpu_units_per_s,
            memory_bytes=anonymous_bytes,
            peak_bytes=self._peak_seen,
            oom_kills=self._counter(self._events, b"oom_kill") - self._oom_before,
            pids_refused=self._counter(self._pids_events, b"max") - self._refused_before,
        )

    def close(self) -> None:
        """Close the files and give the group back; idempotent."""
        if self._closed:
            return
        self._closed = True
        for fd in self._fds():
            os.close(fd)
        self._on_close()

    def _fds(self) -> list[int]:
        every = (self._usage, self._peak, self._events, self._pids_events, self._cpu)
        return [fd for fd in every if fd is not None]

    def _set_memory(self, hard_bytes: int) -> None:
        """Swap is bounded too; v1 wants memory ≤ memory + swap at every moment, so both orders."""
        swap_limit = self._memory / self._names.swap_limit
        swap_bytes = 0 if self._names is _V2 else hard_bytes
        for path, value in (
            (swap_limit, swap_bytes),
            (self._memory / self._names.limit, hard_bytes),
            (swap_limit, swap_bytes),
        ):
            with contextlib.suppress(OSError) if path == swap_limit else contextlib.nullcontext():
                _write(path, value)

    @staticmethod
    def _counter(fd: int | None, key: bytes) -> int:
        """A number in a file: the whole of it, or the one after ``key``; 0 where there is none."""
        if fd is None:
            return 0
        content = os.pread(fd, 4096, 0)
        if not key:
            return int(content)
        for line in content.splitlines():
            name, _, value = line.partition(b" ")
            if name == key:
                return int(value)
        return 0


def _write(path: Path, value: int) -> None:
    path.write_text(str(value))


def _open(path: Path, flags: int = os.O_RDONLY | os.O_CLOEXEC) -> int | None:
    """A descriptor, or None where the kernel has no such file or none that can be written.

    Before Linux 6.12 ``memory.peak`` cannot be reset, which makes it useless for a group that
    serves one execution after another.
    """
    try:
        return os.open(path, flags)
    except OSError:
        return None
