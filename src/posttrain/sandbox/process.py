"""Backend ``process``: the same executions without any wall. For tests of other rooms only.

Candidate code runs as the driver's own user, sees its files and its network, and can harm it.
Limits are held by a watchdog and by resource limits; nothing stops a program that fights back.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping

from posttrain.sandbox.meter import Meter
from posttrain.sandbox.protocol import Capability, Level
from posttrain.sandbox.watchdog import TreeMeter
from posttrain.sandbox.wire import BOOT

__all__ = ["PROCESS_CAPABILITIES", "NoWall"]


class NoWall:
    """Starts a plain interpreter; implements ``forkserver.Wall``."""

    name = "process"
    owner: int | None = None
    own_user_namespace = False
    watchdog = True

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="posttrain-process-")
        self.path = f"{os.path.dirname(sys.executable)}:/usr/bin:/bin"

    def command(self, control_fd: int) -> tuple[list[str], tuple[int, ...]]:
        """A warm interpreter without site packages, with a fixed hash seed."""
        command = [
            "env",
            "PYTHONHASHSEED=0",
            "LANG=C.UTF-8",
            "TZ=UTC",
            sys.executable,
            *("-s", "-P", "-S", "-B", "-c", BOOT, str(control_fd)),
        ]
        return command, ()

    def new_meter(self, lane_pid: int) -> Meter:
        """A watchdog; the lane itself is not bounded."""
        return TreeMeter()

    def capabilities(self) -> Mapping[str, Capability]:
        """What holds against an honest program; nothing here holds against a hostile one."""
        return PROCESS_CAPABILITIES

    def close(self) -> None:
        """Remove the working folders."""
        shutil.rmtree(self.folder, ignore_errors=True)


_WATCHDOG = "tree watchdog every 20 ms"
_DRIVER_CLOCK = Capability(level=Level.ENFORCED, mechanism="driver's clock")

PROCESS_CAPABILITIES: Mapping[str, Capability] = {
    "wall": _DRIVER_CLOCK,
    "cpu": Capability(level=Level.ADVISORY, mechanism=f"{_WATCHDOG}, RLIMIT_CPU"),
    "memory": Capability(level=Level.ADVISORY, mechanism=f"{_WATCHDOG}, RLIMIT_DATA"),
    "pids": Capability(level=Level.ADVISORY, mechanism=_WATCHDOG),
    "disk": Capability(level=Level.ADVISORY, mechanism="RLIMIT_FSIZE for each file"),
    "files": Capability(level=Level.ABSENT, mechanism="none"),
    "output": Capability(level=Level.ENFORCED, mechanism="driver drains and counts"),
    "network": Capability(level=Level.ABSENT, mechanism="none"),
    "idle": _DRIVER_CLOCK,
}
