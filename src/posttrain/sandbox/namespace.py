"""Backend ``namespace``: bubblewrap around the warm interpreter, namespaces around each fork."""

import signal
from collections.abc import Mapping

from posttrain.sandbox.meter import Meter
from posttrain.sandbox.protocol import Capability
from posttrain.sandbox.wall import GROUP, PASSWD, Interpreter, wall_command
from posttrain.sandbox.watchdog import TreeMeter
from posttrain.sandbox.wire import memory_file

__all__ = ["NamespaceWall"]


class NamespaceWall:
    """Starts interpreters behind bubblewrap; implements ``forkserver.Wall``."""

    name = "namespace"
    folder = ""
    stop_signal = signal.SIGKILL
    own_user_namespace = True

    def __init__(self) -> None:
        self._interpreter = Interpreter.current()
        self.path = f"{self._interpreter.executable.parent}:/usr/bin:/bin"
        self.watchdog = True

    def command(self, control_fd: int) -> tuple[list[str], tuple[int, ...]]:
        """The wall's command line and the descriptors that it reads."""
        accounts = memory_file(PASSWD.encode()), memory_file(GROUP.encode())
        command = wall_command(
            self._interpreter,
            control_fd=control_fd,
            passwd_fd=accounts[0],
            group_fd=accounts[1],
        )
        return command, accounts

    def new_meter(self, lane_pid: int) -> Meter:
        return TreeMeter()

    def capabilities(self) -> Mapping[str, Capability]:
        return {}

    def close(self) -> None:
        pass
