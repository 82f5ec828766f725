"""Translate a task's limits into resource limits of the kernel, and refuse what cannot be held."""

import functools
import math
import resource

from posttrain.core.errors import LimitUnsupportedError
from posttrain.core.task import Limits

__all__ = ["refuse_unsupported", "resource_limits"]

_OPEN_FILES = 512
_MEMORY_SLACK_BYTES = 1 << 30
"""How far above ``memory_bytes`` the limit lies that only backs up the watchdog: the address
space that an allocator reserves but never touches must not end an honest run."""
_INIT_PROCESSES = 1


@functools.lru_cache(maxsize=256)
def resource_limits(
    limits: Limits, *, own_user_namespace: bool, watchdog: bool
) -> tuple[tuple[int, int, int], ...]:
    """``(resource number, soft, hard)``; processes are counted per user namespace."""
    cpu_s = math.ceil(limits.cpu_s) + 1
    wanted = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_FSIZE, limits.disk_bytes, limits.disk_bytes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
    ]
    if own_user_namespace:
        num_processes = limits.pids + _INIT_PROCESSES
        wanted.append((resource.RLIMIT_NPROC, num_processes, num_processes))
    if watchdog:
        data_bytes = limits.memory_bytes + _MEMORY_SLACK_BYTES
        wanted.append((resource.RLIMIT_DATA, data_bytes, data_bytes))
    return tuple(wanted)


def refuse_unsupported(limits: Limits, backend: str) -> None:
    """Raise before anything starts when a limit was asked for that this backend cannot hold.

    Raises:
        LimitUnsupportedError: the network is to be open to named hosts.
    """
    if not isinstance(limits.network, str):
        raise LimitUnsupportedError(
            f"limits.network names hosts {list(limits.network)!r}, but the {backend!r} sandbox "
            "allows only 'none' and 'loopback'; set limits.network to one of these"
        )
