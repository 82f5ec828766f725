"""Look at a process tree through ``/proc``; whatever ends meanwhile counts as not being there."""

import contextlib
import os

__all__ = ["descendants", "read_proc", "run_delay_s"]


def descendants(root_pid: int) -> list[int]:
    """Every live process below ``root_pid``, itself left out."""
    found: list[int] = []
    waiting = [root_pid]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                children = read_proc(f"/proc/{pid}/task/{thread}/children").split()
                found.extend(map(int, children))
                waiting.extend(map(int, children))
    return found


def run_delay_s(root_pid: int) -> float:
    """Seconds for which the thread below ``root_pid`` that waited longest had no core to run on.

    Other work on the machine makes it grow, sleeping does not. 0 where the kernel keeps no account.
    """
    longest_ns = 0
    for pid in descendants(root_pid):
        with contextlib.suppress(OSError, IndexError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                waited_ns = int(read_proc(f"/proc/{pid}/task/{thread}/schedstat").split()[1])
                longest_ns = max(longest_ns, waited_ns)
    return longest_ns / 1e9


def read_proc(path: str) -> bytes:
    """The content of a small file of the kernel's; raises ``OSError`` when it is gone."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 65536)
    finally:
        os.close(fd)
