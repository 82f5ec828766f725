"""Measure a process tree from ``/proc``, where no cgroup can be written.

The driver asks every ``TICK_S``. Resident pages shared by forks are counted in each of them, so
a tree that looks too large is measured again by proportional shares before it is ended for it.
Processor time of descendants that ended and were reaped is in their parents' numbers.
"""

import contextlib
import os

from posttrain.core.task import Limits
from posttrain.sandbox.meter import Sample
from posttrain.sandbox.process_tree import descendants, read_proc

__all__ = ["TreeMeter"]

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_UTIME_FIELD = 11
"""Index of utime among the fields that follow the command name in ``/proc/PID/stat``."""
_THREADS_FIELD = 17


class TreeMeter:
    """Measures the tree below one init; bounds nothing by itself."""

    def __init__(self) -> None:
        self._init_pid = 0
        self._limit_bytes = 0
        self._cpu_s = 0.0
        self._peak_bytes = 0

    def begin(self, init_pid: int, limits: Limits) -> None:
        """Remember whom to measure."""
        self._init_pid = init_pid
        self._limit_bytes = limits.memory_bytes
        self._cpu_s = 0.0
        self._peak_bytes = 0

    def sample(self) -> Sample:
        """Walk the tree; a dead one gives what was seen before."""
        cpu_s, num_tasks, pids = 0.0, 0, []
        for pid in descendants(self._init_pid):
            with contextlib.suppress(OSError, IndexError):
                one_cpu_s, one_tasks = _cpu_and_tasks(pid)
                cpu_s += one_cpu_s
                num_tasks += one_tasks
                pids.append(pid)
        memory_bytes = sum(_resident_bytes(pid) for pid in pids)
        if memory_bytes > self._limit_bytes:
            memory_bytes = sum(_proportional_bytes(pid) for pid in pids)
        self._cpu_s = max(self._cpu_s, cpu_s)
        self._peak_bytes = max(self._peak_bytes, memory_bytes)
        return Sample(
            cpu_s=self._cpu_s,
            memory_bytes=memory_bytes,
            peak_bytes=self._peak_bytes or None,
            num_tasks=num_tasks,
        )

    def close(self) -> None:
        """Nothing is held."""


def _cpu_and_tasks(pid: int) -> tuple[float, int]:
    fields = read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    ticks = sum(int(field) for field in fields[_UTIME_FIELD : _UTIME_FIELD + 4])
    return ticks / _TICKS_PER_S, int(fields[_THREADS_FIELD])


def _resident_bytes(pid: int) -> int:
    """Resident anonymous bytes; pages of files and of tmpfs are left out."""
    try:
        _, resident, shared = read_proc(f"/proc/{pid}/statm").split()[:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE_BYTES


def _proportional_bytes(pid: int) -> int:
    """Anonymous bytes with shared pages divided; resident bytes where tracing is forbidden."""
    try:
        for line in read_proc(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss_Anon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _resident_bytes(pid)
